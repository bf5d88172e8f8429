import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { parseWorkflowFile } from '../../src/frontend/parse.ts';
import { SEED } from '../support/random/random.ts';
import { CHECKER_PARTS } from '../support/plans.ts';

const TEXT = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 6 }),
  fc.constantFrom('true', ' ', '', '\t\n', 'a\0', 'é', '\ud800', 'echo ${steps.a.B}', 'a\nb', '\u007f', 'x'.repeat(99)),
);
const STEP = fc.record(
  { name: TEXT, run: fc.oneof(TEXT, fc.constant(1)), workflow: fc.constant('w') },
  { requiredKeys: [] },
);

/** The first workflow of a file whose first step has these fields, and the errors, without positions. */
function parsed(step: object): unknown {
  const text = JSON.stringify({ workflows: { w: { steps: [step] } } });
  const { file, errors, warnings } = parseWorkflowFile(Buffer.from(text), CHECKER_PARTS);
  const result = { file, errors: errors.items, warnings: warnings.items };
  return JSON.parse(
    JSON.stringify(result, (key, value: unknown) => {
      if (['start', 'end', 'offset'].includes(key)) return undefined;
      return value instanceof Map ? [...value] : value;
    }),
  );
}

test('an ignored additional field does not change a step with a name and a command', () => {
  const seen = { valid: 0, invalid: 0 };
  const property = fc.property(STEP, (step) => {
    const plain = parsed(step);
    // The field prevents the fast path of the checks.
    assert.deepEqual(plain, parsed({ ...step, 'x-note': 1 }));
    seen[JSON.stringify(plain).includes('"errors":[]') ? 'valid' : 'invalid'] += 1;
  });
  fc.assert(property, { numRuns: 2000, seed: SEED });
  for (const [kind, count] of Object.entries(seen)) assert.ok(count > 20, `${count} ${kind}`);
});
