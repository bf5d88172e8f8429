// Prints the table of page faults of docs/performance.md: of the processes themselves, without their children.
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

const TIMES = 21;
const directory = mkdtempSync(join(tmpdir(), 'cli-faults-'));
mkdirSync(join(directory, '.cli'));
writeFileSync(join(directory, '.cli/workflow.json'), '{"workflows":{"one":{"steps":[{"run":"true"}]}}}');
const spawning = "require('node:child_process').spawn('bash', ['--norc', '-c', 'true'], { stdio: 'inherit' })";
const [node, executable] = [['node', resolve('dist/cli.cjs')], [resolve('build/standalone/cli')]];
const CASES = [
  ['`node -e 0`', ['node', '-e', '0']],
  ['Node.js that starts the shell of a step', ['node', '-e', spawning]],
  ...[
    ['npm package', node],
    ['standalone', executable],
  ].flatMap(([name, tool]) => [
    [`${name}: \`--version\``, [...tool, '--version']],
    [`${name}: \`list\``, [...tool, 'list']],
    [`${name}: a run of one step without a record`, [...tool, 'run', 'one', '--no-journal']],
    [`${name}: a run of one step`, [...tool, 'run', 'one', '--no-logs']],
  ]),
];

try {
  const { NODE_EXTRA_CA_CERTS: _certificates, NODE_OPTIONS: _options, CI: _ci, ...env } = process.env;
  process.stdout.write('| Case | Page faults |\n| --- | ---: |\n');
  for (const [name, words] of CASES) {
    const args = [resolve('benchmark/faults.py'), String(TIMES), ...words];
    const count = Number(execFileSync('python3', args, { cwd: directory, env, encoding: 'utf8' }));
    process.stdout.write(`| ${name} | ${count.toLocaleString('en')} |\n`);
  }
} finally {
  rmSync(directory, { recursive: true });
}
