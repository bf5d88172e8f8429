/* Copies of a step with a matrix in an edited file. Those for secret values are told apart by their positions. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { resumed, type Row } from '../../support/runs/history.ts';
import { ci, namedStep as step } from '../../support/workflow.ts';

/** A step with a copy for each of these values, and a step after it. */
const secret = (...values: readonly string[]): object => ci([step('a', { matrix: { API_TOKEN: values } }), step('z')]);

const pairs = (systems: readonly string[], tokens: readonly string[]): object =>
  ci([step('a', { matrix: { OS: systems, API_TOKEN: tokens } }), step('z')]);

/** A call with a copy for each of these values. */
const called = (...values: readonly string[]): object => ({
  workflows: {
    ci: { steps: [{ workflow: 'w', matrix: { API_TOKEN: values } }, step('z')] },
    w: { steps: [step('a')] },
  },
});

const ROWS: readonly Row[] = [
  {
    name: 'an unchanged number of secret values, in any order, keeps the finished copies',
    before: { file: secret('x', 'y'), steps: { 'a (#1)': 'finished', 'a (#2)': 'finished', z: 'failed' } },
    now: secret('y', 'x'),
    expected: { steps: { 'a (#1)': 'kept', 'a (#2)': 'kept', z: 'run' } },
  },
  {
    name: 'another number of secret values makes every finished copy a conflict',
    before: { file: secret('x', 'y', 'z'), steps: { 'a (#1)': 'finished', 'a (#2)': 'finished', 'a (#3)': 'failed' } },
    now: secret('y', 'z'),
    expected: {
      steps: { 'a (#1)': 'changed: copies', 'a (#2)': 'changed: copies', z: 'run' },
      conflicts: ['a (#1)', 'a (#2)'],
    },
  },
  {
    name: 'another number of secret values makes the finished steps of copied calls conflicts',
    before: { file: called('x', 'y'), steps: { 'w (#1)/a': 'finished', 'w (#2)/a': 'failed' } },
    now: called('w', 'x', 'y'),
    expected: {
      steps: { 'w (#1)/a': 'changed: copies', 'w (#2)/a': 'run', 'w (#3)/a': 'run', z: 'run' },
      conflicts: ['w (#1)/a'],
    },
  },
  {
    name: 'the only finished copy is not taken for the only one left',
    before: { file: secret('x', 'y'), steps: { 'a (#2)': 'finished' } },
    now: secret('x'),
    expected: { steps: { 'a (#1)': 'moved: a (#2)', z: 'run' }, conflicts: ['a (#1)'] },
  },
  {
    name: 'other values of the matrix do not count',
    before: { file: pairs(['linux'], ['x', 'y']), steps: { 'a (linux, #1)': 'finished', 'a (linux, #2)': 'finished' } },
    now: pairs(['"mac, #9"', 'linux'], ['x', 'y']),
    choices: { changed: 'keep' },
    expected: {
      steps: {
        'a ("\\"mac, #9\\"", #1)': 'run',
        'a ("\\"mac, #9\\"", #2)': 'run',
        'a (linux, #1)': 'kept',
        'a (linux, #2)': 'kept',
        z: 'run',
      },
    },
  },
  {
    name: 'a removed public value leaves the copies of the others',
    before: { file: pairs(['linux', 'mac'], ['x']), steps: { 'a (linux, #1)': 'finished', 'a (mac, #1)': 'finished' } },
    now: pairs(['mac'], ['x']),
    expected: { steps: { 'a (mac, #1)': 'kept', z: 'run' } },
  },
];

for (const { name, before, now, choices, expected } of ROWS) {
  test(name, () => assert.deepEqual(resumed(before, now ?? before.file, choices), expected));
}
