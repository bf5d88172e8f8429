// Runs the test files named as arguments in their order, which `node --test` would change. With TEST_RETRY=1, failed files
// run once more: a test that fails because the machine was busy must not stop a change, and the output names it.
import { relative, resolve } from 'node:path';
import { PassThrough } from 'node:stream';
import { run } from 'node:test';
import report from './test_reporter.mjs';

/** The time limit of a test file, in milliseconds. A file that blocks the event loop also blocks its tests' limits. */
const FILE_LIMIT = Math.max(900_000, Number(process.env.TEST_TIMEOUT ?? 0));

/** Many of the files wait for processes most of the time. */
const CONCURRENCY = 6;

/** With TEST_RETRY=1, at most so many failed files run a second time, alone. */
const RETRIED = 3;

const files = process.argv.slice(2).map((file) => resolve(file));
let failed = await failedFiles(files, CONCURRENCY);
if (process.env.TEST_RETRY === '1' && failed.length > 0 && failed.length <= RETRIED) {
  const names = failed.map((file) => relative('.', file)).join(', ');
  process.stdout.write(`Running the failed files once more, one at a time: ${names}\n`);
  failed = await failedFiles(failed, 1);
  if (failed.length === 0) process.stdout.write(`Passed at the second try only: ${names}\n`);
}
if (failed.length > 0) process.exitCode = 1;

/** Runs test files and returns those with a failure. */
async function failedFiles(named, concurrency) {
  const found = new Set();
  const waiting = named.values();
  const events = new PassThrough({ objectMode: true });
  // One run per file: the events of a common run name the file in which `test` was called, which is time_limit.cjs.
  const work = async () => {
    for (const file of waiting) {
      for await (const event of run({ files: [file], timeout: FILE_LIMIT })) {
        if (event.type === 'test:fail') found.add(file);
        events.write(event);
      }
    }
  };
  const finished = Promise.all(Array.from({ length: concurrency }, work)).then(() => events.end());
  for await (const text of events.compose(report)) process.stdout.write(text);
  await finished;
  return [...found];
}
