import type { Owner } from '../frontend/diagnostics/diagnostic.ts';
import type { CallStep, GroupStep, RunStep, Step, SourceText, Variables, WorkflowFile } from '../frontend/ast.ts';
import { at, type Branch, type Call, type Caller, type Frame, type HookOp, type Op, type OutputRead } from './plan.ts';
import type { OpPosition, ParallelOp, Plan, ScopedVariable, StepPosition, Test, Variable } from './plan.ts';
import { countOperations, OPERATION_LIMIT, workflowOf } from './plan_size.ts';
import { withMembers } from './with_members.ts';
import { OutputResolver, type Producer, type UnresolvedReference } from './resolve_outputs.ts';

/** A plan, the number of operations of one that is too large, or the references that could not be resolved. */
export type CompileResult = Readonly<
  | { kind: 'plan'; plan: Plan }
  | { kind: 'too large'; operations: bigint }
  | { kind: 'unresolved'; unresolved: readonly UnresolvedReference[] }
>;

/**
 * Flattens a workflow and all that it calls into one plan.
 *
 * The file must be valid: every call names a workflow, and no calls are cyclic.
 */
export function compile(file: WorkflowFile, workflow: string, params: readonly Variable[]): CompileResult {
  const operations = countOperations(file)(workflow);
  if (operations > OPERATION_LIMIT) return { kind: 'too large', operations };
  return new PlanBuilder(file).build(workflow, params);
}

/**
 * A workflow or a group that is being flattened. `guard` is the index of the condition of its call or group, null
 * without one.
 */
type Activation = Readonly<{
  call: number;
  frame: number;
  dir: string | null;
  guard: number | null;
  steps: readonly Step[];
  group: OpenGroup | null;
}> & {
  /** The index of the next step. */
  next: number;
};

/** A group that is being flattened: the index of its op, its branches so far, and the outputs that they give. */
type OpenGroup = Readonly<{
  op: number;
  number: StepPosition['step'];
  names: ReadonlySet<string>;
  branches: Branch[];
  produced: ReadonlyMap<string, Producer>[];
}> & {
  /** Where the open branch begins. */
  start: OpPosition | null;
};

/** A step in its activation: its position in the plan, and its owner in diagnostics. */
type StepSite = Readonly<{ caller: Activation; position: StepPosition; owner: Required<Owner> }>;

const FILE: Owner = { workflow: '' };

/** The field of a command that is a list of lines. */
const ERREXIT = { errexit: true } as const;

class PlanBuilder {
  readonly #file: WorkflowFile;
  readonly #frames: Frame[] = [];
  readonly #calls: Call[] = [];
  readonly #ops: Op[] = [];
  /** The calls that lead to the current step, outermost first. */
  readonly #stack: Activation[] = [];
  readonly #outputs: OutputResolver;

  constructor(file: WorkflowFile) {
    this.#file = file;
    this.#outputs = new OutputResolver(file, this.#ops);
  }

