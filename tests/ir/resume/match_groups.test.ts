/* Unnamed groups of an edited file, which their members identify. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { resumed, type Row } from '../../support/runs/history.ts';
import { ci, namedStep as step } from '../../support/workflow.ts';

const ROWS: readonly Row[] = [
  {
    name: 'unnamed groups are recognised by their members',
    before: {
      file: ci([{ parallel: ['x', 'y'] }, { parallel: ['x', 'z'] }]),
      steps: {
        'step_1/step_1.1': 'finished',
        'step_1/step_1.2': 'finished',
        'step_2/step_2.1': 'finished',
        'step_2/step_2.2': 'finished',
      },
    },
    now: ci([{ parallel: ['v', 'x'] }, { parallel: ['x', 'z'] }, { parallel: ['x', 'y'] }]),
    expected: {
      steps: {
        'step_1/step_1.1': 'new',
        'step_1/step_1.2': 'new',
        'step_2/step_2.1': 'kept',
        'step_2/step_2.2': 'kept',
        'step_3/step_3.1': 'kept',
        'step_3/step_3.2': 'kept',
      },
      conflicts: ['step_1/step_1.1', 'step_1/step_1.2'],
    },
  },
  {
    name: 'of several groups with some of the members, the group has most in common',
    before: {
      file: ci([{ parallel: ['x', 'y', 'z'] }, step('c')]),
      steps: { 'step_1/step_1.1': 'finished', 'step_1/step_1.2': 'finished', 'step_1/step_1.3': 'failed' },
    },
    now: ci([{ parallel: ['x', 'v'] }, { parallel: ['x', 'y', 'w'] }, step('c')]),
    expected: {
      steps: {
        'step_1/step_1.1': 'new',
        'step_1/step_1.2': 'new',
        'step_2/step_2.1': 'kept',
        'step_2/step_2.2': 'kept',
        'step_2/step_2.3': 'run',
        c: 'run',
      },
      conflicts: ['step_1/step_1.1', 'step_1/step_1.2'],
    },
  },
  {
    name: 'an unnamed group of edited members is recognised by its number',
    before: {
      file: ci([{ parallel: ['x', 'y'] }, step('c')]),
      steps: { 'step_1/step_1.1': 'finished', 'step_1/step_1.2': 'failed' },
    },
    now: ci([{ parallel: ['x2', 'y2'] }, step('c')]),
    expected: {
      steps: { 'step_1/step_1.1': 'changed: command', 'step_1/step_1.2': 'run', c: 'run' },
      conflicts: ['step_1/step_1.1'],
    },
  },
];

for (const { name, before, now, choices, expected } of ROWS) {
  test(name, () => assert.deepEqual(resumed(before, now ?? before.file, choices), expected));
}
