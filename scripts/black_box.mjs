// Runs the tests against other artefacts than the bundle on the Node.js at hand: the standalone
// executable (`standalone`), or the bundle on each release of tools/nodes (`matrix`).
import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';

const bundle = resolve('dist/cli.cjs');
const nodes = () => readdirSync('tools/nodes/node_modules').filter((name) => name.startsWith('node-'));
const commands = {
  standalone: () => [[resolve('build/standalone/cli')]],
  matrix: () => nodes().map((name) => [resolve('tools/nodes/node_modules', name, 'bin/node'), bundle]),
}[process.argv[2]]();

/** These look at the sources, or at the bundle as the Node.js at hand loads it. */
const others = new Set(['architecture', 'package', 'startup', 'reliability_table']);
const endings = ['.test.js', `.${process.argv[2]}.js`];
const files = readdirSync('build/tests', { recursive: true })
  .filter((name) => endings.some((ending) => name.endsWith(ending)) && !others.has(basename(name, '.test.js')))
  .map((name) => join('build/tests', name));

let failed = false;
for (const command of commands) {
  process.stderr.write(`The tests, with ${command.join(' ')}\n`);
  const env = { ...process.env, TESTED_COMMAND: JSON.stringify(command) };
  const flags = ['--test', '--test-reporter=dot', '--test-concurrency=3'];
  const { status } = spawnSync(process.execPath, [...flags, ...files], { env, stdio: 'inherit' });
  failed ||= status !== 0;
}
process.exitCode = failed ? 1 : 0;
