/* The plan in the record of a run, and what `runs show` prints for people. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { hostname, userInfo } from 'node:os';
import { basename, join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { openLog, readPlan } from '../../src/records/journal/directory/run_files.ts';
import { temporaryDirectory } from '../support/cli.ts';
import { check, compile } from '../support/goldens/schemas.ts';
import { project } from '../support/runs/recorded_run.ts';

/** Replaces times, which differ. */
const timeless = (text: string): string =>
  text.replaceAll(/\d+(?:\.\d+)? m?s\b|\d+s(?= ago)|\d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC/g, 'T');

function writeSteps(cwd: string): void {
  const file = `{
  "env": { "HIDDEN": "value of a variable" },
  "error": "echo sorry",
  "workflows": { "ci": { "steps": [
    { "workflow": "sub", "if": "NOPE" },
    { "name": "build", "run": "true" },
    { "parallel": ["true", { "name": "flaky", "run": "exit 3", "allow_failure": true }] },
    { "name": "upload", "run": "seq 1 12; printf '\\\\033[1mred'; test -e fixed" },
    { "name": "announce", "run": "true" } ] },
    "sub": { "steps": [{ "name": "inner", "run": "true" }] } } }
`;
  writeFileSync(join(cwd, '.cli/workflow.json'), file);
}

test('runs show has the steps in the order of the plan, what failed, its output and what to type', async (t) => {
  const { cwd, cli, run } = project(t, []);
  writeSteps(cwd);
  await cli('run ci VERSION:1 API_TOKEN:hush');
  const [id, plan] = [basename(run()), join(run(), 'plan-1.json')];
  assert.equal(statSync(plan).mode & 0o777, 0o600);
  const text = readFileSync(plan, 'utf8');
  assert.doesNotMatch(text, /hush|value of a variable/);
  assert.deepEqual(JSON.parse(text).params, { VERSION: '1', API_TOKEN: '***' });
  const failed = [
    '  – sub/inner  skipped: NOPE is not set',
    '  ✓ build  T',
    '  step_3: group of step_3.1, flaky',
    '  ✓ step_3/step_3.1 (true)  T',
    '  ✗ step_3/flaky  exit code 3 (allowed), T',
    '  ✗ upload  exit code 1, T',
    "      at .cli/workflow.json:8:5: seq 1 12; printf '\\033[1mred'; test -e fixed",
  ];
  const rest = [
    '  ○ announce  not reached',
    "  ✓ hook 'error'  succeeded, T",
    `to continue with upload (finished steps are kept): cli resume ${id.slice(-5)}`,
    '',
  ];
  assert.deepEqual(timeless((await cli('runs show --last --format text')).stdout).split('\n'), [
    `run ${id} of workflow ci: failed after T, T ago`,
    ...failed,
    '      its output is not stored: resume with --logs',
    ...rest,
  ]);
  await cli('resume --last API_TOKEN:hush --logs');
  const who = `T by ${userInfo().username} on ${hostname()}`;
  const lines = Array.from({ length: 12 }, (_, index) => `      | ${index + 1}`);
  assert.deepEqual(timeless((await cli('runs show --last --format text')).stdout).split('\n'), [
    `run ${id} of workflow ci: failed after T, T ago, resumed 1×`,
    `  session 1: ${who}: failed (upload: exit code 1) VERSION=1 API_TOKEN=***`,
    `  session 2: ${who}: failed (upload: exit code 1) VERSION=1 API_TOKEN=***`,
    failed[0],
    '  = build  kept, T',
    '  step_3: group of step_3.1, flaky',
    '  = step_3/step_3.1 (true)  kept, T',
    '  = step_3/flaky  kept, T',
    ...failed.slice(5),
    ...lines,
    '      | red',
    `      output: .cli/runs/${id}/logs/2-1.log`,
    ...rest,
  ]);
  writeFileSync(join(cwd, 'fixed'), '');
  await cli('resume --last API_TOKEN:hush');
  const document = JSON.parse((await cli('runs show --last --report page.html')).stdout);
  check(compile('runs-show'), document);
  const steps: readonly Readonly<{ path: string; state: string; line: number; exit_code: number }>[] = document.steps;
  assert.deepEqual(
    steps.map(({ path, state, line, exit_code }) => [path, state, line, exit_code]),
    [
      ['sub/inner', 'skipped', 10, null],
      ['build', 'kept', 6, 0],
      ['step_3/step_3.1', 'kept', 7, 0],
      ['step_3/flaky', 'kept', 7, 3],
      ['upload', 'succeeded', 8, 0],
      ['announce', 'succeeded', 9, 0],
    ],
  );
  assert.match(readFileSync(join(cwd, 'page.html'), 'utf8'), /workflow\.json:9/);
});

