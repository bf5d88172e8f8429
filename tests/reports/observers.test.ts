/* All observers of a run give the same result of each op. The golden runs are compared, too. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { cliWithAnnouncements, commandWith, workflowDirectory } from '../support/cli.ts';
import { ONLY_PATH } from '../support/environment.ts';
import { GITHUB } from '../support/goldens/ci_job.ts';
import { compareObservers } from '../support/runs/observers.ts';

const RECORDED = { CLI_NO_JOURNAL: undefined };
const FLAGS = ['--events', 'events', '--report', 'report.json', '--report-lines', '0'];

/** Runs a workflow with all observers, once with plain lines and once with progress; returns the states of the ops. */
async function statesOf(t: TestContext, file: object, ...commands: readonly string[]): Promise<readonly string[]> {
  const states: string[][] = [];
  for (const service of [ONLY_PATH, GITHUB]) {
    const cwd = workflowDirectory(t, file);
    const env = {
      ...service,
      ...RECORDED,
      ...(service === GITHUB && { GITHUB_STEP_SUMMARY: join(cwd, 'summary.md') }),
    };
    let last = { stdout: '', stderr: '' };
    for (const command of commands) {
      for (const name of ['report.json', 'events', 'summary.md']) rmSync(join(cwd, name), { force: true });
      last = await cliWithAnnouncements(['workflow', ...command.split(' '), ...FLAGS], { cwd, env });
    }
    assert.equal(existsSync(join(cwd, 'summary.md')), service === GITHUB);
    const stderr = last.stderr.replaceAll(/\d+ ms|\d+\.\d s/g, '<time>');
    const { ops } = await compareObservers(t, { cwd, stdout: last.stdout, stderr, runs: join(cwd, '.cli/runs') });
    states.push(
      ops.map(({ name, command, status, allowed }) => `${name ?? command}: ${status}${allowed ? ', allowed' : ''}`),
    );
  }
  const [plain = [], progress] = states;
  assert.deepEqual(progress, plain);
  return plain;
}

const workflow = (...steps: readonly unknown[]): object => ({ workflows: { w: { steps } } });

test('retries, allowed failures, conditions on variables and on commands', async (t) => {
  const file = {
    env: { SET: 'yes' },
    before_all: 'true',
    error: 'true',
    finally: 'true',
    workflows: {
      w: {
        steps: [
          { name: 'flaky', retry: { max_attempts: 3, delay: '1ms' }, run: 'test -e seen || { touch seen; exit 3; }' },
          { name: 'hopeless', retry: { max_attempts: 2, delay: '1ms' }, allow_failure: true, run: 'exit 4' },
          { name: 'set', if: 'SET', run: 'true' },
          { name: 'unset', if: 'UNSET', run: 'true' },
          { workflow: 'called', if: 'test 1 = 2' },
          { workflow: 'called', if: 'test 2 = 2' },
          { name: 'late', timeout: '10ms', run: 'sleep 5' },
          { name: 'never', if: 'SET', run: 'true' },
        ],
      },
      called: { steps: [{ name: 'inner', if: 'test 3 = 3', run: 'true' }] },
    },
  };
  assert.deepEqual(await statesOf(t, file, 'run w'), [
    'before_all: succeeded',
    'flaky: succeeded',
    'hopeless: failed, allowed',
    'SET: met',
    'set: succeeded',
    'UNSET: not met',
    'unset: skipped',
    'test 1 = 2: not met',
    'test 3 = 3: skipped',
    'inner: skipped',
    'test 2 = 2: met',
    'test 3 = 3: met',
    'inner: succeeded',
    'late: failed',
    'SET: not reached',
    'never: not reached',
    'error: succeeded',
    'finally: succeeded',
  ]);
});

test('a group that is cancelled, with a condition and steps that have not started', async (t) => {
  const parallel = [
    { name: 'long', run: 'while [ ! -e failed ]; do sleep 0.01; done; sleep 30' },
    { name: 'failing', run: 'touch failed; exit 3' },
    { name: 'waiting', if: 'test 1', run: 'true' },
  ];
  const states = await statesOf(t, workflow({ parallel, fail_fast: true, max_parallel: 2 }), 'run w');
  assert.deepEqual(states, ['long: failed', 'failing: failed', 'test 1: not reached', 'waiting: not reached']);
});

test('an interruption while the command of a condition runs', async (t) => {
  const file = { error: 'true', ...workflow({ if: 'kill -INT $PPID; sleep 0.3; exit 1', run: 'true' }, 'true') };
  assert.deepEqual(await statesOf(t, file, 'run w'), [
    'kill -INT $PPID; sleep 0.3; exit 1: not met',
    'step_1: not reached',
    'step_2: not reached',
    'error: succeeded',
  ]);
});

test('a resume until a step', async (t) => {
  const flaky = { name: 'second', run: 'test -e seen || { touch seen; exit 3; }' };
  const file = { after_all: 'true', ...workflow('true', { if: 'test 1', ...flaky }, { name: 'third', run: 'true' }) };
  assert.deepEqual(await statesOf(t, file, 'run w', 'resume --last --until second'), [
    'step_1: kept',
    'test 1: kept',
    'second: succeeded',
    'third: left out',
    'after_all: left out',
  ]);
});

