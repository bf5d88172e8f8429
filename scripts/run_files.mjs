// Runs the test files named as arguments in their order, which `node --test` would change.
import { resolve } from 'node:path';
import { PassThrough } from 'node:stream';
import { run } from 'node:test';
import report from './test_reporter.mjs';

/** The time limit of a test file, in milliseconds. A file that blocks the event loop also blocks its tests' limits. */
const FILE_LIMIT = Math.max(900_000, Number(process.env.TEST_TIMEOUT ?? 0));

/** Many of the files wait for processes most of the time. */
const CONCURRENCY = 6;

const waiting = process.argv.slice(2).values();
const events = new PassThrough({ objectMode: true });
// One run per file: the events of a common run name the file in which `test` was called, which is time_limit.cjs.
const work = async () => {
  for (const file of waiting) {
    for await (const event of run({ files: [resolve(file)], timeout: FILE_LIMIT })) {
      if (event.type === 'test:fail') process.exitCode = 1;
      events.write(event);
    }
  }
};
const finished = Promise.all(Array.from({ length: CONCURRENCY }, work)).then(() => events.end());
for await (const text of events.compose(report)) process.stdout.write(text);
await finished;
