/* Chains of calls, each with an `env` of the same names and a step after the call. The tests count work instead of timing it. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { settingsOf } from '../../src/ir/environment.ts';
import type { Plan } from '../../src/ir/plan.ts';
import { CandidateSettings } from '../../src/ir/views/candidate_settings.ts';
import { identify, pathsOf } from '../../src/ir/steps/identity.ts';
import { NAMES, stepPaths } from '../../src/ir/steps/step_paths.ts';
import { explainPlan } from '../../src/ir/views/explanation.ts';
import { toolInProcess } from '../support/in_process.ts';
import { compiled } from '../support/plans.ts';
import { resumed } from '../support/runs/history.ts';
import { namedStep } from '../support/workflow.ts';

/** Each workflow sets A and B, calls the next one, and has a step after that. */
function chain(length: number, env = (index: number): object => ({ A: String(index), B: 'b' })): string {
  const workflows = Array.from({ length }, (_, index) => {
    const steps = index + 1 < length ? [{ workflow: `w${index + 1}` }, 'true'] : ['true'];
    return [`w${index}`, { env: env(index), steps }] as const;
  });
  return JSON.stringify({ workflows: Object.fromEntries(workflows) });
}

/** A list that counts the reads of its elements. */
function counted<Item>(items: readonly Item[]): { items: readonly Item[]; reads: () => number } {
  let reads = 0;
  const proxy = new Proxy(items, {
    get(target, key) {
      if (typeof key === 'string' && /^\d+$/.test(key)) reads += 1;
      const value: unknown = Reflect.get(target, key);
      return value;
    },
  });
  return { items: proxy, reads: () => reads };
}

function framesOf(plan: Plan): number[] {
  return plan.ops.map(({ frame }) => frame);
}

for (const length of [500, 3000]) {
  test(`the settings of a chain of ${length} calls visit each frame a few times`, () => {
    const plan = compiled(chain(length), 'w0');
    const frames = counted(plan.frames);
    const settings = settingsOf({ ...plan, frames: frames.items });
    const values = framesOf(plan).map((frame) => settings(frame).get('A')?.value);
    assert.deepEqual(
      values,
      Array.from({ length }, (_, index) => String(length - 1 - index)),
    );
    assert.ok(frames.reads() <= 4 * length, `${frames.reads()} reads`);
  });

  test(`explaining one variable of a chain of ${length} calls visits each frame a few times`, () => {
    const plan = compiled(
      chain(length, (index) => (index % 100 === 0 ? { A: 'a' } : { B: 'b' })),
      'w0',
    );
    const frames = counted(plan.frames);
    const settings = new CandidateSettings({ ...plan, frames: frames.items }, 'A');
    const changes = framesOf(plan).filter((frame) => settings.moveTo(frame));
    assert.equal(changes.length, length / 100);
    assert.ok(frames.reads() <= 4 * length, `${frames.reads()} reads`);
  });

  test(`explain follows a chain of ${length} calls only as far as it shows it`, () => {
    const plan = compiled(
      chain(length, () => ({})),
      'w0',
    );
    const calls = counted(plan.calls);
    const steps = [
      ...explainPlan({ ...plan, calls: calls.items }, { variable: 'A', step: '1' }, {}, () => ({
        file: '',
        line: 1,
        column: 1,
      })),
    ];
    assert.equal(steps.length, length - 1);
    assert.ok(calls.reads() <= 20 * length, `${calls.reads()} reads`);
  });
}

/** The workflows `w0` to the last one, of which each contains only a call of the next, and the last one a step. */
function nested(depth: number): Record<string, object> {
  const names = Array.from({ length: depth }, (_, index) => `w${index}`);
  const stepsOf = (index: number): object => {
    const next = names[index + 1];
    return { steps: [next === undefined ? namedStep('last') : { workflow: next }] };
  };
  return Object.fromEntries(names.map((name, index) => [name, stepsOf(index)]));
}

/** The shortest CPU time of some work with the plan of this many nested calls, in microseconds. */
function timeOf(depth: number, work: (plan: Plan) => void): number {
  const plan = compiled(JSON.stringify({ workflows: nested(depth) }), 'w0');
  const times = Array.from({ length: 3 }, () => {
    const before = process.cpuUsage();
    work(plan);
    const { user, system } = process.cpuUsage(before);
    return user + system;
  });
  return Math.min(...times);
}

for (const [what, work] of [
  [
    'the ids of the steps of nested calls take',
    (plan) => assert.equal(pathsOf(plan, identify(plan))(0).length, plan.calls.length),
  ],
  [
    'to look for a step among nested calls takes',
    (plan) => assert.ok([...stepPaths(plan, NAMES)].every((each) => !each.isAtOrBelow('last'))),
  ],
] as const satisfies readonly (readonly [string, (plan: Plan) => void])[]) {
  test(`${what} time linear in their depth`, () => {
    const [short, long] = [timeOf(1200, work), timeOf(12_000, work)];
    // Ten times as long, and a margin for a busy machine. Paths of all calls would take a hundred times as long.
    assert.ok(long < 40 * Math.max(short, 2000), `${short} and ${long} microseconds`);
  });
}

/** A call with this name, of 12,000 nested workflows, and a step after it. */
function afterNested(name: string): object {
  return { workflows: { ci: { steps: [{ workflow: 'w0', name }, 'next'] }, ...nested(12_000) } };
}

test('a renamed call that contains 12,000 nested calls keeps its finished step', () => {
  const inner = Array.from({ length: 11_999 }, (_, index) => `w${index + 1}`).join('/');
  const before = { file: afterNested('a'), steps: { [`a/${inner}/last`]: 'finished' as const } };
  assert.deepEqual(resumed(before, afterNested('b')), { steps: { [`b/${inner}/last`]: 'kept', step_2: 'run' } });
});

test('a chain of 12,000 calls has a dry run, and explain shows one of its variables', async (t) => {
  const [input, tool] = [chain(12_000), toolInProcess(t)];
  const dry = await tool(['workflow', 'run', 'w0', '--dry-run', '--quiet', '--file', '-'], { input });
  assert.deepEqual([dry.code, dry.stdout.match(/"env":\{"A":"\d+","B":"b"\}/g)?.length], [0, 12_000]);
  const explained = await tool(['workflow', 'explain', 'w0', 'A', 'A:own', '--step', '2', '--file', '-'], { input });
  const over = '    not 0  (env of w0)\n';
  assert.deepEqual(
    [explained.code, explained.stdout],
    [0, `step_2  (step 2 of w0)\n  $ true\n  A=own  (parameters)\n${over}`],
  );
});

test('explain finds a step by its path through 60 calls, and by the path of a call around it', async (t) => {
  const [input, tool] = [JSON.stringify({ workflows: nested(61) }), toolInProcess(t)];
  const calls = Array.from({ length: 60 }, (_, index) => `w${index + 1}`).join('/');
  const found: string[] = [];
  for (const step of [`${calls}/last`, calls, 'w1/w2']) {
    const { stdout } = await tool(['explain', 'w0', '--step', step, '--file', '-'], { input });
    found.push(stdout.replace(/.* > /, ''));
  }
  assert.deepEqual(found, Array(3).fill('last  (step 1 of w60)\n  $ do last\n  no variables\n'));
  const none = await tool(['explain', 'w0', '--step', `${calls}/las`, '--file', '-'], { input });
  assert.equal(none.stdout, '');
});
