import assert from 'node:assert/strict';
import { test } from 'node:test';
import { secretProblems } from '../../src/cli/engine/refuse_secrets.ts';
import { compiled } from '../support/plans.ts';

/** The problems of a plan in which a secret and another input have this default. */
function problemsOf(value: string): readonly string[] {
  const inputs = { PIN: { secret: true, default: value }, PLACE: { default: value } };
  return secretProblems(compiled(JSON.stringify({ workflows: { w: { inputs, steps: ['true'] } } }), 'w'));
}

const REFUSED = (name: string): string =>
  `'${name}' looks like a secret and would be stored in the database; set it in the worker's environment`;

test('a plan for a database has no default of a secret input', () => {
  assert.deepEqual(problemsOf('1234'), [REFUSED('PIN')]);
  // Defaults are not expanded.
  assert.deepEqual(problemsOf('${vars.WORKER_PIN}'), [REFUSED('PIN')]);
  assert.deepEqual(problemsOf(''), []);
});

test('a plan for a database has no options of a secret input', () => {
  const fields = { type: 'choice', options: ['1234', '5678'] };
  const inputs = { PIN: { secret: true, ...fields }, PLACE: fields };
  const text = JSON.stringify({ workflows: { w: { inputs, steps: ['true'] } } });
  assert.deepEqual(secretProblems(compiled(text, 'w')), [REFUSED('PIN')]);
});

test('a plan for a database has no secret value that only looks like a reference', () => {
  const file = {
    env: { API_TOKEN: 'pa$$word', MY_TOKEN: '${vars.WORKER_TOKEN}' },
    workflows: { w: { steps: ['true'] } },
  };
  const plan = compiled(JSON.stringify(file), 'w', [['A_PASSWORD', 'pa$$word']]);
  assert.deepEqual(secretProblems(plan), ['A_PASSWORD', 'API_TOKEN'].map(REFUSED));
});
