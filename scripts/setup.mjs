// Installs the dependencies of a folder (the repository's root, if none is named) unless they are those
// of its lock file already, so that `npm start` and `npm test` need nothing else on a fresh clone, and
// cost nothing on the next run.
import { execFileSync } from 'node:child_process';
import { statSync } from 'node:fs';
import { join } from 'node:path';

const folder = process.argv[2] ?? '.';
const changed = (file) => statSync(join(folder, file), { throwIfNoEntry: false })?.mtimeMs ?? 0;

const npm = (...args) =>
  execFileSync('npm', [...args, '--no-audit', '--no-fund'], { cwd: folder, stdio: ['ignore', 2, 2] });

if (changed('node_modules/.package-lock.json') < changed('package-lock.json')) {
  // `npm ci` refuses a lock file in which packages for other systems are missing, as those of the tools that the
  // benchmark compares with are where it was made: their registry had none of that version.
  if (folder === 'benchmark') npm('install', '--no-save');
  else npm('ci');
}
