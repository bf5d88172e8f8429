/* The effect of a resume on conditions, and on the selected part of a workflow. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { finishedWith, resumed, type Choices, type Row } from '../../support/runs/history.ts';
import { ci, namedStep as step } from '../../support/workflow.ts';

const GUARDED = ci([step('a'), step('b', { if: 'test -e x' }), step('c')]);
const EDITED = ci([step('a'), step('b', { if: 'test -e y' }), step('c')]);
const CALL = (condition?: string): object => ({
  workflows: {
    ci: { steps: [step('a'), { workflow: 'w', ...(condition !== undefined && { if: condition }) }, step('c')] },
    w: { steps: [step('in', { if: 'I' }), step('on')] },
  },
});

const CONDITIONS: readonly Row[] = [
  {
    name: 'the step of a condition that did not hold is skipped',
    before: { file: GUARDED, steps: { a: 'finished', c: 'failed' }, conditions: { b: false } },
    expected: { steps: { a: 'kept', b: 'skipped', c: 'run' }, conditions: { b: 'no' } },
  },
  {
    name: 'a condition that did not hold is not tested again after an earlier resume was to run its step again',
    before: { file: GUARDED, steps: { a: 'finished', b: 'wanted', c: 'failed' }, conditions: { b: false } },
    expected: { steps: { a: 'kept', b: 'skipped', c: 'run' }, conditions: { b: 'no' } },
  },
  {
    name: 'a condition that held is not tested again',
    before: { file: GUARDED, steps: { a: 'finished', b: 'failed' }, conditions: { b: true } },
    expected: { steps: { a: 'kept', b: 'run', c: 'run' }, conditions: { b: 'yes' } },
  },
  {
    name: 'a condition that was not reached is tested',
    before: { file: GUARDED, steps: { a: 'failed' } },
    expected: { steps: { a: 'run', b: 'run', c: 'run' }, conditions: { b: 'test' } },
  },
  {
    name: 'a condition in flight is tested again, without a decision',
    before: { file: GUARDED, steps: { a: 'finished' }, conditions: { b: null } },
    expected: { steps: { a: 'kept', b: 'run', c: 'run' }, conditions: { b: 'test' } },
  },
  {
    name: 'an edited condition is tested again if nothing after it has finished',
    before: { file: GUARDED, steps: { a: 'finished', b: 'failed' }, conditions: { b: true } },
    now: EDITED,
    expected: { steps: { a: 'kept', b: 'run', c: 'run' }, conditions: { b: 'test' } },
  },
  {
    name: 'an edited condition before a finished step is a conflict',
    before: { file: GUARDED, steps: { a: 'finished', c: 'finished' }, conditions: { b: false } },
    now: EDITED,
    expected: { steps: { a: 'kept', b: 'new', c: 'kept' }, conditions: { b: 'changed' }, conflicts: ['b', 'b'] },
  },
  {
    name: 'with --changed keep, the result of an edited condition is kept',
    before: { file: GUARDED, steps: { a: 'finished', c: 'finished' }, conditions: { b: false } },
    now: EDITED,
    choices: { changed: 'keep' },
    expected: { steps: { a: 'kept', b: 'skipped', c: 'kept' }, conditions: { b: 'no' } },
  },
  {
    name: 'with --changed rerun, an edited condition is tested again, and all steps after it run',
    before: { file: GUARDED, steps: { a: 'finished', c: 'finished' }, conditions: { b: false } },
    now: EDITED,
    choices: { changed: 'rerun' },
    expected: { steps: { a: 'kept', b: 'run', c: 'again' }, conditions: { b: 'test' } },
  },
  {
    name: 'the value of a variable tested by a condition counts as part of it, if the file sets the variable',
    before: {
      file: ci([step('b', { if: 'A' }), step('c')], { env: { A: '1' } }),
      steps: { b: 'finished', c: 'failed' },
      conditions: { b: true },
    },
    now: ci([step('b', { if: 'A' }), step('c')], { env: { A: '2' } }),
    expected: { steps: { b: 'kept', c: 'run' }, conditions: { b: 'changed' }, conflicts: ['b'] },
  },
  {
    name: 'a new condition on finished steps is not tested',
    before: {
      file: CALL(),
      steps: { a: 'finished', 'w/in': 'finished', 'w/on': 'finished' },
      conditions: { 'w/in': true },
    },
    now: CALL('true'),
    expected: {
      steps: { a: 'kept', 'w/in': 'kept', 'w/on': 'kept', c: 'run' },
      conditions: { w: 'yes', 'w/in': 'yes' },
    },
  },
  {
    name: 'a new condition on an unfinished step is tested',
    before: { file: CALL(), steps: { a: 'finished', 'w/in': 'finished' }, conditions: { 'w/in': true } },
    now: CALL('true'),
    expected: {
      steps: { a: 'kept', 'w/in': 'kept', 'w/on': 'run', c: 'run' },
      conditions: { w: 'test', 'w/in': 'yes' },
    },
  },
  {
    name: 'a call skipped by its condition remains skipped, with all its steps',
    before: { file: CALL('A'), steps: { a: 'finished', c: 'failed' }, conditions: { w: false } },
    expected: {
      steps: { a: 'kept', 'w/in': 'skipped', 'w/on': 'skipped', c: 'run' },
      conditions: { w: 'no', 'w/in': 'test' },
    },
  },
  {
    name: '--rerun of a skipped step tests its condition again',
    before: { file: GUARDED, steps: { a: 'finished', c: 'finished' }, conditions: { b: false } },
    choices: { rerun: ['b'] },
    expected: { steps: { a: 'kept', b: 'run', c: 'kept' }, conditions: { b: 'test' } },
  },
  {
    name: 'a renamed step that its condition skipped remains skipped',
    before: { file: GUARDED, steps: { a: 'finished', c: 'finished' }, conditions: { b: false } },
    now: ci([step('a'), step('other', { if: 'test -e x' }), step('c')]),
    expected: { steps: { a: 'kept', other: 'skipped', c: 'kept' }, conditions: { other: 'no' } },
  },
];

/* The ops of FOUR are its steps. */
const FOUR = ci([step('a'), step('b'), step('c'), step('d')]);
const again = (start: number, end: number): Choices => ({ selected: { start, end, again: true } });
const onwards = (start: number, end: number): Choices => ({ selected: { start, end, again: false } });

