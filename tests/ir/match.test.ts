/* What a resume does with each step: the rows of the table in the reference, and what may be chosen. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { resumed, type Before, type Row } from '../support/runs/history.ts';
import { ci, namedStep as step } from '../support/workflow.ts';

const ABC = ci([step('a'), step('b'), step('c')]);
/** The step b has another command. */
const AXC = ci([step('a'), step('b', { run: 'other' }), step('c')]);

const ROWS: readonly Row[] = [
  {
    name: 'what has finished is kept, what failed runs, and what follows too',
    before: { file: ABC, steps: { a: 'finished', b: 'failed' } },
    expected: { steps: { a: 'kept', b: 'run', c: 'run' } },
  },
  {
    name: 'a step that failed may have been edited',
    before: { file: ABC, steps: { a: 'finished', b: 'failed' } },
    now: AXC,
    expected: { steps: { a: 'kept', b: 'run', c: 'run' } },
  },
  {
    name: 'an edit of what has finished is a conflict',
    before: { file: ABC, steps: { a: 'finished', b: 'finished', c: 'failed' } },
    now: AXC,
    expected: { steps: { a: 'kept', b: 'changed: command', c: 'run' }, conflicts: ['b'] },
  },
  {
    name: 'with --changed keep, what has finished stays as it was',
    before: { file: ABC, steps: { a: 'finished', b: 'finished', c: 'failed' } },
    now: AXC,
    choices: { changed: 'keep' },
    expected: { steps: { a: 'kept', b: 'kept edited', c: 'run' } },
  },
  {
    name: 'with --changed rerun, all from the first conflict on runs again',
    before: { file: ABC, steps: { a: 'finished', b: 'finished', c: 'finished' } },
    now: AXC,
    choices: { changed: 'rerun' },
    expected: { steps: { a: 'kept', b: 'again', c: 'again' } },
  },
  {
    name: 'a folder, outputs and mentioned variables count as edits',
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
    name: 'a new step before one that has finished is a conflict',
    before: { file: ABC, steps: { a: 'finished', b: 'finished' } },
    now: ci([step('a'), step('new'), step('b'), step('c')]),
    expected: { steps: { a: 'kept', new: 'new', b: 'kept', c: 'run' }, conflicts: ['new'] },
  },
  {
    name: 'a new step after all that has finished runs',
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
    name: 'a failed step that was moved before one that has finished is out of order',
    before: { file: ABC, steps: { a: 'finished', b: 'failed' } },
    now: ci([step('b'), step('a'), step('c')]),
    expected: { steps: { b: 'out of order', a: 'kept', c: 'run' }, conflicts: ['b'] },
  },
  {
    name: 'finished steps may change places',
    before: { file: ABC, steps: { a: 'finished', b: 'finished' } },
    now: ci([step('b'), step('a'), step('c')]),
    expected: { steps: { b: 'kept', a: 'kept', c: 'run' } },
  },
  {
    name: 'a step that somebody has asked for before runs, whatever has finished after it',
    before: { file: ABC, steps: { a: 'wanted', b: 'finished' } },
    expected: { steps: { a: 'run', b: 'kept', c: 'run' } },
  },
  {
    name: 'a failure that was allowed is an end, while it is allowed',
    before: { file: ci([step('a', { allow_failure: true }), step('b')]), steps: { a: 'allowed', b: 'failed' } },
    expected: { steps: { a: 'kept', b: 'run' } },
  },
  {
    name: 'a failure that is not allowed any more runs again',
    before: { file: ci([step('a', { allow_failure: true }), step('b')]), steps: { a: 'allowed', b: 'failed' } },
    now: ci([step('a'), step('b')]),
    expected: { steps: { a: 'run', b: 'run' } },
  },
  {
    name: 'a step in flight is a question',
    before: { file: ABC, steps: { a: 'finished', b: 'killed' } },
    expected: { steps: { a: 'kept', b: 'unknown, killed: ask', c: 'run' }, questions: ['b'] },
  },
  {
    name: 'so is one that ended well after the run was asked to end',
    before: { file: ABC, steps: { a: 'finished', b: 'interrupted' } },
    expected: { steps: { a: 'kept', b: 'unknown, interrupted: ask', c: 'run' }, questions: ['b'] },
  },
  {
    name: 'the question may be answered beforehand',
    before: { file: ABC, steps: { a: 'finished', b: 'killed' } },
    choices: { onCrash: 'fail' },
    expected: { steps: { a: 'kept', b: 'unknown, killed: fail', c: 'run' } },
  },
  {
    name: '--rerun answers it, too',
    before: { file: ABC, steps: { a: 'finished', b: 'killed' } },
    choices: { rerun: ['b'] },
    expected: { steps: { a: 'kept', b: 'again', c: 'run' } },
  },
  {
    name: '--done answers it, too',
    before: { file: ABC, steps: { a: 'finished', b: 'killed' } },
    choices: { done: ['b'] },
    expected: { steps: { a: 'kept', b: 'kept done', c: 'run' } },
  },
  {
    name: '--done takes a step that failed for one that has finished, edited or not',
    before: { file: ABC, steps: { a: 'finished', b: 'failed' } },
    now: AXC,
    choices: { done: ['b'] },
    expected: { steps: { a: 'kept', b: 'kept done edited', c: 'run' } },
  },
  {
    name: '--done is refused for a step that is not in doubt',
    before: { file: ABC, steps: { a: 'finished', b: 'failed' } },
    choices: { done: ['a', 'c'] },
    expected: { steps: { a: 'kept', b: 'run', c: 'run' }, refusals: ['not in doubt a', 'not in doubt c'] },
  },
  {
    name: '--rerun runs one step again and keeps what follows',
    before: { file: ABC, steps: { a: 'finished', b: 'finished', c: 'finished' } },
    choices: { rerun: ['b'] },
    expected: { steps: { a: 'kept', b: 'again', c: 'kept' } },
  },
  {
    name: '--rerun of an edited step is no conflict',
    before: { file: ABC, steps: { a: 'finished', b: 'finished', c: 'finished' } },
    now: AXC,
    choices: { rerun: ['b'] },
    expected: { steps: { a: 'kept', b: 'again', c: 'kept' } },
  },
  {
    name: 'what has finished and is not in the file any more is gone',
    before: { file: ABC, steps: { a: 'finished', b: 'failed' } },
    now: ci([step('b'), step('c')]),
    expected: { steps: { b: 'run', c: 'run' }, gone: ['a: do a'] },
  },
  {
    name: 'a command that became a call of its name is gone',
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
