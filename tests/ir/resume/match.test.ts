/* The effect of a resume on each step: the rows of the table in the reference, and the choices of the user. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { resumed, type Before, type Row } from '../../support/runs/history.ts';
import { ci, namedStep as step } from '../../support/workflow.ts';

const ABC = ci([step('a'), step('b'), step('c')]);
/** The same steps, of which b has another command. */
const AXC = ci([step('a'), step('b', { run: 'other' }), step('c')]);

const ROWS: readonly Row[] = [
  {
    name: 'a finished step is kept, and a failed step and the steps after it run',
    before: { file: ABC, steps: { a: 'finished', b: 'failed' } },
    expected: { steps: { a: 'kept', b: 'run', c: 'run' } },
  },
  {
    name: 'an edit of a failed step is allowed',
    before: { file: ABC, steps: { a: 'finished', b: 'failed' } },
    now: AXC,
    expected: { steps: { a: 'kept', b: 'run', c: 'run' } },
  },
  {
    name: 'an edit of a finished step is a conflict',
    before: { file: ABC, steps: { a: 'finished', b: 'finished', c: 'failed' } },
    now: AXC,
    expected: { steps: { a: 'kept', b: 'changed: command', c: 'run' }, conflicts: ['b'] },
  },
  {
    name: 'with --changed keep, edited steps that have finished are kept',
    before: { file: ABC, steps: { a: 'finished', b: 'finished', c: 'failed' } },
    now: AXC,
    choices: { changed: 'keep' },
    expected: { steps: { a: 'kept', b: 'kept edited', c: 'run' } },
  },
  {
    name: 'with --changed rerun, all steps from the first conflict on run again',
    before: { file: ABC, steps: { a: 'finished', b: 'finished', c: 'finished' } },
    now: AXC,
    choices: { changed: 'rerun' },
    expected: { steps: { a: 'kept', b: 'again', c: 'again' } },
  },
  {
    name: 'a change of the directory, of outputs or of a mentioned variable counts as an edit',
    before: {
      file: ci([step('a'), step('b'), step('c', { run: 'use $V $API_TOKEN' })], { env: { V: '1', API_TOKEN: 'x' } }),
      steps: { a: 'finished', b: 'finished', c: 'finished' },
    },
    now: ci(
      [step('a', { dir: 'sub' }), step('b', { outputs: { X: '$.x' } }), step('c', { run: 'use $V $API_TOKEN' })],
      { env: { V: '2', API_TOKEN: 'y' } },
    ),
    expected: { steps: { a: 'changed: dir', b: 'changed: outputs', c: 'changed: V' }, conflicts: ['a', 'b', 'c'] },
  },
  {
    name: 'a new step before a finished one is a conflict',
    before: { file: ABC, steps: { a: 'finished', b: 'finished' } },
    now: ci([step('a'), step('new'), step('b'), step('c')]),
    expected: { steps: { a: 'kept', new: 'new', b: 'kept', c: 'run' }, conflicts: ['new'] },
  },
  {
    name: 'a new step after all finished ones runs',
    before: { file: ABC, steps: { a: 'finished', b: 'finished' } },
    now: ci([step('a'), step('b'), step('new'), step('c')]),
    expected: { steps: { a: 'kept', b: 'kept', new: 'run', c: 'run' } },
  },
  {
    name: 'with --changed keep, a new step runs in its place',
    before: { file: ABC, steps: { a: 'finished', b: 'finished' } },
    now: ci([step('a'), step('new'), step('b'), step('c')]),
    choices: { changed: 'keep' },
    expected: { steps: { a: 'kept', new: 'run', b: 'kept', c: 'run' } },
  },
  {
    name: 'a failed step moved before a finished one is out of order',
    before: { file: ABC, steps: { a: 'finished', b: 'failed' } },
    now: ci([step('b'), step('a'), step('c')]),
    expected: { steps: { b: 'out of order', a: 'kept', c: 'run' }, conflicts: ['b'] },
  },
  {
    name: 'finished steps can be reordered',
    before: { file: ABC, steps: { a: 'finished', b: 'finished' } },
    now: ci([step('b'), step('a'), step('c')]),
    expected: { steps: { b: 'kept', a: 'kept', c: 'run' } },
  },
  {
    name: 'a step requested in an earlier resume runs, even if later steps have finished',
    before: { file: ABC, steps: { a: 'wanted', b: 'finished' } },
    expected: { steps: { a: 'run', b: 'kept', c: 'run' } },
  },
  {
    name: 'a step whose failure is allowed counts as finished',
    before: { file: ci([step('a', { allow_failure: true }), step('b')]), steps: { a: 'allowed', b: 'failed' } },
    expected: { steps: { a: 'kept', b: 'run' } },
  },
  {
    name: 'a step whose failure is no longer allowed runs again',
    before: { file: ci([step('a', { allow_failure: true }), step('b')]), steps: { a: 'allowed', b: 'failed' } },
    now: ci([step('a'), step('b')]),
    expected: { steps: { a: 'run', b: 'run' } },
  },
  {
    name: 'a step in flight requires a decision',
    before: { file: ABC, steps: { a: 'finished', b: 'killed' } },
    expected: { steps: { a: 'kept', b: 'unknown, killed: ask', c: 'run' }, questions: ['b'] },
  },
  {
    name: 'a step that succeeded after an interruption requires a decision',
    before: { file: ABC, steps: { a: 'finished', b: 'interrupted' } },
    expected: { steps: { a: 'kept', b: 'unknown, interrupted: ask', c: 'run' }, questions: ['b'] },
  },
  {
    name: '--on-crash makes the decision in advance',
    before: { file: ABC, steps: { a: 'finished', b: 'killed' } },
    choices: { onCrash: 'fail' },
    expected: { steps: { a: 'kept', b: 'unknown, killed: fail', c: 'run' } },
  },
  {
    name: '--rerun makes the decision',
    before: { file: ABC, steps: { a: 'finished', b: 'killed' } },
    choices: { rerun: ['b'] },
    expected: { steps: { a: 'kept', b: 'again', c: 'run' } },
  },
  {
    name: '--done makes the decision',
    before: { file: ABC, steps: { a: 'finished', b: 'killed' } },
    choices: { done: ['b'] },
    expected: { steps: { a: 'kept', b: 'kept done', c: 'run' } },
  },
  {
    name: '--done marks a failed step as finished, even if it was edited',
    before: { file: ABC, steps: { a: 'finished', b: 'failed' } },
    now: AXC,
    choices: { done: ['b'] },
    expected: { steps: { a: 'kept', b: 'kept done edited', c: 'run' } },
  },
  {
    name: '--done is rejected for a step that is not in doubt',
    before: { file: ABC, steps: { a: 'finished', b: 'failed' } },
    choices: { done: ['a', 'c'] },
    expected: { steps: { a: 'kept', b: 'run', c: 'run' }, refusals: ['not in doubt a', 'not in doubt c'] },
  },
  {
    name: '--rerun runs one step again and keeps the steps after it',
    before: { file: ABC, steps: { a: 'finished', b: 'finished', c: 'finished' } },
    choices: { rerun: ['b'] },
    expected: { steps: { a: 'kept', b: 'again', c: 'kept' } },
  },
  {
    name: '--rerun of an edited step resolves the conflict',
    before: { file: ABC, steps: { a: 'finished', b: 'finished', c: 'finished' } },
    now: AXC,
    choices: { rerun: ['b'] },
    expected: { steps: { a: 'kept', b: 'again', c: 'kept' } },
  },
  {
    name: 'a finished step that was removed from the file is gone',
    before: { file: ABC, steps: { a: 'finished', b: 'failed' } },
    now: ci([step('b'), step('c')]),
    expected: { steps: { b: 'run', c: 'run' }, gone: ['a: do a'] },
  },
  {
    name: 'a command replaced by a call of the same name is gone',
    before: { file: ABC, steps: { a: 'finished', b: 'failed' } },
    now: { workflows: { ci: { steps: [{ name: 'a', workflow: 'w' }, step('b')] }, w: { steps: [step('in')] } } },
    expected: { steps: { 'a/in': 'run', b: 'run' }, gone: ['a: do a'] },
  },
];

for (const { name, before, now, choices, expected } of ROWS) {
  test(name, () => assert.deepEqual(resumed(before, now ?? before.file, choices), expected));
}

test('a parameter of the resume counts as an edit', () => {
  const file = ci([{ name: 'a', run: 'use $V' }, step('b')]);
  const before: Before = { file, steps: { a: 'finished', b: 'failed' }, params: [['V', '1']] };
  assert.deepEqual(resumed(before, file, {}, [['V', '1']]), { steps: { a: 'kept', b: 'run' } });
  assert.deepEqual(resumed(before, file, {}, [['V', '2']]), { steps: { a: 'changed: V', b: 'run' }, conflicts: ['a'] });
});
