import assert from 'node:assert/strict';
import { test } from 'node:test';
import { at, type Plan } from '../../src/ir/plan.ts';
import { digest } from '../../src/ir/steps/digest.ts';
import { SessionRecorder } from '../../src/records/journal/session_recorder.ts';
import { compiled } from '../support/plans.ts';

/** The recorded lines of a run that starts the given ops, once per entry. All commands succeed. */
function linesOf(plan: Plan, ops: readonly number[]): readonly string[] {
  const recorded: string[] = [];
  const session = {
    append: (text: string): undefined => void recorded.push(...text.split('\n').slice(0, -1)),
    giveUp: assert.fail,
    close: (): void => undefined,
  };
  const recorder = new SessionRecorder({ plan, session, known: () => undefined, now: Date.now, warn: assert.fail });
  const end = {
    exit: { kind: 'exited', code: 0 },
    failed: false,
    allowed: false,
    more: false,
    interrupted: false,
  } as const;
  for (const [n, op] of ops.entries()) {
    recorder.start(n, op, 1);
    recorder.end(n, end);
  }
  return recorded;
}

/** The frame fields of each start. */
function framesOf(lines: readonly string[]): readonly unknown[] {
  return lines.flatMap((line) => {
    const { kind, frame, frames } = JSON.parse(line);
    return kind === 'start' ? [{ frame, frames }] : [];
  });
}

const FILE = {
  env: { GLOBAL: '1', API_TOKEN: 'hush' },
  before_all: 'prepare',
  workflows: {
    ci: { steps: ['a', 'b', { run: 'c', with: { OWN: '2' } }, { workflow: 'w', with: { CALL: '3' } }] },
    w: { env: { INNER: '4' }, steps: ['d', 'e'] },
  },
};

test('the variables of a frame are recorded with its first started step', () => {
  const plan = compiled(JSON.stringify(FILE), 'ci');
  const names = plan.frames.map(({ source, parent }) => `${source} <${parent}`);
  assert.deepEqual(names, [
    'global env <null',
    'env of ci <0',
    'with of ci step 3 <1',
    'env of w <1',
    'with of ci step 4 <3',
  ]);
  const global = [
    [0, null, [['GLOBAL', digest('1')]]],
    [1, 0, []],
  ];
  const called = [
    [3, 1, [['INNER', digest('4')]]],
    [4, 3, [['CALL', digest('3')]]],
  ];
  const own = [[2, 1, [['OWN', digest('2')]]]];
  const none = undefined;
  const hook = { frame: none, frames: none };
  assert.deepEqual(framesOf(linesOf(plan, [0, 1, 1, 2, 3, 4, 5])), [
    hook,
    { frame: 1, frames: global },
    { frame: 1, frames: none },
    { frame: 1, frames: none },
    { frame: 2, frames: own },
    { frame: 4, frames: called },
    { frame: 4, frames: none },
  ]);
  assert.deepEqual(framesOf(linesOf(plan, [0, 4])), [hook, { frame: 4, frames: [...global, ...called] }]);
});

test('the record of a step takes at most 400 bytes in addition to its command', () => {
  const env = Object.fromEntries(Array.from({ length: 10 }, (_, index) => [`VARIABLE_${index}`, 'value']));
  const matrix = { NODE: Array.from({ length: 50 }, (_, index) => `node-${index}`), OS: ['linux', 'windows'] };
  const command = 'npm run build -- --mode "$VARIABLE_1" --target "$VARIABLE_2"';
  const steps = Array.from({ length: 100 }, (_, index) => ({ name: `build-part-${index}`, run: command }));
  const w = { env: { MODE: 'fast' }, steps };
  const called = { name: 'test-all', workflow: 'w', with: { TARGET: 'production' } };
  const file = { env, workflows: { ci: { steps: [...steps, called, { name: 'test', run: command, matrix }] }, w } };
  const plan = compiled(JSON.stringify(file), 'ci');
  const lines = linesOf(plan, [...plan.ops.keys()]);
  const bytes = Buffer.byteLength(lines.map((line) => `${line}\n`).join(''));
  const perStep = bytes / plan.ops.length - Buffer.byteLength(JSON.stringify(command));
  assert.equal(plan.ops.length, 300);
  assert.ok(at(lines, 0).includes('"frames":[[0,null,[["VARIABLE_0",'));
  assert.ok(perStep <= 400, `${perStep} bytes`);
});