test('a resume that repeats what stands before a condition forgets the answer', async (t) => {
  const steps = [
    { name: 'first', run: 'test ! -e seen || touch answer; touch seen' },
    { name: 'asked', if: 'test -e answer', run: 'true' },
    { name: 'failing', run: 'exit 3' },
  ];
  const states = ['first: succeeded', 'test -e answer: not met', 'asked: skipped', 'failing: failed'];
  assert.deepEqual(await statesOf(t, workflow(...steps), 'run w'), states);
  assert.deepEqual(await statesOf(t, workflow(...steps), 'run w', 'resume --last --from first'), [
    'first: succeeded',
    'test -e answer: met',
    'asked: succeeded',
    'failing: failed',
  ]);
});

test('a step that was running when the run was killed, and must not run again', async (t) => {
  const killed = { name: 'killed', on_crash: 'fail', run: 'kill -KILL $PPID; sleep 5' };
  const file = workflow({ name: 'first', run: 'true' }, killed, 'true');
  const states = await statesOf(t, file, 'run w', 'resume --last --orphans end');
  assert.deepEqual(states, ['first: kept', 'killed: not started', 'step_3: not reached']);
});

test('an internal error of an observer ends neither the hooks, the record nor other observers, and has no secret', async (t) => {
  const file = { finally: 'echo "finally $API_TOKEN"', ...workflow({ name: 'first', run: 'true' }, 'true') };
  const flags = ['--events', 'events', '--report', 'report.json', '--report', 'report.html'];
  const breaking: readonly (readonly [where: string, program: string])[] = [
    [
      'events',
      "const real = JSON.stringify; JSON.stringify = (given, ...more) => given?.event === 'op_ended' ? fail() : real(given, ...more);",
    ],
    [
      'report',
      "const real = JSON.stringify; JSON.stringify = (given, ...more) => given === 'interrupted' ? fail() : real(given, ...more);",
    ],
    ['recorder', 'Buffer.prototype.lastIndexOf = fail;'],
  ];
  for (const [where, broken] of breaking) {
    const cwd = workflowDirectory(t, file);
    const program = `const fail = () => { throw new TypeError('broken by ' + process.env.API_TOKEN); };\n${broken}`;
    const [runtime = '', ...first] = commandWith(cwd, program);
    const env = { ...process.env, ...ONLY_PATH, API_TOKEN: 'hush-hush', CLI_NO_JOURNAL: '' };
    const { status, stdout, stderr } = spawnSync(runtime, [...first, 'workflow', 'run', 'w', ...flags], {
      cwd,
      env,
      encoding: 'utf8',
    });
    assert.equal(stderr.match(/^cli: internal error: .*$/gm)?.join(), 'cli: internal error: broken by ***', where);
    assert.match(stderr, /^finally hush-hush$/m);
    assert.deepEqual(JSON.parse(stdout).hooks ?? JSON.parse(stdout).success, true, stdout);
    assert.equal(status, 70);
    assert.equal(readFileSync(join(cwd, 'report.html'), 'utf8').endsWith('</html>\n'), where !== 'report', where);
    const listed = await cliWithAnnouncements(['workflow', 'runs', 'list'], {
      cwd,
      env: { ...ONLY_PATH, ...RECORDED },
    });
    assert.equal(JSON.parse(listed.stdout)[0].state, 'succeeded');
  }
});

test('a question without a terminal', async (t) => {
  const file = workflow({ name: 'asking', confirm: 'Deploy?', if: 'true', run: 'true' }, 'true');
  assert.deepEqual(await statesOf(t, file, 'run w'), ['true: met', 'asking: declined', 'step_2: not reached']);
});

test('a step whose directory does not exist, and a resume that keeps what has run', async (t) => {
  const skipped = { if: 'test -e none', parallel: [{ name: 'member', run: 'true' }, 'true'] };
  const lost = { name: 'lost', dir: 'none', run: 'true' };
  const file = { error: 'true', ...workflow({ name: 'first', run: 'true' }, skipped, lost, 'true') };
  const kept = ['test -e none: not met', 'member: skipped', 'step_2.2: skipped'];
  const rest = ['lost: not started', 'step_4: not reached', 'error: succeeded'];
  assert.deepEqual(await statesOf(t, file, 'run w'), ['first: succeeded', ...kept, ...rest]);
  assert.deepEqual(await statesOf(t, file, 'run w', 'resume --last'), ['first: kept', ...kept, ...rest]);
});

test('steps and calls that refer to missing values', async (t) => {
  const called = { steps: [{ name: 'inner', if: 'SET', run: 'true' }], env: { SET: 'yes' } };
  const number = { name: 'number', if: 'UNSET', run: 'echo 1', outputs: { N: 'text' } };
  const calling = { workflow: 'called', with: { X: '${steps.number.N}' } };
  const file = { workflows: { w: { steps: [number, calling, 'true'] }, called } };
  const states = await statesOf(t, file, 'run w');
  assert.deepEqual(states, [
    'UNSET: not met',
    'number: skipped',
    'SET: not reached',
    'inner: not started',
    'step_3: not reached',
  ]);
});
