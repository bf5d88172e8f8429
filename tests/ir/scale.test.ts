import assert from 'node:assert/strict';
import { describe, test, type TestContext } from 'node:test';
import { isDeepStrictEqual } from 'node:util';
import { disassemble } from '../../src/ir/views/disassembly.ts';
import { workflowDirectory } from '../support/cli.ts';
import { caseOf, casesOf } from '../support/goldens/goldens.ts';
import { inProcess } from '../support/in_process.ts';
import { planOf } from '../support/plans.ts';
import { workflow } from '../support/workflow.ts';
import { assertCpuTime } from '../support/cpu_time.ts';

test('where every workflow calls every other, one shortest cycle is reported', async (t) => {
  const names = Array.from({ length: 60 }, (_, n) => `w${n}`);
  const others = (own: string): object[] => names.filter((name) => name !== own).map((name) => ({ workflow: name }));
  const workflows = Object.fromEntries(names.map((name) => [name, { steps: others(name) }]));
  const { document } = await workflow(t, { workflows }, ['validate']);
  const errors = [{ workflow: 'w0', message: 'circular dependency detected: w0 -> w1 -> w0' }];
  assert.deepEqual(document, { valid: false, errors });
});

/** A file with this many errors, of which the last ones are of two kinds and near the root of the tree. */
function broken(count: number): string {
  const steps = Array.from({ length: count - 2 }, () => '1').join(',\n');
  return `{"workflows": {"ci": {"steps": [\n${steps}\n], "extra": 1}}, "extra": 2}`;
}

/** Standard error of `validate` for such a file, and the errors in its document. */
async function refused(t: TestContext, count: number): Promise<{ lines: string[]; errors: unknown[] }> {
  const cwd = workflowDirectory(t, broken(count));
  const { stdout, stderr } = await inProcess(t, ['workflow', 'validate'], { cwd });
  const document: unknown = JSON.parse(stdout);
  assert.ok(typeof document === 'object' && document !== null && 'errors' in document);
  assert.ok(Array.isArray(document.errors));
  return { lines: stderr.trimEnd().split('\n'), errors: document.errors };
}

const wrongStep = (_: unknown, index: number): object => ({
  workflow: 'ci',
  message: `step ${index + 1}: must be a command (a string) or an object, found a number`,
});

test('all of 1,000 errors are reported', async (t) => {
  const { lines, errors } = await refused(t, 1000);
  assert.equal(errors.length, 1000);
  assert.equal(lines.filter((line) => line.includes(': error: ')).length, 1000);
  assert.equal(lines.length, 3000);
});

test('the first 1,000 errors in file order are reported', async (t) => {
  const { errors } = await refused(t, 1234);
  const steps = Array.from({ length: 1000 }, wrongStep);
  const strays = errors.slice(0, 1000).filter((error, index) => !isDeepStrictEqual(error, steps[index]));
  assert.deepEqual(strays, []);
});

for (const [count, more] of [
  [1001, 'and 1 more error'],
  [1234, 'and 234 more errors'],
] as const) {
  test(`for ${count} errors the last line is "${more}", in the document and on standard error`, async (t) => {
    const { lines, errors } = await refused(t, count);
    assert.deepEqual(errors.slice(1000), [{ workflow: '', message: more }]);
    assert.deepEqual(lines.slice(3000), [more]);
  });
}

describe('plans in JSON', () => {
  for (const name of casesOf('plans')) {
    test(`the plan of ${name.replaceAll('-', ' ')} survives a round trip through JSON`, async () => {
      const plan = await planOf(caseOf('plans', name));
      const copy: unknown = JSON.parse(JSON.stringify(plan));
      assert.deepEqual(copy, plan);
      assert.notEqual([...disassemble(plan)].length, 0);
    });
  }
});

test('a workflow with thousands of callers is counted once: 5,000 callers of 20,000 steps', async (t) => {
  const workflows: Record<string, object> = { h: { steps: Array.from({ length: 20_000 }, () => 'true') } };
  for (let n = 0; n < 5000; n += 1) workflows[`a${n}`] = { steps: [{ workflow: 'h' }, { workflow: `a${n + 1}` }] };
  workflows['a5000'] = { steps: [] };
  const { code, stderr } = await assertCpuTime(20, () => workflow(t, { workflows }, ['run', 'a0', '--dry-run']));
  const sentence = 'calls expand to 100010000 operations; the limit is 100000';
  assert.deepEqual([code, stderr], [2, `cli: workflow 'a0': ${sentence}\n`]);
});
