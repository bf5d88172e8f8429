/* A module of Node.js in the browser: it has no files, and starts nothing. */
const missing = () => {
  throw Object.assign(new Error('ENOENT: no such file or directory'), { code: 'ENOENT' });
};
const fs = {
  existsSync: () => false,
  readFileSync: missing,
  openSync: missing,
  statSync: missing,
  constants: { signals: {}, errno: {} },
};
fs.lstatSync = fs.realpathSync = fs.fstatSync = fs.readdirSync = missing;
module.exports = fs;
