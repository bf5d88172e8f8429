/* What a resume does with conditions, and with the part of a workflow that was selected. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { gave, resumed, type Choices, type Row } from '../support/runs/history.ts';
import { ci, namedStep as step } from '../support/workflow.ts';

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
    name: 'a condition that did not hold leaves its step out',
    before: { file: GUARDED, steps: { a: 'finished', c: 'failed' }, conditions: { b: false } },
    expected: { steps: { a: 'kept', b: 'skipped', c: 'run' }, conditions: { b: 'no' } },
  },
  {
    name: 'a condition that held is not tested again',
    before: { file: GUARDED, steps: { a: 'finished', b: 'failed' }, conditions: { b: true } },
    expected: { steps: { a: 'kept', b: 'run', c: 'run' }, conditions: { b: 'yes' } },
  },
  {
    name: 'a condition that was not come to is tested',
    before: { file: GUARDED, steps: { a: 'failed' } },
    expected: { steps: { a: 'run', b: 'run', c: 'run' }, conditions: { b: 'test' } },
  },
  {
    name: 'a condition in flight is tested again, without a question',
    before: { file: GUARDED, steps: { a: 'finished' }, conditions: { b: null } },
    expected: { steps: { a: 'kept', b: 'run', c: 'run' }, conditions: { b: 'test' } },
  },
  {
    name: 'an edited condition is decided again where nothing has finished after it',
    before: { file: GUARDED, steps: { a: 'finished', b: 'failed' }, conditions: { b: true } },
    now: EDITED,
    expected: { steps: { a: 'kept', b: 'run', c: 'run' }, conditions: { b: 'test' } },
  },
  {
    name: 'an edited condition with something finished after it is a conflict',
    before: { file: GUARDED, steps: { a: 'finished', c: 'finished' }, conditions: { b: false } },
    now: EDITED,
    expected: { steps: { a: 'kept', b: 'new', c: 'kept' }, conditions: { b: 'changed' }, conflicts: ['b', 'b'] },
  },
  {
    name: 'with --changed keep, what an edited condition decided stays',
    before: { file: GUARDED, steps: { a: 'finished', c: 'finished' }, conditions: { b: false } },
    now: EDITED,
    choices: { changed: 'keep' },
    expected: { steps: { a: 'kept', b: 'skipped', c: 'kept' }, conditions: { b: 'no' } },
  },
  {
    name: 'with --changed rerun, an edited condition is tested again, and all after it runs',
    before: { file: GUARDED, steps: { a: 'finished', c: 'finished' }, conditions: { b: false } },
    now: EDITED,
    choices: { changed: 'rerun' },
    expected: { steps: { a: 'kept', b: 'run', c: 'again' }, conditions: { b: 'test' } },
  },
  {
    name: 'the value of a variable that a condition tests is part of it, if the file sets it',
    before: {
      file: ci([step('b', { if: 'A' }), step('c')], { env: { A: '1' } }),
      steps: { b: 'finished', c: 'failed' },
      conditions: { b: true },
    },
    now: ci([step('b', { if: 'A' }), step('c')], { env: { A: '2' } }),
    expected: { steps: { b: 'kept', c: 'run' }, conditions: { b: 'changed' }, conflicts: ['b'] },
  },
  {
    name: 'a new condition of what has finished is not tested',
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
    name: 'a new condition of what is to run is tested',
    before: { file: CALL(), steps: { a: 'finished', 'w/in': 'finished' }, conditions: { 'w/in': true } },
    now: CALL('true'),
    expected: {
      steps: { a: 'kept', 'w/in': 'kept', 'w/on': 'run', c: 'run' },
      conditions: { w: 'test', 'w/in': 'yes' },
    },
  },
  {
    name: 'a call that its condition left out stays out with all its steps',
    before: { file: CALL('A'), steps: { a: 'finished', c: 'failed' }, conditions: { w: false } },
    expected: {
      steps: { a: 'kept', 'w/in': 'skipped', 'w/on': 'skipped', c: 'run' },
      conditions: { w: 'no', 'w/in': 'test' },
    },
  },
  {
    name: '--rerun of a step that was left out tests its condition again',
    before: { file: GUARDED, steps: { a: 'finished', c: 'finished' }, conditions: { b: false } },
    choices: { rerun: ['b'] },
    expected: { steps: { a: 'kept', b: 'run', c: 'kept' }, conditions: { b: 'test' } },
  },
  {
    name: 'a step that was renamed while its condition left it out stays out',
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
    name: '--from runs what has finished from there on again, and keeps what stands before',
    before: { file: FOUR, steps: { a: 'finished', b: 'finished', c: 'finished' } },
    choices: again(1, 4),
    expected: { steps: { a: 'kept', b: 'again', c: 'again', d: 'run' } },
  },
  {
    name: '--until leaves out what follows, and keeps what has finished',
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
    name: 'a run that began with --from goes on with what was selected then',
    before: { file: FOUR, steps: { c: 'finished', d: 'failed' } },
    choices: onwards(2, 4),
    expected: { steps: { a: 'not selected', b: 'not selected', c: 'kept', d: 'run' } },
  },
  {
    name: 'an edit of what was not selected is no conflict, and a question about it is none',
    before: { file: FOUR, steps: { a: 'finished', b: 'killed', c: 'finished' } },
    now: ci([step('a', { run: 'x' }), step('b'), step('c'), step('d')]),
    choices: onwards(2, 4),
    expected: { steps: { a: 'not selected', b: 'not selected', c: 'kept', d: 'run' } },
  },
  {
    name: 'the conditions of calls around the selected part count as met, its own is tested',
    before: { file: CALL('A'), steps: { a: 'finished' }, conditions: { w: false } },
    choices: again(2, 6),
    expected: {
      steps: { a: 'kept', 'w/in': 'run', 'w/on': 'run', c: 'run' },
      conditions: { w: 'yes', 'w/in': 'test' },
    },
  },
  {
    name: 'what is left out gives what was recorded of it',
    before: {
      file: ci([step('a', { outputs: { X: '$.x' } }), step('b', { run: 'use "${steps.a.X}"' })]),
      steps: { a: gave(['X', '1']) },
    },
    now: ci([step('a', { outputs: { X: '$.x' }, run: 'other' }), step('b', { run: 'use "${steps.a.X}"' })]),
    choices: again(1, 2),
    expected: { steps: { a: 'not selected', b: 'run' } },
  },
  {
    name: 'what is left out and gave nothing cannot be read',
    before: { file: ci([step('a', { outputs: { X: '$.x' } }), step('b', { run: 'use "${steps.a.X}"' })]) },
    choices: again(1, 2),
    expected: { steps: { a: 'not selected', b: 'run' }, refusals: ['left out but read b'] },
  },
];

for (const { name, before, now, choices, expected } of [...CONDITIONS, ...SELECTION]) {
  test(name, () => assert.deepEqual(resumed(before, now ?? before.file, choices), expected));
}
