import type { Owner, SourceRange } from '../frontend/diagnostics/diagnostic.ts';
import type { StepReference } from '../frontend/references/step_references.ts';
import type { RunStep, Step, SourceText, Variables, WorkflowFile } from '../frontend/ast.ts';
import { at, type Call, type Frame, type HookOp, type Op, type OutputRead, type RunOp } from './plan.ts';
import type { Plan, ScopedVariable, Test, Variable } from './plan.ts';
import { countOperations, OPERATION_LIMIT, workflowOf } from './plan_size.ts';

/** A plan; or how many operations it would hold, over the limit; or the references that lead nowhere in it. */
export type CompileResult = Readonly<
  | { kind: 'plan'; plan: Plan }
  | { kind: 'too large'; operations: bigint }
  | { kind: 'unresolved'; unresolved: readonly UnresolvedReference[] }
>;

/**
 * A reference in a field to an output `key` of a step that the run does not come to before; `outputs` are those of the
 * last step of that name, undefined where there is none among `steps`.
 */
export type UnresolvedReference = Readonly<{ owner: Owner; range: SourceRange; field: string; reference: string }> & {
  readonly step: string;
  readonly key: string;
  readonly steps: ReadonlyMap<string, unknown>;
  readonly outputs: ReadonlySet<string> | undefined;
};

/** A workflow being gone through; `guard` is the condition op that skips to where its call ends. */
type Visit = Readonly<{ call: number; frame: number; dir: string | null; steps: readonly Step[]; guard: number }> & {
  /** How many of the steps were done. */
  done: number;
};

const NO_GUARD = -1;
const NO_READS: readonly OutputRead[] = [];

/**
 * Flattens a workflow and all that it calls into one plan.
 *
 * The file must have been checked: every call leads to a workflow, none in a circle.
 */
