#!/usr/bin/env node
import { constants } from 'node:os';

// Whoever so much as looks at Node's standard streams (yargs and tinyexec do when they are loaded)
// puts descriptors that we share with others into non-blocking mode, and others then lose output.
for (const stream of ['stdin', 'stdout', 'stderr']) Object.defineProperty(process, stream, { value: {} });
const { main } = await import('./cli.ts');

process.exitCode = await main(process.argv.slice(2), {
  stdin: 0,
  stdout: 1,
  stderr: 2,
  env: process.env,
  die: (signal) => {
    process.kill(process.pid, signal);
    // Still here: as PID 1 of a container, no signal of our own ends us.
    return 128 + constants.signals[signal];
  },
});
