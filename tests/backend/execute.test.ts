import assert from 'node:assert/strict';
import { test } from 'node:test';
import { record, summaryOf } from '../support/random/recording_port.ts';
import { ci } from '../support/workflow.ts';

const HOOKS = { before_all: 'before', after_all: 'after', error: 'error' };
const INTERRUPTED = { signal: 'SIGINT', forced: false } as const;
const FORCED = { signal: 'SIGTERM', forced: true } as const;

test('a run executes before_all, the steps in order, and after_all', async () => {
  const { outcome, ran } = await record(ci(['one', 'two'], HOOKS));
  assert.deepEqual(ran, ['before', 'one', 'two', 'after']);
  assert.deepEqual(summaryOf(outcome), {
    success: true,
    interrupted: undefined,
    steps: ['step_1 0', 'step_2 0'],
    hooks: ['before_all 0', 'after_all 0'],
  });
});

test('a failing step runs the error hook and skips the rest', async () => {
  const { outcome, ran } = await record(ci(['one', 'two'], HOOKS), { one: 7 });
  assert.deepEqual(ran, ['before', 'one', 'error']);
  assert.deepEqual(summaryOf(outcome), {
    success: false,
    interrupted: undefined,
    steps: ['step_1 7'],
    hooks: ['before_all 0', 'error 0'],
  });
});

test('a failing before_all runs the error hook and no step', async () => {
  const { outcome, ran } = await record(ci(['one'], HOOKS), { before: 3 });
  assert.deepEqual(ran, ['before', 'error']);
  const hooks = ['before_all 3', 'error 0'];
  assert.deepEqual(summaryOf(outcome), { success: false, interrupted: undefined, steps: [], hooks });
});

test('a failing after_all runs the error hook', async () => {
  const { outcome, ran } = await record(ci(['one'], HOOKS), { after: 4 });
  assert.deepEqual(ran, ['before', 'one', 'after', 'error']);
  assert.deepEqual(summaryOf(outcome), {
    success: false,
    interrupted: undefined,
    steps: ['step_1 0'],
    hooks: ['before_all 0', 'after_all 4', 'error 0'],
  });
});

test('a failing error hook is recorded and has no other effect', async () => {
  const { outcome, ran } = await record(ci(['one', 'two'], HOOKS), { one: 7, error: 5 });
  assert.deepEqual(ran, ['before', 'one', 'error']);
  assert.deepEqual(summaryOf(outcome), {
    success: false,
    interrupted: undefined,
    steps: ['step_1 7'],
    hooks: ['before_all 0', 'error 5'],
  });
});

test('an error hook does not run after success', async () => {
  const { outcome, ran } = await record(ci(['one'], { error: 'error' }), { error: 5 });
  assert.deepEqual([ran, outcome.success], [['one'], true]);
});

test('a command that cannot be started has exit code 126', async () => {
  const refused = { kind: 'not started', reason: 'too big' } as const;
  const { outcome, ran } = await record(ci(['one', 'two'], HOOKS), { one: refused });
  assert.deepEqual(ran, ['before', 'one', 'error']);
  assert.deepEqual(summaryOf(outcome), {
    success: false,
    interrupted: undefined,
    steps: ['step_1 126'],
    hooks: ['before_all 0', 'error 0'],
  });
});

test('a hook that cannot be started has exit code 126', async () => {
  const refused = { kind: 'not started', reason: 'too big' } as const;
  const { outcome } = await record(ci(['one'], HOOKS), { before: refused, error: refused });
  const hooks = ['before_all 126', 'error 126'];
  assert.deepEqual(summaryOf(outcome), { success: false, interrupted: undefined, steps: [], hooks });
});

test('a condition that cannot be started fails the run', async () => {
  const refused = { kind: 'not started', reason: 'too big' } as const;
  const file = ci([{ run: 'one', if: 'exit 0' }, 'two'], HOOKS);
  const { outcome, ran, seen } = await record(file, { 'exit 0': refused });
  assert.deepEqual(ran, ['before', 'exit 0', 'error']);
  assert.ok(!seen.includes('skipped if exit 0'), 'the condition counts as not met');
  const hooks = ['before_all 0', 'error 0'];
  assert.deepEqual(summaryOf(outcome), { success: false, interrupted: undefined, steps: [], hooks });
});

test('after an interrupted step, only the error hook runs', async () => {
  const fates = { one: { code: 130, interruption: INTERRUPTED } };
  const { outcome, ran } = await record(ci(['one', 'two'], HOOKS), fates);
  assert.deepEqual(ran, ['before', 'one', 'error']);
  assert.deepEqual(summaryOf(outcome), {
    success: false,
    interrupted: 'SIGINT',
    steps: ['step_1 130'],
    hooks: ['before_all 0', 'error 0'],
  });
});

