/* The globals of Node.js in the browser. The environment of the process is empty. */
import { Buffer } from '../node_modules/buffer/index.js';

const process = {
  env: {},
  argv: [],
  execArgv: [],
  platform: 'linux',
  pid: 1,
  versions: {},
  version: '',
  cwd: () => '/',
  uptime: () => performance.now() / 1000,
  hrtime: { bigint: () => BigInt(Math.round(performance.now() * 1e6)) },
};
const setImmediate = (call) => void setTimeout(() => call(), 0);
// Pages have none without a policy that isolates them. The library only waits with it.
const SharedArrayBuffer = ArrayBuffer;

export { Buffer, process, setImmediate, SharedArrayBuffer };
