// Runs the test files named as arguments in their order, which `node --test` would change.
import { resolve } from 'node:path';
import { run } from 'node:test';
import report from './test_reporter.mjs';

/** The time limit of a test file, in milliseconds. A file that blocks the event loop also blocks its tests' limits. */
const FILE_LIMIT = 900_000;

/** Some of the files wait for processes most of the time. */
const CONCURRENCY = 6;

const files = process.argv.slice(2).map((file) => resolve(file));
run({ files, concurrency: CONCURRENCY, timeout: FILE_LIMIT })
  .on('test:fail', () => {
    process.exitCode = 1;
  })
  .compose(report)
  .pipe(process.stdout);
