// Runs tests of runs and of exported scripts with the bash 3.2 that BASH_32 names, as on a Mac without a newer one.
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join, resolve } from 'node:path';

const bash = resolve(process.env.BASH_32 ?? 'BASH_32');
const [version] = execFileSync(bash, ['--version'], { encoding: 'utf8' }).split('\n');
if (!/version 3\.2/.test(version)) throw new Error(`BASH_32 must be the path of a bash 3.2, not of ${version}`);
process.stderr.write(`Testing with ${version}\n`);

const bin = mkdtempSync(join(tmpdir(), 'bash32-'));
symlinkSync(bash, join(bin, 'bash'));
const filesIn = (directory) =>
  readdirSync(directory)
    .filter((name) => /\.(?:test|slow)\.js$/.test(name))
    .map((name) => join(directory, name));
const directories = ['run', 'hooks', 'background', 'export/long'].map((name) => join('build/tests', name));
const files = ['build/tests/goldens/goldens.test.js', ...directories.flatMap(filesIn)];
// Tests that compare runs with exported scripts, or whose own commands need a newer bash. Node.js 20 runs all tests of a
// suite and of a file whose own names match.
const skipped = 'in a run and in a script|the exit code of a step that may fail|if standard error has no reader';
const { status } = spawnSync(
  process.execPath,
  [
    '--test',
    '--test-reporter=spec',
    '--test-concurrency=2',
    `--test-name-pattern=^(?!<root>|outputs$|.*(?:${skipped}))`,
    ...files,
  ],
  { env: { ...process.env, SHELL: bash, PATH: [bin, process.env.PATH].join(delimiter) }, stdio: 'inherit' },
);
rmSync(bin, { recursive: true });
process.exitCode = status ?? 1;