const SELECTION: readonly Row[] = [
  {
    name: '--from runs the finished steps from there on again, and keeps the steps before it',
    before: { file: FOUR, steps: { a: 'finished', b: 'finished', c: 'finished' } },
    choices: again(1, 4),
    expected: { steps: { a: 'kept', b: 'again', c: 'again', d: 'run' } },
  },
  {
    name: '--until omits the steps after it, and keeps finished steps',
    before: { file: FOUR, steps: { a: 'finished', b: 'failed' } },
    choices: onwards(0, 3),
    expected: { steps: { a: 'kept', b: 'run', c: 'run', d: 'not selected' } },
  },
  {
    name: '--only runs one step again',
    before: { file: FOUR, steps: { a: 'finished', b: 'finished', c: 'failed' } },
    choices: again(1, 2),
    expected: { steps: { a: 'kept', b: 'again', c: 'not selected', d: 'not selected' } },
  },
  {
    name: 'a run started with --from continues with the same selection',
    before: { file: FOUR, steps: { c: 'finished', d: 'failed' } },
    choices: onwards(2, 4),
    expected: { steps: { a: 'not selected', b: 'not selected', c: 'kept', d: 'run' } },
  },
  {
    name: 'steps outside the selection cause no conflicts and require no decisions',
    before: { file: FOUR, steps: { a: 'finished', b: 'killed', c: 'finished' } },
    now: ci([step('a', { run: 'x' }), step('b'), step('c'), step('d')]),
    choices: onwards(2, 4),
    expected: { steps: { a: 'not selected', b: 'not selected', c: 'kept', d: 'run' } },
  },
  {
    name: 'the conditions of calls around the selected part count as met, but its own condition is tested',
    before: { file: CALL('A'), steps: { a: 'finished' }, conditions: { w: false } },
    choices: again(2, 6),
    expected: {
      steps: { a: 'kept', 'w/in': 'run', 'w/on': 'run', c: 'run' },
      conditions: { w: 'yes', 'w/in': 'test' },
    },
  },
  {
    name: 'the recorded outputs of an unselected step can be read',
    before: {
      file: ci([step('a', { outputs: { X: '$.x' } }), step('b', { run: 'use "${steps.a.X}"' })]),
      steps: { a: finishedWith(['X', '1']) },
    },
    now: ci([step('a', { outputs: { X: '$.x' }, run: 'other' }), step('b', { run: 'use "${steps.a.X}"' })]),
    choices: again(1, 2),
    expected: { steps: { a: 'not selected', b: 'run' } },
  },
  {
    name: 'reading an unselected step without recorded outputs is rejected',
    before: { file: ci([step('a', { outputs: { X: '$.x' } }), step('b', { run: 'use "${steps.a.X}"' })]) },
    choices: again(1, 2),
    expected: { steps: { a: 'not selected', b: 'run' }, refusals: ['left out but read b'] },
  },
];

for (const { name, before, now, choices, expected } of [...CONDITIONS, ...SELECTION]) {
  test(name, () => assert.deepEqual(resumed(before, now ?? before.file, choices), expected));
}
