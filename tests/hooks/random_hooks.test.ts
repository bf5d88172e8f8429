import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { call } from '../support/workflow.ts';
import { fuzzing } from '../support/random/fuzzing.ts';
import { record, type Fate } from '../support/random/recording_port.ts';

const SIGINT = { signal: 'SIGINT', forced: false } as const;

/** A workflow of a random file. Hooks are exit codes, null for none. A group has a workflow for each member. */
type Shape = Readonly<{ steps: readonly StepShape[]; error: number | null; finally: number | null }>;
type StepShape = Readonly<
  | { kind: 'command'; code: number; allowed: boolean; signal: boolean }
  | { kind: 'call'; holds: boolean; inner: Shape }
  | { kind: 'group'; members: readonly Shape[] }
>;

const code = fc.constantFrom(0, 0, 0, 0, 1);
const hookCode = fc.constantFrom(null, 0, 0, 1);

function shapes(depth: number, isInGroup = false): fc.Arbitrary<Shape> {
  const signal = isInGroup ? fc.constant(false) : fc.constantFrom(...Array.from({ length: 15 }, () => false), true);
  const command = fc.record({ kind: fc.constant('command' as const), code, allowed: fc.boolean(), signal });
  const callStep = (): fc.Arbitrary<StepShape> =>
    fc.record({ kind: fc.constant('call' as const), holds: fc.boolean(), inner: shapes(depth - 1, isInGroup) });
  const group = (): fc.Arbitrary<StepShape> =>
    fc.record({ kind: fc.constant('group' as const), members: fc.array(shapes(depth - 1, true), { maxLength: 3 }) });
  const step: fc.Arbitrary<StepShape> = depth === 0 ? command : fc.oneof(command, command, callStep(), group());
  return fc.record({ steps: fc.array(step, { maxLength: 3 }), error: hookCode, finally: hookCode });
}

/** Adds a workflow and the workflows that it calls to the workflows of a file. */
function addWorkflow(workflows: Record<string, object>, name: string, shape: Shape): void {
  const steps = shape.steps.map((step, index): object => {
    const id = `${name}.${index}`;
    if (step.kind === 'command') return { run: `${id} ${step.code}`, allow_failure: step.allowed };
    const inner = step.kind === 'call' ? [step.inner] : step.members;
    const calls = inner.map((each, member) => {
      addWorkflow(workflows, `${id}.${member}`, each);
      return call(`${id}.${member}`);
    });
    return step.kind === 'group' ? { parallel: calls } : { ...calls[0], if: step.holds ? 'BASE' : 'UNSET' };
  });
  const hooks = { error: shape.error, finally: shape.finally };
  const own = Object.entries(hooks).map(([hook, exit]) => [hook, exit === null ? '' : `${name} ${hook} ${exit}`]);
  workflows[name] = { ...Object.fromEntries(own), steps };
}

/** The commands of a workflow that begins in a run that has not failed, in order, and whether it fails. */
function model(name: string, shape: Shape): Readonly<{ ran: readonly string[]; failed: boolean }> {
  const ran: string[] = [];
  let failed = false;
  const run = (text: string, exit: number): void => {
    ran.push(`${text} ${exit}`);
    failed ||= exit !== 0;
  };
  for (const [index, step] of shape.steps.entries()) {
    const id = `${name}.${index}`;
    if (failed || (step.kind === 'call' && !step.holds)) continue;
    if (step.kind === 'command') {
      ran.push(`${id} ${step.code}`);
      failed = step.signal || (step.code !== 0 && !step.allowed);
      continue;
    }
    const members = (step.kind === 'call' ? [step.inner] : step.members).map((each, member) =>
      model(`${id}.${member}`, each),
    );
    ran.push(...members.flatMap((member) => member.ran));
    failed = members.some((member) => member.failed);
  }
  if (failed && shape.error !== null) run(`${name} error`, shape.error);
  if (shape.finally !== null) run(`${name} finally`, shape.finally);
  return { ran, failed };
}

/** The commands at which a signal arrives. */
function signalled(name: string, { steps }: Shape): readonly string[] {
  return steps.flatMap((step, index) => {
    const id = `${name}.${index}`;
    if (step.kind === 'command') return step.signal ? [`${id} ${step.code}`] : [];
    const inner = step.kind === 'call' ? [step.inner] : step.members;
    return inner.flatMap((each, member) => signalled(`${id}.${member}`, each));
  });
}

test('random workflows run their hooks as a small model predicts', async () => {
  const property = fc.asyncProperty(shapes(3), async (shape) => {
    const workflows: Record<string, object> = {};
    addWorkflow(workflows, 'ci', shape);
    const signals = signalled('ci', shape);
    const fateOf = (text: string): Fate => {
      const exit = Number(text.split(' ').at(-1));
      return signals.includes(text) ? { code: exit, interruption: SIGINT } : exit;
    };
    const expected = model('ci', shape);
    const fates = Object.fromEntries(expected.ran.map((text) => [text, fateOf(text)]));
    const { ran, outcome } = await record({ workflows }, fates);
    // The members of a group run at the same time.
    const isExact = !JSON.stringify(shape).includes('"group"');
    assert.deepEqual(isExact ? ran : ran.toSorted(), isExact ? expected.ran : expected.ran.toSorted());
    assert.equal(outcome.success, !expected.failed);
    const hooks = outcome.hooks.map(({ op }) => op.command);
    assert.deepEqual(
      hooks,
      expected.ran.filter((text) => hooks.includes(text)),
    );
  });
  await fc.assert(property, fuzzing(250));
});
