/* The mapping of the steps of an edited file to those of the previous run. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { resumed } from '../../support/runs/history.ts';
import { ci } from '../../support/workflow.ts';
import { assertCpuTime } from '../../support/cpu_time.ts';

const named = (name: string, run = `do ${name}`): object => ({ name, run });

test('a renamed step is identified by its print', () => {
  const before = { file: ci([named('a'), named('b', 'x')]), steps: { a: 'finished', b: 'finished' } } as const;
  assert.deepEqual(resumed(before, ci([named('a'), named('c', 'x')])), { steps: { a: 'kept', c: 'kept' } });
});

test('a step whose name was added or removed is identified by its print', () => {
  const before = { file: ci(['x', named('b', 'y')]), steps: { step_1: 'finished', b: 'finished' } } as const;
  assert.deepEqual(resumed(before, ci([named('a', 'x'), 'y'])), { steps: { a: 'kept', step_2: 'kept' } });
});

test('a step is not identified by a print that several steps share: a conflict', () => {
  const twins = { file: ci([named('a', 'x'), named('b', 'x')]), steps: { a: 'finished', b: 'killed' } } as const;
  assert.deepEqual(resumed(twins, ci([named('c', 'x'), named('d', 'x')])), {
    steps: { c: 'moved: a', d: 'moved: a' },
    conflicts: ['c', 'd'],
  });
  assert.deepEqual(resumed(twins, ci([named('a', 'x'), named('d', 'x')])), {
    steps: { a: 'kept', d: 'unknown, killed: ask' },
    questions: ['d'],
  });
});

test('an edited command without a name is identified by the step before it', () => {
  const before = { file: ci([named('a'), 'x', 'y', 'z']), steps: { a: 'finished', step_2: 'finished' } } as const;
  const now = ci([named('a'), 'x2', 'y', 'z']);
  const steps = { a: 'kept', step_2: 'changed: command', step_3: 'run', step_4: 'run' };
  assert.deepEqual(resumed(before, now), { steps, conflicts: ['step_2'] });
});

test('several consecutive edited commands are identified by their positions, from the first step on', () => {
  const before = {
    file: ci(['x', 'y', 'z']),
    steps: { step_1: 'finished', step_2: 'finished', step_3: 'failed' },
  } as const;
  const steps = { step_1: 'changed: command', step_2: 'changed: command', step_3: 'run' };
  assert.deepEqual(resumed(before, ci(['x2', 'y2', 'z2'])), { steps, conflicts: ['step_1', 'step_2'] });
});

test('a command without a name is not identified with a named one', () => {
  const before = { file: ci(['x', 'y']), steps: { step_1: 'finished', step_2: 'failed' } } as const;
  assert.deepEqual(resumed(before, ci([named('a', 'x2'), 'y'])), {
    steps: { a: 'run', step_2: 'run' },
    gone: ['step_1: x'],
  });
});

test('an inserted duplicate of a command is identified as the second one', () => {
  const before = { file: ci(['x', named('b')]), steps: { step_1: 'finished', b: 'failed' } } as const;
  assert.deepEqual(resumed(before, ci(['x', 'x', named('b')])), { steps: { step_1: 'kept', step_2: 'run', b: 'run' } });
});

const CALLS = {
  w: { steps: [named('in'), 'x', { workflow: 'deep' }] },
  deep: { steps: [{ ...named('deepest'), if: 'A' }] },
};

test('a renamed call is identified by its steps, and so is a call of a renamed workflow', () => {
  const before = {
    file: { workflows: { ci: { steps: [{ workflow: 'w' }, named('b')] }, ...CALLS } },
    steps: { 'w/in': 'finished', 'w/step_2': 'finished', 'w/deep/deepest': 'finished' },
    conditions: { 'w/deep/deepest': true },
  } as const;
  const renamed = { workflows: { ci: { steps: [{ workflow: 'w', name: 'call' }, named('b')] }, ...CALLS } };
  assert.deepEqual(resumed(before, renamed), {
    steps: { 'call/in': 'kept', 'call/step_2': 'kept', 'call/deep/deepest': 'kept', b: 'run' },
    conditions: { 'call/deep/deepest': 'yes' },
  });
  const moved = { workflows: { ci: { steps: [{ workflow: 'v' }, named('b')] }, v: CALLS.w, deep: CALLS.deep } };
  assert.deepEqual(resumed(before, moved), {
    steps: { 'v/in': 'kept', 'v/step_2': 'kept', 'v/deep/deepest': 'kept', b: 'run' },
    conditions: { 'v/deep/deepest': 'yes' },
  });
});

function twice(...names: readonly string[]): object {
  return { workflows: { ci: { steps: names.map((name) => ({ workflow: 'w', name })) }, w: { steps: [named('in')] } } };
}

test('a call is not identified by steps that several calls share: a conflict', () => {
  const before = { file: twice('a', 'b'), steps: { 'a/in': 'finished', 'b/in': 'failed' } } as const;
  assert.deepEqual(resumed(before, twice('c', 'd')), {
    steps: { 'c/in': 'moved: in', 'd/in': 'moved: in' },
    conflicts: ['c/in', 'd/in'],
  });
});

test('each call of a workflow has its own record', () => {
  const file = {
    workflows: { ci: { steps: [{ workflow: 'w' }, { workflow: 'w' }] }, w: { steps: [named('in'), 'x'] } },
  };
  const before = { file, steps: { 'w/in': 'finished', 'w/step_2': 'finished', '2.w/in': 'failed' } } as const;
  assert.deepEqual(resumed(before, file), {
    steps: { 'w/in': 'kept', 'w/step_2': 'kept', '2.w/in': 'run', '2.w/step_2': 'run' },
  });
});

test('5,000 steps are matched within 40 times the CPU time of parsing 8 MB', async () => {
  const steps = Array.from({ length: 5000 }, (_, index) => named(`s${index}`));
  const renamed = Array.from({ length: 5000 }, (_, index) => named(`t${index}`, `do s${index}`));
  const fates = Object.fromEntries(steps.map((_, index) => [`s${index}`, 'finished' as const]));
  const found = await assertCpuTime(40, () => resumed({ file: ci(steps), steps: fates }, ci(renamed)));
  assert.deepEqual(new Set(Object.values(found.steps)), new Set(['kept']));
});
