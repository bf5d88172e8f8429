import type { Step, Text, Variables, WorkflowFile } from '../frontend/workflow_file.ts';
import { at, type Call, type Frame, type HookOp, type Op } from './plan.ts';
import type { Plan, Test, Variable } from './plan.ts';
import { countOperations, OPERATION_LIMIT, workflowOf } from './size.ts';

/** `operations` is how many a plan over the limit would hold; nothing was expanded then. */
export type Compiled = Readonly<{ ok: true; plan: Plan } | { ok: false; operations: bigint }>;

/** A workflow being gone through; `guard` is the condition op that skips to where its call ends. */
type Visit = Readonly<{ call: number; frame: number; steps: readonly Step[]; guard: number }> & {
  /** How many of the steps were done. */
  done: number;
};

const NO_GUARD = -1;

/**
 * Flattens a workflow and all that it calls into one plan.
 *
 * The file must have been checked: every call leads to a workflow, none in a circle.
 */
export function compile(file: WorkflowFile, workflow: string, params: readonly Variable[]): Compiled {
  const operations = countOperations(file)(workflow);
  if (operations > OPERATION_LIMIT) return { ok: false, operations };

  const frames: Frame[] = [];
  const ops: Op[] = [];
  const addFrame = (source: string, parent: number | null, vars: Variables): number =>
    frames.push({ source, parent, vars: [...vars].map(([name, { text }]) => [name, text] as const) }) - 1;
  /** Scopes that set nothing are left out. */
  const addInner = (source: string, parent: number, vars: Variables): number =>
    vars.size === 0 ? parent : addFrame(source, parent, vars);
  const addHook = (hook: HookOp['hook'], when: HookOp['when'], given?: Text): void => {
    if (given === undefined) return;
    ops.push({ kind: 'hook', hook, when, frame: root, command: given.text, offset: given.range.start });
  };
  /** Makes a condition skip to the op that comes next. */
  const close = (guard: number): void => {
    const condition = ops[guard];
    if (condition?.kind === 'condition') ops[guard] = { ...condition, otherwise: ops.length };
  };

  const { env, steps } = workflowOf(file, workflow);
  const root = addFrame(`env of ${workflow}`, addFrame('global env', null, file.env), env);
  addHook('before_all', 'start', file.beforeAll);
  const calls: Call[] = [{ workflow, from: null, start: ops.length }];
  const visits: Visit[] = [{ call: 0, frame: root, steps, guard: NO_GUARD, done: 0 }];
  for (let visit = visits.at(-1); visit !== undefined; visit = visits.at(-1)) {
    const step = visit.steps[visit.done];
    if (step === undefined) {
      close(visit.guard);
      visits.pop();
      continue;
    }
    visit.done += 1;
    const place = { call: visit.call, step: visit.done };
    const { offset } = step;
    const source = `with of ${at(calls, visit.call).workflow} step ${visit.done}`;
    const conditional = step.condition !== undefined;
    /** Where a condition is tested and a command runs. A call runs inside the called `env`. */
    const near = step.kind === 'run' || conditional ? addInner(source, visit.frame, step.with) : visit.frame;
    const guard = conditional ? ops.length : NO_GUARD;
    if (step.condition !== undefined) {
      const test = testOf(step.condition.text);
      ops.push({ kind: 'condition', test, otherwise: -1, frame: near, offset, ...place });
    }
    if (step.kind === 'run') {
      ops.push({ kind: 'run', name: step.name, command: step.command.text, frame: near, offset, ...place });
      close(guard);
      continue;
    }
    const called = workflowOf(file, step.workflow);
    const outer = addInner(`env of ${step.workflow}`, visit.frame, called.env);
    // Where the called workflow sets nothing, the frame of the condition is already the right one.
    const frame = conditional && outer === visit.frame ? near : addInner(source, outer, step.with);
    const call = calls.push({ workflow: step.workflow, from: { ...place, name: step.name }, start: ops.length }) - 1;
    visits.push({ call, frame, steps: called.steps, guard, done: 0 });
  }
  addHook('after_all', 'success', file.afterAll);
  addHook('error', 'failure', file.error);
  return { ok: true, plan: { workflow, params, frames, calls, ops } };
}

/** A bare name is a variable; `true` and `false` are the commands of that name; so is all else. */
function testOf(condition: string): Test {
  const name = condition.trim();
  const isName = /^[A-Za-z_][A-Za-z0-9_]*$/.test(name) && name !== 'true' && name !== 'false';
  return isName ? { kind: 'variable', name } : { kind: 'command', command: condition };
}