test('the time of a step in runs show is that of all its attempts, and the delays between them', async (t) => {
  const retry = { max_attempts: 3, delay: '200ms' };
  const { cli } = project(t, [{ name: 'flaky', run: 'false', retry }]);
  await cli('run ci');
  const [step] = JSON.parse((await cli('runs show --last')).stdout).steps;
  assert.equal(step.exit_code, 1);
  assert.ok(step.duration_ms >= 400, `${step.duration_ms} ms`);
  assert.match((await cli('runs show --last --format text')).stdout, /✗ flaky {2}exit code 1, 3 attempts, /);
});

test('a plan of more than 16 MiB is not kept, and no part of it', async (t) => {
  const { cwd, cli, run } = project(t, []);
  const long = Array.from({ length: 40 }, () => `: ${'x'.repeat(10_000)}`);
  const ci = ['exit 1', ...Array.from({ length: 50 }, () => ({ workflow: 'long' }))];
  writeFileSync(
    join(cwd, '.cli/workflow.json'),
    JSON.stringify({ workflows: { ci: { steps: ci }, long: { steps: long } } }),
  );
  assert.equal((await cli('run ci')).code, 1);
  assert.deepEqual(readdirSync(run()), ['session-1.ndjson']);
});

/** A directory of runs with the record of a run, for files beside its sessions. */
function place(t: TestContext): Readonly<{ runs: string; own: string; plan: string }> {
  const runs = temporaryDirectory(t);
  const own = join(runs, 'run');
  mkdirSync(own);
  return { runs, own, plan: join(own, 'plan-1.json') };
}

const CALL = { workflow: 'ci', caller: null, step: null, name: null, start: 0 };
const OP = {
  id: ['name:a'],
  kind: 'step',
  name: 'a',
  workflow: 'ci',
  call: 0,
  step: 1,
  command: 'true',
  frame: '',
  file: 'f',
  line: 1,
  column: 1,
  status: 'not reached',
};

test('a plan that is damaged, too large, a link or no file is none', (t) => {
  const { runs, own, plan } = place(t);
  const read = (): unknown => readPlan(runs, 'run', 1);
  const good = { version: 1, calls: [CALL], ops: [OP] };
  writeFileSync(plan, JSON.stringify(good));
  assert.deepEqual(read(), good);
  const damaged = [
    '',
    '{',
    '[]',
    '\xff\xfe',
    JSON.stringify({ ...good, version: 2 }),
    JSON.stringify({ ...good, calls: [{ ...CALL, caller: 0 }] }),
    JSON.stringify({ ...good, ops: [{ ...OP, call: 1 }] }),
    JSON.stringify({ ...good, ops: [{ ...OP, id: ['__proto__'] }] }),
    JSON.stringify({ ...good, ops: [{ ...OP, line: 0 }] }),
  ];
  for (const text of damaged) {
    writeFileSync(plan, text, 'latin1');
    assert.equal(read(), undefined, text);
  }
  writeFileSync(plan, JSON.stringify(good));
  truncateSync(plan, 17 * 2 ** 20);
  assert.equal(read(), undefined);
  writeFileSync(join(own, 'other'), JSON.stringify(good));
  symlinkSync('other', join(own, 'plan-2.json'));
  mkdirSync(join(own, 'plan-3.json'));
  execFileSync('mkfifo', [join(own, 'plan-4.json')]);
  for (const session of [2, 3, 4, 5]) assert.equal(readPlan(runs, 'run', session), undefined);
  symlinkSync('run', join(runs, 'linked'));
  writeFileSync(plan, JSON.stringify(good));
  assert.equal(readPlan(runs, 'linked', 1), undefined);
});

test('a log is opened only as a regular file in real directories', (t) => {
  const { runs, own } = place(t);
  mkdirSync(join(own, 'logs'));
  writeFileSync(join(own, 'logs/1-1.log'), '');
  symlinkSync('1-1.log', join(own, 'logs/1-2.log'));
  execFileSync('mkfifo', [join(own, 'logs/1-3.log')]);
  assert.equal(typeof openLog(runs, 'run', 1, 1), 'number');
  for (const n of [2, 3]) assert.equal(openLog(runs, 'run', 1, n), 'it is not a regular file');
  mkdirSync(join(runs, 'other'));
  symlinkSync('../run/logs', join(runs, 'other/logs'));
  assert.equal(openLog(runs, 'other', 1, 1), 'it is not in a directory');
});