export function compile(file: WorkflowFile, workflow: string, params: readonly Variable[]): CompileResult {
  const operations = countOperations(file)(workflow);
  if (operations > OPERATION_LIMIT) return { kind: 'too large', operations };

  const frames: Frame[] = [];
  const ops: Op[] = [];
  /** The last op of each name so far; most files never ask for it. */
  let last: Map<string, number> | undefined;
  /** The names of outputs that were asked for: the times that a step is gone through share them. */
  const given = new Map<RunOp['outputs'], ReadonlySet<string>>();
  const namesOf = (outputs: RunOp['outputs']): ReadonlySet<string> => {
    const names = given.get(outputs) ?? new Set(outputs.map(([name]) => name));
    given.set(outputs, names);
    return names;
  };
  /** Each once of a text: what stands in a workflow that is called twice is met twice. */
  const unresolved = new Map<string, UnresolvedReference>();
  const resolve = (text: SourceText, owner: Owner, field: string): readonly OutputRead[] => {
    if (text.references.length === 0) return NO_READS;
    const known = (last ??= new Map(ops.flatMap((op, index) => (op.kind === 'run' ? [[op.name, index]] : []))));
    return text.references.flatMap((reference) => {
      const { start, end, quotes, key: output } = reference;
      const from = known.get(reference.step);
      const op = from === undefined ? undefined : ops[from];
      const outputs = op?.kind === 'run' ? namesOf(op.outputs) : undefined;
      if (from !== undefined && outputs?.has(output) === true) return { start, end, quotes, from, output };
      const { step } = reference;
      const found = { field, reference: written(reference), step, key: output, steps: known, outputs };
      unresolved.set(`${text.range.start} ${found.reference}`, { owner, range: text.range, ...found });
      return [];
    });
  };
  const addFrame = (source: string, parent: number | null, vars: Variables, owner: Owner): number => {
    const own = [...vars].map(([name, value]): ScopedVariable => {
      const reads = resolve(value, owner, `with.${name}`);
      return reads.length === 0 ? [name, value.text] : [name, value.text, reads];
    });
    return frames.push({ source, parent, vars: own }) - 1;
  };
  /** Scopes that set nothing are left out. */
  const addInner = (source: string, parent: number, vars: Variables, owner: Owner): number =>
    vars.size === 0 ? parent : addFrame(source, parent, vars, owner);
  const addHook = (hook: HookOp['hook'], when: HookOp['when'], given?: SourceText): void => {
    if (given === undefined) return;
    const reads = resolve(given, FILE, hook);
    ops.push({ kind: 'hook', hook, when, frame: root, command: given.text, reads, offset: given.range.start });
  };
  /** Makes a condition skip to the op that comes next. */
  const close = (guard: number): void => {
    const condition = ops[guard];
    if (condition?.kind === 'condition') ops[guard] = { ...condition, target: ops.length };
  };

  const { env, steps, dir: outermost = null } = workflowOf(file, workflow);
  const root = addFrame(`env of ${workflow}`, addFrame('global env', null, file.env, FILE), env, { workflow });
  addHook('before_all', 'start', file.beforeAll);
  const calls: Call[] = [{ workflow, from: null, start: ops.length }];
  const visits: Visit[] = [{ call: 0, frame: root, dir: outermost, steps, guard: NO_GUARD, done: 0 }];
  for (let visit = visits.at(-1); visit !== undefined; visit = visits.at(-1)) {
    const step = visit.steps[visit.done];
    if (step === undefined) {
      close(visit.guard);
      visits.pop();
      continue;
    }
    visit.done += 1;
    const place = { call: visit.call, step: visit.done };
    const whence = { workflow: at(calls, visit.call).workflow, step: visit.done };
    const { condition, offset } = step;
    const source = `with of ${whence.workflow} step ${visit.done}`;
    /** Where a condition is tested and a command runs. A call runs inside the called `env`. */
    const near =
      step.kind === 'run' || condition !== undefined ? addInner(source, visit.frame, step.with, whence) : visit.frame;
    const dir = step.dir ?? visit.dir;
    const guard = condition === undefined ? NO_GUARD : ops.length;
    if (condition !== undefined) {
      const test = testOf(condition.text, resolve(condition, whence, 'if'));
      ops.push({ kind: 'condition', test, target: -1, frame: near, dir, offset, ...place });
    }
    if (step.kind === 'run') {
      const reads = resolve(step.command, whence, 'run');
      last?.set(step.name, ops.length);
      ops.push(runOp(step, reads, near, dir, place));
      close(guard);
      continue;
    }
    const called = workflowOf(file, step.workflow);
    const outer = addInner(`env of ${step.workflow}`, visit.frame, called.env, whence);
    // Where the called workflow sets nothing, the frame of the condition is already the right one.
    const isSame = condition !== undefined && outer === visit.frame;
    const frame = isSame ? near : addInner(source, outer, step.with, whence);
    const call = calls.push({ workflow: step.workflow, from: { ...place, name: step.name }, start: ops.length }) - 1;
    const inside = step.dir ?? called.dir ?? visit.dir;
    visits.push({ call, frame, dir: inside, steps: called.steps, guard, done: 0 });
  }
  addHook('after_all', 'success', file.afterAll);
  addHook('error', 'failure', file.error);
  addHook('finally', 'always', file.finally);
  if (unresolved.size > 0) return { kind: 'unresolved', unresolved: [...unresolved.values()] };
  return { kind: 'plan', plan: { workflow, params, frames, calls, ops } };
}

const FILE: Owner = { workflow: '' };

function written({ step, key }: StepReference): string {
  return `\${steps.${step}.${key}}`;
}

function runOp(
  { name, command, options, offset }: RunStep,
  reads: readonly OutputRead[],
  frame: number,
  dir: string | null,
  { call, step }: Pick<RunOp, 'call' | 'step'>,
): RunOp {
  const { outputs, retry, timeout, allowFailure } = options;
  const place = { call, step, offset };
  return {
    kind: 'run',
    name,
    command: command.text,
    reads,
    frame,
    dir,
    outputs,
    retry,
    timeout,
    allowFailure,
    ...place,
  };
}

/** A bare name is a variable; `true` and `false` are the commands of that name; so is all else. */
function testOf(condition: string, reads: readonly OutputRead[]): Test {
  const name = condition.trim();
  const isName = /^[A-Za-z_][A-Za-z0-9_]*$/.test(name) && name !== 'true' && name !== 'false';
  return isName ? { kind: 'variable', name } : { kind: 'command', command: condition, reads };
}
