// Runs all tests of signals, resumes, records, locks, exported scripts and workers without /proc, among programs of BSD.
// Arguments name directories of tests, instead of all of these.
import { spawnSync } from 'node:child_process';
import { dirname, join } from 'node:path';
import { testFiles } from './run_tests.mjs';

const named = process.argv.slice(2);
const directories =
  named.length > 0 ? named : ['signals', 'resume', 'records', 'journal', 'background', 'export', 'workers'];
const chosen = new Set(directories.map((name) => join('build/tests', name)));
const files = testFiles('.test.js', '.slow.js').filter((path) => chosen.has(dirname(path)));
// Two at once: each look at the processes starts a program.
const options = ['--test', '--test-reporter=spec', '--test-concurrency=2', '--require=./scripts/time_limit.cjs'];
const command = ['tests/support/without_proc/enter.sh', process.execPath, ...options, ...files];
process.exitCode = spawnSync('sh', command, { stdio: 'inherit' }).status ?? 1;
