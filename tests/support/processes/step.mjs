// A step that writes its signals to `log`, and its process to `processes`.
//
// Arguments: its name, and its action 200 ms after the first signal. Until then it continues to count, so that a second
// delivery of a signal is visible.
import { appendFileSync, existsSync, readFileSync } from 'node:fs';

// Without /proc, tests find it hidden.
const proc = existsSync('/proc/hidden') ? '/proc/hidden' : '/proc';
const LINGER = 200;
const CLEAN_UP = 1500;

const [name, manner] = process.argv.slice(2);
const log = (line) => appendFileSync('log', `${name} ${line}\n`);

function end(signal) {
  switch (manner) {
    case 'is terminated':
      process.removeAllListeners(signal);
      process.kill(process.pid, signal);
      break;
    case 'exits with 0':
      process.exit(0);
      break;
    case 'cleans up':
      setTimeout(() => {
        log('is clean');
        process.exit(3);
      }, CLEAN_UP);
      break;
    case 'ignores':
      break;
    default:
      throw new Error(`unknown manner: ${manner}`);
  }
}

let signals = 0;
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
  process.on(signal, () => {
    log(`got ${signal}`);
    signals += 1;
    if (signals === 1) setTimeout(end, LINGER, signal);
  });
}
appendFileSync('processes', readFileSync(`${proc}/${process.pid}/stat`, 'latin1'));
log('ready');
// So that a failed test leaves nothing running for long.
setTimeout(() => process.exit(99), 60_000);
