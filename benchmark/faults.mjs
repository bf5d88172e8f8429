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
const code = JSON.stringify(resolve('dist/run.cjs'));
const reading = `const text = require('node:fs').readFileSync(${code}, 'utf8')`;
const compiling = `${reading}; require('node:vm').compileFunction(text, ['exports', 'require', 'module'])`;
const NODE = { name: 'npm package', words: ['node', resolve('dist/cli.cjs')] };
const EXECUTABLE = { name: 'standalone', words: [resolve('build/standalone/cli')] };
const linesOf = ({ name, words }) => [
  { name: `${name}: --version`, words: [...words, '--version'] },
  { name: `${name}: list`, words: [...words, 'list'] },
  { name: `${name}: a run of one step without a record`, words: [...words, 'run', 'one', '--no-journal'] },
  { name: `${name}: a run of one step`, words: [...words, 'run', 'one', '--no-logs'] },
];
const CASES = [
  { name: 'node -e 0', words: ['node', '-e', '0'] },
  { name: 'Node.js that starts the shell of a step', words: ['node', '-e', spawning] },
  { name: 'Node.js that reads the code of a run', words: ['node', '-e', reading] },
  { name: 'Node.js that reads and compiles it', words: ['node', '-e', compiling] },
  { name: 'Node.js that reads, compiles and evaluates it', words: ['node', '-e', `require(${code})`] },
  ...linesOf(NODE),
  ...linesOf(EXECUTABLE),
];

try {
  const { NODE_EXTRA_CA_CERTS: _certificates, NODE_OPTIONS: _options, CI: _ci, ...env } = process.env;
  process.stdout.write('| Case | Page faults |\n| --- | ---: |\n');
  for (const { name, words } of CASES) {
    const args = [resolve('benchmark/faults.py'), String(TIMES), ...words];
    const count = execFileSync('python3', args, { cwd: directory, env, encoding: 'utf8' }).trim();
    process.stdout.write(`| ${name} | ${count} |\n`);
  }
} finally {
  rmSync(directory, { recursive: true });
}
