import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The time limit of a test file, in milliseconds. A file that blocks the event loop also blocks its tests' limits. */
const FILE_LIMIT = 900_000;

const besideThis = (name) => fileURLToPath(new URL(name, import.meta.url));

/** The directory of the tests that only `npm run test:postgres` runs. */
export const LONG = join('failures', 'long');

/** The compiled test files with one of these extensions, without the long ones. */
export function testFiles(...extensions) {
  return readdirSync('build/tests', { recursive: true })
    .filter((name) => extensions.some((extension) => name.endsWith(extension)) && !name.startsWith(LONG))
    .map((name) => join('build/tests', name))
    .toSorted();
}

/** Runs test files, each in its own process, and returns the exit code. */
export function runTests(files, env = process.env) {
  const flags = [
    `--require=${besideThis('time_limit.cjs')}`,
    '--test',
    `--test-timeout=${FILE_LIMIT}`,
    '--test-concurrency=3',
    `--test-reporter=${besideThis('test_reporter.mjs')}`,
    '--test-reporter-destination=stdout',
  ];
  const { status } = spawnSync(process.execPath, [...flags, ...files], { env, stdio: 'inherit' });
  return status ?? 1;
}