  build(workflow: string, params: readonly Variable[]): CompileResult {
    const { env, steps, dir = null } = workflowOf(this.#file, workflow);
    const global = this.#addFrame('global env', null, this.#file.env, FILE);
    const inputs = this.#addInputs(workflow, global);
    const frame = this.#addFrame(`env of ${workflow}`, inputs ?? global, env, { workflow });
    this.#addHook('before_all', 'start', frame, this.#file.beforeAll);
    const call = this.#addCall(workflow, null, null, frame, inputs);
    this.#stack.push({ call, frame, dir, guard: null, steps, group: null, next: 0 });
    this.#flatten();
    this.#addHook('after_all', 'success', frame, this.#file.afterAll);
    this.#addHook('error', 'failure', frame, this.#file.error);
    this.#addHook('finally', 'always', frame, this.#file.finally);
    const { unresolved } = this.#outputs;
    if (unresolved.length > 0) return { kind: 'unresolved', unresolved };
    return { kind: 'plan', plan: { workflow, params, frames: this.#frames, calls: this.#calls, ops: this.#ops } };
  }

  /** Adds the ops of the workflow on the stack. Calls may nest by the thousand, so this does not recurse. */
  #flatten(): void {
    for (let top = this.#stack.at(-1); top !== undefined; top = this.#stack.at(-1)) {
      const { group } = top;
      if (group !== null) this.#endBranch(group, top);
      const step = top.steps[top.next];
      top.next += 1;
      if (step !== undefined) this.#addStep(step, top);
      else if (group !== null) this.#endGroup(group, top);
      else this.#return(top);
    }
  }

  #return({ call, guard }: Activation): void {
    this.#calls[call] = { ...at(this.#calls, call), end: this.#ops.length };
    this.#setTarget(guard);
    this.#stack.pop();
  }

  #addStep(step: Step, caller: Activation): void {
    const { call, group } = caller;
    const number = group === null ? caller.next : `${group.number}.${caller.next}`;
    const owner = { workflow: at(this.#calls, call).workflow, step: number };
    const site = { caller, position: { call, step: number }, owner };
    if (group !== null) this.#startBranch(group);
    if (step.kind === 'run') this.#addRun(step, site);
    else if (step.kind === 'call') this.#flattenCall(step, site);
    else this.#flattenGroup(step, site);
  }

  #flattenGroup(step: GroupStep, site: StepSite): void {
    const { name, members, group: options, offset } = step;
    const { caller, position } = site;
    const frame = this.#addWith(step, site, caller.frame);
    const guard = this.#addCondition(step, site, frame);
    const empty = { branches: [], end: this.#here() };
    const op = this.#ops.push({ kind: 'parallel', name, ...empty, frame, group: options, offset, ...position }) - 1;
    const names = new Set(withMembers(members).map((member) => member.name));
    const group = { op, number: position.step, names, branches: [], produced: [], start: null };
    const dir = step.dir ?? caller.dir;
    this.#stack.push({ call: caller.call, frame, dir, guard, steps: members, group, next: 0 });
  }

  #startBranch(group: OpenGroup): void {
    group.start = this.#here();
    this.#outputs.enterBranch(group.names);
  }

  /** Ends the open branch of a group, if there is one. */
  #endBranch(group: OpenGroup, { steps, next }: Activation): void {
    const { start, branches, produced } = group;
    if (start === null) return;
    branches.push({ name: at(steps, next - 1).name, start, end: this.#here() });
    produced.push(this.#outputs.leaveBranch());
    group.start = null;
  }

  #endGroup({ op, branches, produced }: OpenGroup, { guard }: Activation): void {
    for (const steps of produced) this.#outputs.defineAll(steps);
    const open = at(this.#ops, op);
    if (open.kind === 'parallel') this.#ops[op] = { ...open, branches, end: this.#here() } satisfies ParallelOp;
    this.#setTarget(guard);
    this.#stack.pop();
  }

  #here(): OpPosition {
    return { op: this.#ops.length, call: this.#calls.length };
  }

  #addRun(step: RunStep, site: StepSite): void {
    const { name, command, options, offset } = step;
    const frame = this.#addWith(step, site, site.caller.frame);
    const dir = step.dir ?? site.caller.dir;
    const guard = this.#addCondition(step, site, frame);
    const reads = this.#outputs.resolve(command, site.owner, 'run');
    const script = { command: command.text, reads, ...(command.lines && ERREXIT) };
    this.#ops.push({ kind: 'run', name, ...script, frame, dir, options, offset, ...site.position });
    this.#setTarget(guard);
  }

  #flattenCall(step: CallStep, site: StepSite): void {
    const { caller, position, owner } = site;
    const callee = workflowOf(this.#file, step.workflow);
    // A condition is tested with the call's `with`, but outside the `env` of the called workflow.
    const stepFrame = step.condition === undefined ? caller.frame : this.#addWith(step, site, caller.frame);
    const guard = this.#addCondition(step, site, stepFrame);
    const inputs = this.#addInputs(step.workflow, caller.frame);
    const envFrame = this.#addInner(`env of ${step.workflow}`, inputs ?? caller.frame, callee.env, owner);
    const isSame = guard !== null && envFrame === caller.frame;
    const calleeFrame = isSame ? stepFrame : this.#addWith(step, site, envFrame);
    const calleeDir = step.dir ?? callee.dir ?? caller.dir;
    const from = { ...position, name: step.name };
    const call = this.#addCall(step.workflow, from, guard, calleeFrame, inputs);
    const { steps } = callee;
    this.#stack.push({ call, frame: calleeFrame, dir: calleeDir, guard, steps, group: null, next: 0 });
  }

  #addCall(workflow: string, from: Caller | null, guard: number | null, frame: number, inputs?: number): number {
    const declared = inputs === undefined ? {} : { inputs };
    return this.#calls.push({ workflow, from, guard, start: this.#ops.length, end: -1, frame, ...declared }) - 1;
  }

  /** Adds a frame for the inputs of a workflow, if it declares any. */
  #addInputs(workflow: string, parent: number): number | undefined {
    const { inputs } = workflowOf(this.#file, workflow);
    return inputs === null
      ? undefined
      : this.#frames.push({ source: `inputs of ${workflow}`, parent, vars: [], inputs }) - 1;
  }

  /** Adds the condition of a step; gives its index, null if the step has none. */
  #addCondition({ condition, dir, offset }: Step, { caller, position, owner }: StepSite, frame: number): number | null {
    if (condition === undefined) return null;
    const test = testOf(condition.text, this.#outputs.resolve(condition, owner, 'if'));
    const op = { test, target: -1, frame, dir: dir ?? caller.dir, offset, ...position };
    return this.#ops.push({ kind: 'condition', ...op }) - 1;
  }

  /** Makes a condition skip to the op that comes next. */
  #setTarget(guard: number | null): void {
    const condition = guard === null ? undefined : this.#ops[guard];
    if (guard === null || condition?.kind !== 'condition') return;
    this.#ops[guard] = { ...condition, target: this.#ops.length };
  }

