import assert from 'node:assert/strict';
import { chmodSync, cpSync, mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { temporaryDirectory } from '../support/cli.ts';
import { quickCli as cli } from '../support/in_process.ts';
import { COPY, project } from '../support/runs/checked_project.ts';

const LINT = { name: 'lint', run: 'true', sources: ['in'] };

test("'dir', the outputs and the generated files of a step count, and files beside the generated ones do not", async (t) => {
  const steps: object[] = [{ ...COPY, sources: ['../in'], run: 'cat ../in >out', dir: 'one' }];
  const { path, reasons, write, writeFile } = project(t, steps);
  for (const name of ['one', 'two']) mkdirSync(path(name));
  write('in', '1');
  await reasons();
  write('one/other', '');
  assert.deepEqual(await reasons(), []);
  writeFile([{ ...steps[0], dir: 'two' }]);
  assert.deepEqual(await reasons(), ["'dir' changed"]);
  writeFile([{ ...steps[0], dir: 'two', outputs: { V: 'text' } }]);
  assert.deepEqual(await reasons(), ["'outputs' changed"]);
  writeFile([{ ...steps[0], dir: 'two', outputs: { V: 'text' }, generates: ['out', '*.none', '!*.none'] }]);
  assert.deepEqual(await reasons(), ["'generates' changed"]);
});

test('inputs, dotenv files, values of callers and outputs count; secret and inherited values do not', async (t) => {
  const version = { name: 'version', run: 'cat version', outputs: { V: 'text' } };
  const use = { ...LINT, name: 'use', run: 'true ${steps.version.V}' };
  const { cwd, write } = project(t, [version, use, { workflow: 'lint', with: { MODE: '${vars.MODE:-fast}' } }], {
    dotenv: ['.env'],
    env: { API_TOKEN: '${vars.FROM_OUTSIDE:-}' },
    workflows: { lint: { inputs: { DEPTH: { default: '1' } }, steps: [LINT] } },
  });
  const reasons = async (args: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<string[]> => {
    const { stderr } = await cli(['run', 'ci', ...args], { cwd, env });
    return [...stderr.matchAll(/^cli: step '(.*)' of workflow '.*' is not up to date: (.*)$/gm)].map(
      ([, name, why]) => `${name}: ${why}`,
    );
  };
  write('in', '');
  write('version', '1');
  write('.env', 'TINT=red');
  assert.deepEqual(await reasons([]), ['use: no record', 'lint: no record']);
  assert.deepEqual(await reasons([], { INHERITED: 'x', FROM_OUTSIDE: 'secret' }), []);
  write('.env', 'TINT=blue');
  assert.deepEqual(await reasons([]), ['use: TINT changed', 'lint: TINT changed']);
  assert.deepEqual(await reasons(['DEPTH:2']), ['use: DEPTH changed', 'lint: DEPTH changed']);
  // Compared with the newest record, that of the run before.
  assert.deepEqual(await reasons([], { MODE: 'slow' }), ['lint: DEPTH changed, MODE changed']);
  write('version', '2');
  assert.deepEqual(await reasons([]), ['use: an output that it uses changed']);
  assert.deepEqual(await reasons([]), []);
});

test('copies of a matrix have records of their own, of which the ten newest of each are kept', async (t) => {
  const { path, reasons, write } = project(t, [{ ...LINT, matrix: { N: ['1', '2', '3'] } }]);
  write('in', '');
  assert.deepEqual(await reasons(), ['no record', 'no record', 'no record']);
  assert.deepEqual(await reasons(), []);
  for (let index = 0; index < 10; index += 1) await reasons(`MODE:${index}`);
  const records = readdirSync(path('.cli/state')).filter((name) => name.endsWith('.json'));
  assert.equal(records.length, 30);
});

test('a step is the same wherever it is called from, and without a name it is its command', async (t) => {
  const { cwd, reasons, write, writeFile } = project(t, [{ workflow: 'lint' }], {
    workflows: { lint: { steps: [{ run: 'true', sources: ['in'] }] }, other: { steps: [{ workflow: 'lint' }] } },
  });
  write('in', '');
  await reasons();
  assert.equal((await cli(['run', 'other'], { cwd })).stderr, '');
  writeFile(['true', { run: 'true 1', sources: ['in'] }, { run: 'true 2', sources: ['in'] }]);
  assert.deepEqual(await reasons(), ['no record', 'no record']);
  writeFile([{ run: 'true 2', sources: ['in'] }]);
  assert.deepEqual(await reasons(), []);
});

test('an allowed failure and a timeout leave no record', async (t) => {
  const { reasons, run, write } = project(t, [
    { name: 'allowed', run: '! test -e bad', sources: ['in'], allow_failure: true },
    { name: 'limited', run: 'test ! -e bad || exec sleep 60', sources: ['in'], timeout: '200ms', allow_failure: true },
  ]);
  write('in', '');
  await run('-q');
  write('bad', '');
  write('in', '2');
  assert.deepEqual(await reasons(), ['in changed', 'in changed']);
  write('in', '');
  assert.deepEqual(await reasons(), ['no record', 'no record']);
});

test('the state is private and ignores itself, and can be moved with what was generated if the user trusts it', async (t) => {
  const { cwd, path, reasons, run, write } = project(t, [COPY]);
  write('in', '1');
  await run('-q');
  const names = readdirSync(path('.cli/state'));
  const modes = names.map((name) => statSync(path(join('.cli/state', name))).mode & 0o777);
  assert.deepEqual([statSync(path('.cli/state')).mode & 0o777, ...new Set(modes)], [0o700, 0o600]);
  assert.ok(names.includes('.gitignore'));
  const other = join(temporaryDirectory(t), 'moved');
  cpSync(cwd, other, { recursive: true, preserveTimestamps: true });
  const env = { XDG_STATE_HOME: join(other, 'home'), CLI_TRUST_RECORDS: '1' };
  assert.equal((await cli(['run', 'ci'], { cwd: other, env })).stderr, '');
  rmSync(path('out'));
  chmodSync(path('in'), 0o755);
  writeFileSync(path('in'), '2');
  assert.deepEqual(await reasons(), ['in changed, out is missing']);
});

test('three reasons are shown, and the number of the others', async (t) => {
  const { reasons, run, write, path } = project(t, [{ ...LINT, sources: ['src'] }]);
  mkdirSync(path('src'));
  write('src/old', '');
  await run('-q');
  for (let index = 1; index <= 6; index += 1) write(`src/${index}`, '');
  rmSync(path('src/old'));
  assert.deepEqual(await reasons(), ['src/1 is new, src/2 is new, src/3 is new, and 4 more']);
});

test('a pattern that is longer than any path is an error with its place, also with the value of a variable', async (t) => {
  const long = 'x'.repeat(4096);
  const limit = 'has more than 4096 characters, the limit of a path';
  const errorOf = async (step: object, env = {}): Promise<readonly unknown[]> => {
    const { code, stderr } = await project(t, [{ run: 'true', ...step }], { env }).run();
    return [code, stderr.split('\n')[0]?.replace(/^\S+ /, '')];
  };
  assert.deepEqual((await errorOf({ sources: [`${long.slice(1)}*`] }))[0], 0);
  const start = "error: workflow 'ci': step 1: ";
  const advice = `${limit}; write several patterns`;
  assert.deepEqual(await errorOf({ sources: [`${long}*`] }), [2, `${start}'sources[0]' ${advice}`]);
  assert.deepEqual(await errorOf({ sources: [], generates: [`${long}*`] }), [2, `${start}'generates[0]' ${advice}`]);
  const variable = `${start}'sources[0]': \${vars.P}: with its value, the pattern ${limit}`;
  assert.deepEqual(await errorOf({ sources: ['${vars.P}*'] }, { P: long }), [2, variable]);
});

test('a step that is not up to date is named with the combination of its call', async (t) => {
  const workflows = { test: { steps: [COPY] } };
  const { run, write } = project(t, [{ workflow: 'test', matrix: { PKG: ['b'] } }], { workflows });
  write('in', '');
  const { stderr } = await run();
  assert.match(stderr, /^cli: step 'copy' of workflow 'test' \(b\) is not up to date: no record$/m);
});
