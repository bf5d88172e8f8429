// Runs the tests against the standalone executable (`standalone`), or against the bundle on each Node.js release in
// tools/nodes (`matrix`).
import { readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { runAllTests, testFiles } from './run_tests.mjs';

const bundle = resolve('dist/cli.cjs');
const nodes = () => readdirSync('tools/nodes/node_modules').filter((name) => name.startsWith('node-'));
const commands = {
  standalone: () => [[resolve('build/standalone/cli')]],
  matrix: () => nodes().map((name) => [resolve('tools/nodes/node_modules', name, 'bin/node'), bundle]),
}[process.argv[2]]();

/** Tests of the sources, the scripts, and the bundle on the installed Node.js. */
const OTHERS = [
  ...['architecture', 'bundle', 'reliability_table', 'startup', 'test_runner', 'unused_exports'].map((name) =>
    join('build/tests/project', `${name}.test.js`),
  ),
  ...['package', 'page_faults', 'release'].map((name) => join('build/tests/published', `${name}.test.js`)),
];
const all = testFiles('.test.js', '.slow.js', `.${process.argv[2]}.js`);
const renamed = OTHERS.filter((file) => !all.includes(file));
if (renamed.length > 0) throw new Error(`there is no ${renamed.join(', ')}: correct the list in scripts/black_box.mjs`);
const files = all.filter((file) => !OTHERS.includes(file));

let exitCode = 0;
for (const command of commands) {
  process.stderr.write(`Testing ${command.join(' ')}\n`);
  exitCode ||= runAllTests(files, { ...process.env, TESTED_COMMAND: JSON.stringify(command) });
}
process.exitCode = exitCode;