  #addHook(hook: HookOp['hook'], when: HookOp['when'], frame: number, text?: SourceText): void {
    if (text === undefined) return;
    // A hook serves all workflows, so its steps may be those of another one.
    const reads = this.#outputs.resolve(text, FILE, hook, when !== 'start');
    const script = { command: text.text, reads, ...(text.lines && ERREXIT) };
    this.#ops.push({ kind: 'hook', hook, when, frame, ...script, offset: text.range.start });
  }

  #addWith({ with: variables }: Step, { owner }: StepSite, parent: number): number {
    return this.#addInner(`with of ${owner.workflow} step ${owner.step}`, parent, variables, owner);
  }

  /** Adds a frame unless it would be empty; gives the frame to use. */
  #addInner(source: string, parent: number, variables: Variables, owner: Owner): number {
    return variables.size === 0 ? parent : this.#addFrame(source, parent, variables, owner);
  }

  #addFrame(source: string, parent: number | null, variables: Variables, owner: Owner): number {
    const vars = [...variables].map(([name, value]): ScopedVariable => {
      const reads = this.#outputs.resolve(value, owner, `with.${name}`);
      return reads.length === 0 ? [name, value.text] : [name, value.text, reads];
    });
    return this.#frames.push({ source, parent, vars }) - 1;
  }
}

/** A bare name is a variable. `true` and `false`, like any other text, are commands. */
function testOf(condition: string, reads: readonly OutputRead[]): Test {
  const name = condition.trim();
  const isName = /^[A-Za-z_][A-Za-z0-9_]*$/.test(name) && name !== 'true' && name !== 'false';
  return isName ? { kind: 'variable', name } : { kind: 'command', command: condition, reads };
}
