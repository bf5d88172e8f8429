/* Steps that an edit has moved to another place in the plan: into a group, out of one, or to another call. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { finishedWith, resumed, type Row } from '../../support/runs/history.ts';
import { ci, namedStep as step } from '../../support/workflow.ts';

const PLAIN = ci([step('a'), 'x', step('c')]);
const DONE = { a: 'finished', step_2: 'finished', c: 'failed' } as const;

/** A file with the workflow `w`, and the steps of `ci`. */
function withCallee(steps: readonly unknown[], callee: readonly unknown[], more: object = {}): object {
  return { ...more, workflows: { ci: { steps }, w: { steps: callee } } };
}

/** The finished step is `a` of the workflow `w`. */
const CALLED = {
  file: withCallee([{ workflow: 'w' }, step('z')], [step('a'), step('b')]),
  steps: { 'w/a': 'finished' },
} as const;

const ROWS: readonly Row[] = [
  {
    name: 'a finished step that was moved into a called workflow and edited is listed as gone',
    before: { file: ci([step('a'), step('c')]), steps: { a: 'finished', c: 'failed' } },
    now: withCallee([{ workflow: 'w' }, step('c')], [step('a', { run: 'edited' })]),
    expected: { steps: { 'w/a': 'run', c: 'run' }, gone: ['a: do a'] },
  },
  {
    name: 'finished steps are kept when they are moved into a group',
    before: { file: PLAIN, steps: DONE },
    now: ci([{ parallel: [step('a'), 'x'] }, step('c')]),
    expected: { steps: { 'step_1/a': 'kept, moved', 'step_1/step_1.2': 'kept, moved', c: 'run' } },
  },
  {
    name: 'finished steps are kept when they are moved out of a group',
    before: {
      file: ci([{ name: 'g', parallel: [step('a'), 'x'] }, step('c')]),
      steps: { 'g/a': 'finished', 'g/step_1.2': 'finished', c: 'failed' },
    },
    now: PLAIN,
    expected: { steps: { a: 'kept, moved', step_2: 'kept, moved', c: 'run' } },
  },
  {
    name: 'finished steps are kept when they are moved into a called workflow',
    before: { file: PLAIN, steps: DONE },
    now: withCallee([{ workflow: 'w' }, step('c')], [step('a'), 'x']),
    expected: { steps: { 'w/a': 'kept, moved', 'w/step_2': 'kept, moved', c: 'run' } },
  },
  {
    name: 'finished steps are kept when they are moved out of a called workflow',
    before: {
      file: withCallee([{ workflow: 'w' }, step('c')], [step('a'), 'x']),
      steps: { 'w/a': 'finished', 'w/step_2': 'finished' },
    },
    now: PLAIN,
    expected: { steps: { a: 'kept, moved', step_2: 'kept, moved', c: 'run' } },
  },
  {
    name: 'finished steps are kept when they are moved to another parent',
    before: {
      file: ci([
        { name: 'g', parallel: [step('a'), step('b')] },
        { name: 'h', parallel: [step('c'), step('d')] },
      ]),
      steps: { 'g/a': 'finished', 'g/b': 'finished', 'h/c': 'finished', 'h/d': 'failed' },
    },
    now: ci([
      { name: 'g', parallel: [step('b'), step('c')] },
      { name: 'h', parallel: [step('a'), step('d')] },
    ]),
    expected: { steps: { 'g/b': 'kept', 'g/c': 'kept, moved', 'h/a': 'kept, moved', 'h/d': 'run' } },
  },
  {
    name: 'a repeated command is the same step wherever it is repeated',
    before: { file: ci(['x', 'x', step('c')]), steps: { step_1: 'finished', step_2: 'finished', c: 'failed' } },
    now: ci(['x', { parallel: ['x', step('b')] }, step('c')]),
    expected: { steps: { step_1: 'kept', 'step_2/step_2.1': 'kept, moved', 'step_2/b': 'run', c: 'run' } },
  },
  {
    name: 'a moved step whose end is unknown requires a decision',
    before: { file: PLAIN, steps: { a: 'killed' } },
    now: ci([{ parallel: [step('a'), 'x'] }, step('c')]),
    expected: {
      steps: { 'step_1/a': 'unknown, killed: ask', 'step_1/step_1.2': 'run', c: 'run' },
      questions: ['step_1/a'],
    },
  },
  {
    name: 'a moved step that failed runs',
    before: { file: PLAIN, steps: { a: 'failed' } },
    now: ci([{ parallel: [step('a'), 'x'] }, step('c')]),
    expected: { steps: { 'step_1/a': 'run', 'step_1/step_1.2': 'run', c: 'run' } },
  },
  {
    name: 'a conflict: several steps may be the finished one',
    before: CALLED,
    now: withCallee(
      [
        { name: 'p', workflow: 'w' },
        { name: 'q', workflow: 'w' },
      ],
      [step('a')],
    ),
    expected: { steps: { 'p/a': 'moved: a', 'q/a': 'moved: a' }, conflicts: ['p/a', 'q/a'] },
  },
  {
    name: 'a conflict: a step may be one of several finished ones',
    before: {
      file: withCallee([{ workflow: 'w' }, { workflow: 'w' }, step('z')], [step('a')]),
      steps: { 'w/a': 'finished', '2.w/a': 'finished' },
    },
    now: ci([step('a'), step('z')]),
    expected: { steps: { a: 'moved: a', z: 'run' }, conflicts: ['a'] },
  },
  {
    name: 'a conflict: the same print under another segment',
    before: CALLED,
    now: ci([{ name: 'other', run: 'do a' }, step('z')]),
    expected: { steps: { other: 'moved: a', z: 'run' }, conflicts: ['other'] },
  },
  {
    name: 'a conflict: a named step with another print in the same workflow definition',
    before: { file: PLAIN, steps: { a: 'finished' } },
    now: ci([{ parallel: [step('a', { run: 'edited' }), step('b')] }, step('c')]),
    expected: { steps: { 'step_1/a': 'moved: a', 'step_1/b': 'run', c: 'run' }, conflicts: ['step_1/a'] },
  },
  {
    name: 'the definition of a called workflow stays the same when its call is renamed and moved',
    before: CALLED,
    now: withCallee(
      [{ parallel: [{ name: 'p', workflow: 'w' }, step('z')] }],
      [step('a', { run: 'edited' }), step('b')],
    ),
    expected: {
      steps: { 'step_1/p/a': 'moved: a', 'step_1/p/b': 'run', 'step_1/z': 'run' },
      conflicts: ['step_1/p/a'],
    },
  },
  {
    name: 'no conflict: a named step with another print in another workflow definition',
    before: CALLED,
    now: ci([step('a', { run: 'unrelated' }), step('z')]),
    expected: { steps: { a: 'run', z: 'run' }, gone: ['a: do a'] },
  },
  {
    name: 'a conflict: the same command, of which a variable has another value elsewhere',
    before: {
      file: withCallee([{ workflow: 'w', with: { V: '1' } }, step('z')], ['use $V']),
      steps: { 'w/step_1': 'finished' },
    },
    now: ci([{ run: 'use $V', with: { V: '2' } }, step('z')]),
    expected: { steps: { step_1: 'moved: step_1', z: 'run' }, conflicts: ['step_1'] },
  },
  {
    name: 'with --changed keep, the candidates run',
    before: CALLED,
    now: ci([{ name: 'other', run: 'do a' }, step('z')]),
    choices: { changed: 'keep' },
    expected: { steps: { other: 'again', z: 'run' } },
  },
  {
    name: 'with --changed rerun, the candidates and all steps after them run again',
    before: { file: CALLED.file, steps: { 'w/a': 'finished', z: 'finished' } },
    now: ci([{ name: 'other', run: 'do a' }, step('z')]),
    choices: { changed: 'rerun' },
    expected: { steps: { other: 'again', z: 'again' } },
  },
  {
    name: '--rerun and --done decide about a candidate each',
    before: CALLED,
    now: withCallee(
      [
        { name: 'p', workflow: 'w' },
        { name: 'q', workflow: 'w' },
      ],
      [step('a')],
    ),
    choices: { done: ['p/a'], rerun: ['q/a'] },
    expected: { steps: { 'p/a': 'kept done', 'q/a': 'again' } },
  },
  {
    name: 'a candidate outside of the selected part causes no conflict',
    before: CALLED,
    now: ci([{ name: 'other', run: 'do a' }, step('z')]),
    choices: { selected: { start: 1, end: 2, again: false } },
    expected: { steps: { other: 'not selected', z: 'run' } },
  },
  {
    name: 'a finished step is gone only if no step has its name or its print',
    before: {
      file: withCallee([{ workflow: 'w' }, { workflow: 'w' }, step('b')], [step('a')]),
      steps: { 'w/a': 'finished', '2.w/a': 'finished', b: 'finished' },
    },
    now: withCallee([{ workflow: 'w' }, step('c')], [step('a')]),
    expected: { steps: { 'w/a': 'kept', c: 'run' }, gone: ['b: do b'] },
  },
  {
    name: 'the outputs of a moved step can be read',
    before: {
      file: ci([step('a', { outputs: { X: '$.x' } }), step('b')]),
      steps: { a: finishedWith(['X', '1']), b: 'failed' },
    },
    now: ci([{ parallel: [step('a', { outputs: { X: '$.x' } })] }, step('b', { run: 'use "${steps.a.X}"' })]),
    expected: { steps: { 'step_1/a': 'kept, moved', b: 'run' } },
  },
];

for (const { name, before, now, choices, expected } of ROWS) {
  test(name, () => assert.deepEqual(resumed(before, now ?? before.file, choices), expected));
}
