#!/usr/bin/env node
import { main, reportBug } from './cli.ts';
import type { Io } from './cli/output/io.ts';
import { lineBreaker, wrapForTerminal } from './cli/output/wrap_for_terminal.ts';

// Reading a property of Node's standard streams, as yargs does, sets descriptors shared with other processes to
// non-blocking mode, and those processes lose output. In Bun, the replacement would open the streams.
if (globalThis.Bun === undefined) {
  for (const stream of ['stdin', 'stdout', 'stderr']) Object.defineProperty(process, stream, { value: {} });
}

const argv = process.argv.slice(2);

const io: Io = {
  stdin: 0,
  stdout: 1,
  stderr: 2,
  env: process.env,
  wrap: (text) => wrapForTerminal(2, text),
  lineBreaker,
  die: async (signal) => {
    // A run handles signals until its process has ended.
    process.removeAllListeners(signal);
    process.kill(process.pid, signal);
    // PID 1 of a container is not ended by its own signals.
    const { constants } = await import('node:os');
    return 128 + constants.signals[signal];
  },
};

// All output has been written synchronously, so there is no need to wait for the event loop.
const exit = (code: number): never => process.exit(code);
// An exception in a callback, of which Node.js would print everything. A run ends its processes first, and throws it.
process.on('uncaughtException', (thrown) => {
  if (process.listenerCount('uncaughtException') === 1) void reportBug(io, thrown, argv).then(exit);
});
void main(argv, io).then(exit);
