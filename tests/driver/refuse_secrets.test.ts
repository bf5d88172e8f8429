import assert from 'node:assert/strict';
import { test } from 'node:test';
import { secretProblems } from '../../src/driver/remote/refuse_secrets.ts';
import { compiled } from '../support/plans.ts';

/** The problems of a plan in which a secret and another input have this default. */
function problemsOf(value: string): readonly string[] {
  const inputs = { PIN: { secret: true, default: value }, PLACE: { default: value } };
  return secretProblems(compiled(JSON.stringify({ workflows: { w: { inputs, steps: ['true'] } } }), 'w'));
}

test('a plan for a database has no default of a secret input, unless the default is a reference', () => {
  assert.deepEqual(problemsOf('1234'), [
    "'PIN' looks like a secret and would be stored in the database; set it in the worker's environment",
  ]);
  assert.deepEqual(problemsOf('${vars.WORKER_PIN}'), []);
  assert.deepEqual(problemsOf(''), []);
});
