import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Input } from '../../src/frontend/ast.ts';
import { parseWorkflowFile } from '../../src/frontend/parse.ts';
import { compile } from '../../src/ir/compile.ts';
import { link } from '../../src/ir/link.ts';
import type { Plan } from '../../src/ir/plan.ts';
import { MASK, secretNames, type Secrecy } from '../../src/ir/secret_names.ts';
import { planDigest } from '../../src/ir/views/plan_digest.ts';
import { CHECKER_PARTS } from '../support/plans.ts';
import { caseNumbers } from '../support/random/fuzzing.ts';
import { random, SEED } from '../support/random/random.ts';
import { randomFile } from '../support/random/random_file.ts';
import { changedText, fileTexts, ROOT_FILE } from '../support/random/random_file_text.ts';

/** The number of random pairs. A third of them can be compiled. */
const PAIRS = Number(process.env['PAIRS'] ?? 200);

/** The linked plan of the first workflow of a text; undefined if the text is invalid. */
function planIn(text: string): Plan | undefined {
  const parsed = parseWorkflowFile(Buffer.from(text), CHECKER_PARTS);
  const [workflow] = parsed.file?.workflows.keys() ?? [];
  if (parsed.kind !== 'valid' || workflow === undefined) return undefined;
  const result = compile(parsed.file, workflow, [], null);
  if (result.kind !== 'plan') return undefined;
  return link(result.plan, { inherited: {}, dotenv: new Map() }).plan;
}

/** An input, without its values if it is secret. */
function comparableInput(input: Input, isSecret: Secrecy): Input {
  if (!input.secret && !isSecret(input.name)) return input;
  return { ...input, default: input.default === null ? null : MASK, options: input.options.map(() => MASK) };
}

/** The JSON text of a plan without places, descriptions, sources and values of secrets. */
function comparable(plan: Plan): string {
  const left = new Set(['offset', 'description', 'source', 'files', 'dirLookup']);
  const isSecret = secretNames(plan);
  return JSON.stringify(plan, (key, value: unknown) => {
    if (left.has(key)) return undefined;
    if (key === 'inputs' && Array.isArray(value)) return value.map((each: Input) => comparableInput(each, isSecret));
    if (key === 'vars' && Array.isArray(value))
      return value.map(([name, text, reads]) => (isSecret(name) ? name : [name, text, reads]));
    if (key !== 'reads' || !Array.isArray(value)) return value;
    return value.map((read: unknown) => (typeof read === 'object' ? { ...read, start: 0, end: 0 } : read));
  });
}

test('two random files have equal digests if and only if their plans are equal', () => {
  let [equal, different] = [0, 0];
  for (const index of caseNumbers(PAIRS)) {
    const source = random(SEED + index);
    const text = fileTexts(randomFile(source, { references: source.chance(0.5), once: true }), source)[ROOT_FILE] ?? '';
    const [one, other] = [text, changedText(text, source)].map(planIn);
    if (one === undefined || other === undefined) continue;
    const [first, second] = [one, other].map((plan) => planDigest({ plan, written: plan, args: [] }));
    const isEqual = comparable(one) === comparable(other);
    assert.equal(first === second, isEqual, `FUZZ_SEED=${SEED + index}`);
    if (isEqual) equal += 1;
    else different += 1;
  }
  assert.ok(equal > 5 && different > 5, `${equal} equal, ${different} different`);
});
