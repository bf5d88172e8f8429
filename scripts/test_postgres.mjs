// `npm run test:postgres`: runs the long tests of runs on other machines, and then the short ones ROUNDS times.
import { readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { LONG, runTests, testFiles } from './run_tests.mjs';

const ROUNDS = Number(process.env.ROUNDS ?? 5);

const long = readdirSync(join('build/tests', LONG)).filter((name) => name.endsWith('.test.js'));
/** The directories of the tests that start a server. */
const SHORT = new Set(['failures', 'remote_runs', 'scaling', 'workers'].map((name) => join('build/tests', name)));
const short = testFiles('.test.js', '.slow.js').filter((path) => SHORT.has(dirname(path)));
const env = { ...process.env, TEST_REQUIRE_ALL: '1', ALL_CASES: '1' };

let exitCode = runTests(
  long.map((name) => join('build/tests', LONG, name)),
  env,
);
for (let round = 1; round <= ROUNDS; round += 1) {
  process.stderr.write(`Round ${round} of ${ROUNDS}\n`);
  exitCode ||= runTests(short, env);
}
process.exitCode = exitCode;
