import type { Step, Variables, WorkflowFile } from '../frontend/workflow_file.ts';
import { workflowOf } from './lookup.ts';
import { at, type Call, type ConditionOp, type Frame, type HookOp } from './plan.ts';
import type { Op, Plan, Test, Variable } from './plan.ts';
import { countOperations, OPERATION_LIMIT } from './size.ts';

export type Compiled =
  | { readonly ok: true; readonly plan: Plan }
  /** The plan would hold more operations than the limit. Nothing was expanded. */
  | { readonly ok: false; readonly operations: bigint };

/** A workflow being gone through. */
interface Visit {
  readonly call: number;
  readonly frame: number;
  readonly steps: readonly Step[];
  /** The index of the next step. */
  next: number;
  /** The condition of the call, which skips to where the call ends. */
  readonly guard: number | undefined;
}

/**
 * Flattens a workflow and all that it calls into one plan.
 *
 * The file must have been checked: every call leads to a workflow, none in a circle.
 */
export function compile(
  file: WorkflowFile,
  workflow: string,
  params: readonly Variable[],
): Compiled {
  const operations = countOperations(file)(workflow);
  if (operations > OPERATION_LIMIT) return { ok: false, operations };

  const frames: Frame[] = [];
  const calls: Call[] = [];
  const ops: Op[] = [];
  const addFrame = (source: string, parent: number | null, vars: Variables): number =>
    frames.push({ source, parent, vars: [...vars] }) - 1;
  /** Scopes that set nothing are left out. */
  const inner = (source: string, parent: number, vars: Variables): number =>
    vars.size === 0 ? parent : addFrame(source, parent, vars);

  const asked = workflowOf(file, workflow);
  const root = addFrame(`env of ${workflow}`, addFrame('global env', null, file.env), asked.env);
  const addHook = (
    hook: HookOp['hook'],
    when: HookOp['when'],
    command: string | undefined,
  ): void => {
    if (command !== undefined) ops.push({ kind: 'hook', hook, when, frame: root, command });
  };

  addHook('before_all', 'start', file.beforeAll);
  calls.push({ workflow, from: null, start: ops.length });
  const path: Visit[] = [{ call: 0, frame: root, steps: asked.steps, next: 0, guard: undefined }];
  for (let visit = path.at(-1); visit !== undefined; visit = path.at(-1)) {
    const step = visit.steps[visit.next];
    visit.next += 1;
    if (step === undefined) {
      path.pop();
      if (visit.guard !== undefined) closeCondition(ops, visit.guard);
      continue;
    }
    const place = { call: visit.call, step: visit.next };
    const name = at(calls, visit.call).workflow;
    const source = `with of ${name} step ${visit.next}`;
    const called = step.kind === 'call' ? workflowOf(file, step.workflow) : undefined;
    /** Where the step's own condition is tested; a command runs in the same frame. */
    const near =
      step.kind === 'run' || step.condition !== undefined
        ? inner(source, visit.frame, step.with)
        : visit.frame;
    const guard = step.condition === undefined ? undefined : ops.length;
    if (step.condition !== undefined) {
      ops.push({
        kind: 'condition',
        ...testOf(step.condition),
        otherwise: -1,
        frame: near,
        ...place,
      });
    }
    if (step.kind === 'run') {
      ops.push({ kind: 'run', name: step.name, command: step.command, frame: near, ...place });
      if (guard !== undefined) closeCondition(ops, guard);
      continue;
    }
    if (called === undefined) throw new Error('a call has a workflow');
    const call = calls.push({ workflow: step.workflow, from: place, start: ops.length }) - 1;
    const env = inner(`env of ${step.workflow}`, visit.frame, called.env);
    // The call's `with` lies inside the called workflow's `env`; where that is empty, the frame
    // of the condition is already the right one.
    const shared = env === visit.frame && guard !== undefined;
    const frame = shared ? near : inner(source, env, step.with);
    path.push({ call, frame, steps: called.steps, next: 0, guard });
  }
  addHook('after_all', 'success', file.afterAll);
  addHook('error', 'failure', file.error);
  return { ok: true, plan: { workflow, params, frames, calls, ops } };
}

/** The condition skips to here. */
function closeCondition(ops: Op[], guard: number): void {
  const condition = at(ops, guard);
  if (condition.kind !== 'condition') throw new Error('only a condition can guard');
  const closed: ConditionOp = { ...condition, otherwise: ops.length };
  ops[guard] = closed;
}

/** A bare name is a variable; `true` and `false` are the commands of that name; so is all else. */
function testOf(condition: string): { readonly test: Test } {
  const word = condition.trim();
  if (/^[A-Za-z_][A-Za-z0-9_]*$/.test(word) && word !== 'true' && word !== 'false') {
    return { test: { kind: 'variable', name: word } };
  }
  return { test: { kind: 'command', command: condition } };
}
