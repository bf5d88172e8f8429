import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { parseWorkflowFile, readWorkflowFile } from '../../src/frontend/parse.ts';
import { bareWords, mayExpect, mayMention, mayUse, shellVariables } from '../../src/frontend/lint/shell_variables.ts';
import { CHECKER_PARTS } from '../support/plans.ts';
import { SEED } from '../support/random/random.ts';

/** Fragments of commands that the rules about variables distinguish. */
const PIECES =
  "A|BC|$A|${A}|${BC|}|:-|=|$|{|\"|'|$'|\\|#|!|[ | ]|[[ |test |case |te|st | |\n|;|<<E\n|${steps.a.A}|1|_|`|$(|)|read ";
const COMMAND = fc.array(fc.constantFrom(...PIECES.split('|')), { maxLength: 12 }).map((pieces) => pieces.join(''));

test('the fast pre-checks for undefined variables have no false negatives', () => {
  const seen = { used: 0, expected: 0, mentioned: 0, passedOver: 0 };
  const property = fc.property(COMMAND, (command) => {
    const { read, expected } = shellVariables(command);
    for (const name of new Set([...read, ...expected])) {
      seen.used += 1;
      assert.ok(mayUse(command, (other) => other === name));
    }
    seen.expected += expected.size;
    assert.ok(expected.size === 0 || mayExpect(command));
    for (const word of bareWords(command)) {
      seen.mentioned += 1;
      assert.ok(mayMention([word])(command));
    }
    if (!mayUse(command, (name) => name === 'A')) seen.passedOver += 1;
  });
  fc.assert(property, { numRuns: 20_000, seed: SEED });
  for (const [kind, count] of Object.entries(seen)) assert.ok(count > 1000, `${count} ${kind}`);
});

for (const field of ['"matrix":{"A":["a"]}', '"m\\u0061trix":{"A":["a"]}', '"\\u006datrix":{}', '"matrix":{}']) {
  test(`the parts of the checker that a step with ${field} needs are loaded`, async () => {
    const bytes = Buffer.from(`{"workflows":{"w":{"steps":[{"run":"true",${field}}]}}}`);
    const [read, expected] = [await readWorkflowFile(bytes), parseWorkflowFile(bytes, CHECKER_PARTS)];
    assert.deepEqual([read.file, read.errors], [expected.file, expected.errors]);
    const [step] = read.file?.workflows.get('w')?.steps ?? [];
    assert.equal(step === undefined, read.errors.items.length > 0);
    assert.notEqual(step?.matrix, null);
  });
}
