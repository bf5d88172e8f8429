// The cost of COUNT programs that print a secret in Node.js alone: a bare loop over child_process.spawn that reads what
// each one prints.
import { spawn } from 'node:child_process';

const [, , count] = process.argv;
const env = { ...process.env };
const closed = (child) => {
  child.stdout.on('data', () => undefined);
  return new Promise((resolve) => child.once('close', resolve));
};
for (let left = Number(count); left > 0; left -= 1) {
  await closed(spawn('/bin/echo', [`value ${left}`], { env, stdio: ['ignore', 'pipe', 2] }));
}
