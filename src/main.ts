#!/usr/bin/env node
import { constants } from 'node:os';
import { main } from './cli.ts';

process.exitCode = await main(process.argv.slice(2), {
  stdin: 0,
  stdout: 1,
  stderr: 2,
  env: process.env,
  runId: `${process.pid}_${process.hrtime.bigint().toString(36)}`,
  die: (signal) => {
    process.kill(process.pid, signal);
    // Still here: as PID 1 of a container, no signal of our own ends us.
    return 128 + constants.signals[signal];
  },
});
