#!/usr/bin/env node
import { main } from './cli.ts';

// Whoever so much as looks at Node's standard streams (yargs does when it is loaded, which
// is later) puts descriptors that we share with others into non-blocking mode, and others then lose output.
for (const stream of ['stdin', 'stdout', 'stderr']) Object.defineProperty(process, stream, { value: {} });

void main(process.argv.slice(2), {
  stdin: 0,
  stdout: 1,
  stderr: 2,
  env: process.env,
  die: async (signal) => {
    process.kill(process.pid, signal);
    // Still here: as PID 1 of a container, no signal of our own ends us.
    const { constants } = await import('node:os');
    return 128 + constants.signals[signal];
  },
}).then((code) => (process.exitCode = code));