test('a run is interrupted even if the step exits with 0, and even if it is the last one', async () => {
  const fates = { one: { code: 0, interruption: INTERRUPTED } };
  const { outcome, ran } = await record(ci(['one'], HOOKS), fates);
  assert.deepEqual(ran, ['before', 'one', 'error']);
  assert.deepEqual(summaryOf(outcome), {
    success: false,
    interrupted: 'SIGINT',
    steps: ['step_1 0'],
    hooks: ['before_all 0', 'error 0'],
  });
});

for (const hook of ['before', 'after', 'error']) {
  test(`after an interruption in the ${hook} hook, the run ends in order`, async () => {
    const fates = { [hook]: { code: 0, interruption: INTERRUPTED }, two: hook === 'error' ? 1 : 0 };
    const { outcome, ran } = await record(ci(['one', 'two'], HOOKS), fates);
    const expected = {
      before: ['before', 'error'],
      after: ['before', 'one', 'two', 'after', 'error'],
      error: ['before', 'one', 'two', 'error'],
    };
    assert.deepEqual(ran, Object.entries(expected).find(([name]) => name === hook)?.[1]);
    assert.deepEqual([outcome.success, outcome.interrupted], [false, 'SIGINT']);
  });
}

test('after an interruption in a condition, no step starts, whether the condition holds or not', async () => {
  for (const code of [0, 1, 130]) {
    const fates = { 'exit 0': { code, interruption: INTERRUPTED } };
    const { outcome, ran } = await record(ci([{ run: 'one', if: 'exit 0' }, 'two'], HOOKS), fates);
    assert.deepEqual(ran, ['before', 'exit 0', 'error']);
    assert.equal(outcome.interrupted, 'SIGINT');
  }
});

test('after an interruption before the first command, only the error hook runs', async () => {
  const { outcome, ran } = await record(ci(['one'], HOOKS), {}, { before: INTERRUPTED });
  assert.deepEqual(ran, ['error']);
  assert.deepEqual(summaryOf(outcome), { success: false, interrupted: 'SIGINT', steps: [], hooks: ['error 0'] });
});

test('after a second signal nothing runs, not even a hook, and the last signal counts', async () => {
  const fates = { one: { code: 137, interruption: FORCED } };
  const { outcome, ran } = await record(ci(['one', 'two'], HOOKS), fates);
  assert.deepEqual(ran, ['before', 'one']);
  assert.deepEqual(summaryOf(outcome), {
    success: false,
    interrupted: 'SIGTERM',
    steps: ['step_1 137'],
    hooks: ['before_all 0'],
  });
});

test('after a second signal in the error hook, the hook is recorded and the last signal counts', async () => {
  const fates = { one: { code: 130, interruption: INTERRUPTED }, error: { code: 137, interruption: FORCED } };
  const { outcome } = await record(ci(['one'], HOOKS), fates);
  assert.deepEqual(summaryOf(outcome), {
    success: false,
    interrupted: 'SIGTERM',
    steps: ['step_1 130'],
    hooks: ['before_all 0', 'error 137'],
  });
});

test('a condition on a call is tested once and guards the whole call', async () => {
  const workflows = {
    ci: {
      steps: [
        { workflow: 'called', if: 'exit 1' },
        { workflow: 'called', if: 'exit 0' },
      ],
    },
    called: { steps: ['one', { run: 'never', if: 'UNSET' }, 'two'] },
  };
  const { ran, seen } = await record({ workflows }, { 'exit 1': 1 });
  assert.deepEqual(ran, ['exit 1', 'exit 0', 'one', 'two']);
  assert.deepEqual(seen, [
    'started if exit 1',
    'ended if exit 1',
    'skipped if exit 1',
    'started if exit 0',
    'ended if exit 0',
    'started one',
    'ended one',
    'skipped if UNSET',
    'started two',
    'ended two',
  ]);
});

test('steps and hooks inherit standard input; conditions have empty standard input', async () => {
  const { requests } = await record(ci([{ run: 'one', if: 'exit 0' }], HOOKS));
  assert.deepEqual(
    requests.map(({ command, input }) => [command, input]),
    [
      ['before', 'inherit'],
      ['exit 0', 'none'],
      ['one', 'inherit'],
      ['after', 'inherit'],
    ],
  );
});

test('the environment of a command is its scope over the base, and nothing else', async () => {
  const file = { env: { A: 'a', BASE: 'file' }, before_all: 'before' };
  const { requests } = await record(ci([{ run: 'one', with: { B: 'b' } }, 'two'], file));
  const outside = { BASE: 'file', A: 'a' };
  assert.deepEqual(
    requests.map(({ environment }) => Object.fromEntries(environment)),
    [outside, { ...outside, B: 'b' }, outside],
  );
});
