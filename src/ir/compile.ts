import type { Owner } from '../frontend/diagnostics/diagnostic.ts';
import type { CallStep, CommandText, GroupStep, RunStep, SourceText, Step, WorkflowFile } from '../frontend/ast.ts';
import { nextStep, type Activation, type StepCopy } from './compile/activation.ts';
import { setTarget, staleTest, testOf } from './compile/condition_test.ts';
import { directoryIn, directoryInside, scopesInside } from './compile/file_scopes.ts';
import { directoryOf, FrameTable, lookupsOf, lookupTextOf, refersToVariables } from './compile/frame_table.ts';
import { copyName, type Combination } from './compile/matrix.ts';
import { repeatedCalls } from './compile/repeated_calls.ts';
import { OpenGroup } from './compile/open_group.ts';
import type { SecretTable } from './compile/secret_table.ts';
import { at, type Call, type Caller, type HookOp, type Op, type OpPosition } from './plan.ts';
import type { Directory, ParallelOp, Plan, Question, StepPosition, Test, Variable } from './plan.ts';
import { measurePlans, OPERATION_LIMIT, workflowOf, type TextExcess } from './plan_size.ts';
import { OutputResolver, type UnresolvedReference } from './resolve_outputs.ts';

/** A plan, the size of a plan that is too large, or the unresolved references. */
export type CompileResult = Readonly<
  | { kind: 'plan'; plan: Plan }
  | { kind: 'too large'; operations: bigint }
  | { kind: 'too much text'; excess: TextExcess }
  | { kind: 'unresolved'; unresolved: readonly UnresolvedReference[] }
>;

/**
 * Flattens a workflow and its calls into one plan.
 *
 * The file must be valid: every call names an existing workflow, and calls are not cyclic. `secrets` is null for a file
 * without any, and for a plan that is not run.
 */
export function compile(
  file: WorkflowFile,
  workflow: string,
  params: readonly Variable[],
  secrets: SecretTable | null,
): CompileResult {
  const { operations, excess } = measurePlans(file)(workflow);
  if (operations > OPERATION_LIMIT) return { kind: 'too large', operations };
  if (excess !== undefined) return { kind: 'too much text', excess };
  return new PlanBuilder(file, secrets).build(workflow, params);
}

/** A step in its activation, with its position in the plan and its owner in diagnostics. */
type StepSite = Readonly<{ caller: Activation; position: StepPosition; owner: Required<Owner> }> & {
  readonly combination: Combination | null;
};

/** The place of a condition in a plan. */
type ConditionPlace = Readonly<{ frame: number; directory: Directory; offset: number; position: StepPosition }>;

const FILE: Owner = { workflow: '' };

const START_DIRECTORY: Directory = { dir: null };

/** The additional field of a command that is a list of lines. */
const ERREXIT = { errexit: true } as const;

class PlanBuilder {
  readonly #file: WorkflowFile;
  readonly #frames: FrameTable;
  readonly #calls: Call[] = [];
  readonly #ops: Op[] = [];
  /** The open calls and groups, outermost first. */
  readonly #stack: Activation[] = [];
  readonly #outputs: OutputResolver;
  readonly #secrets: SecretTable | null;
  /** The steps in the background of each call that has any. */
  readonly #background = new Map<number, readonly number[]>();
  /** The workflows with `once` that are called more than once. */
  #repeated: ReadonlySet<string> = new Set();

  constructor(file: WorkflowFile, secrets: SecretTable | null) {
    this.#file = file;
    this.#outputs = new OutputResolver(file, this.#ops);
    this.#frames = new FrameTable(this.#outputs);
    this.#secrets = secrets;
  }

  build(workflow: string, params: readonly Variable[]): CompileResult {
    this.#repeated = repeatedCalls(this.#file, workflow);
    const requested = workflowOf(this.#file, workflow);
    const { env, steps, dir } = requested;
    const outermost = this.#frames.addDotenv('the file', this.#file.dotenv, null);
    // Defaults lie below every other layer, so the `env` of the file and of included files may refer to them.
    const inputs = this.#frames.addInputs(workflow, requested, outermost);
    const global = this.#frames.add('global env', inputs ?? outermost, this.#file.env, FILE);
    const inFile = this.#frames.addFiles(scopesInside(requested.scope, null), global, { workflow });
    const outer = this.#frames.addDotenv(workflow, requested.dotenv, inFile);
    const frame = this.#frames.add(`env of ${workflow}`, outer, env, { workflow });
    this.#addHook({ hook: 'before_all', when: 'start', frame }, this.#file.beforeAll);
    const call = this.#addCall(workflow, null, null, frame, inputs);
    const inside = directoryInside(scopesInside(requested.scope, null)) ?? START_DIRECTORY;
    const directory = dir === undefined ? inside : directoryOf(dir, frame);
    this.#stack.push({ call, frame, directory, guard: null, steps, group: null, next: 0 });
    this.#flatten();
    this.#addHook({ hook: 'after_all', when: 'success', frame }, this.#file.afterAll);
    this.#addHook({ hook: 'error', when: 'failure', frame }, this.#file.error);
    this.#addHook({ hook: 'finally', when: 'always', frame }, this.#file.finally);
    const { unresolved } = this.#outputs;
    if (unresolved.length > 0) return { kind: 'unresolved', unresolved };
    const files = this.#file.files.length === 0 ? {} : { files: this.#file.files };
    const secrets = this.#secrets === null ? {} : { secrets: this.#secrets.all() };
    return {
      kind: 'plan',
      plan: { workflow, params, frames: this.#frames.frames, calls: this.#calls, ops: this.#ops, ...files, ...secrets },
    };
  }

  /** Adds the ops of the workflow on the stack. Iterative, because calls may nest thousands of levels deep. */
  #flatten(): void {
    for (let top = this.#stack.at(-1); top !== undefined; top = this.#stack.at(-1)) {
      const { group } = top;
      if (group !== null) group.endBranch(this.#here());
      const next = nextStep(top);
      if (next !== undefined) this.#addStep(next, top);
      else if (group !== null) this.#endGroup(group, top);
      else this.#return(top);
    }
  }

  #return({ call, guard, frame, directory }: Activation): void {
    const own = workflowOf(this.#file, at(this.#calls, call).workflow);
    const place = { frame, call, ...directory };
    this.#addStop(call, frame);
    this.#addHook({ hook: 'error', when: 'failure', ...place }, own.error);
    this.#addHook({ hook: 'finally', when: 'always', ...place }, own.finally);
    this.#calls[call] = { ...at(this.#calls, call), end: this.#ops.length };
    setTarget(this.#ops, guard);
    this.#stack.pop();
  }

  #addStep({ step: written, combination }: StepCopy, caller: Activation): void {
    const { call, group } = caller;
    const plain = group === null ? caller.next : `${group.number}.${caller.next}`;
    const number = combination === null ? plain : copyName(plain, combination.label);
    const step = combination === null ? written : { ...written, name: copyName(written.name, combination.label) };
    const owner = { workflow: at(this.#calls, call).workflow, step: number };
    const site = { caller, position: { call, step: number }, owner, combination };
    if (group !== null) group.startBranch(step.name, this.#here());
    if (step.kind === 'run') this.#addRun(step, site);
    else if (step.kind === 'call') this.#flattenCall(step, site);
    else this.#flattenGroup(step, site);
  }

  #flattenGroup(step: GroupStep, site: StepSite): void {
    const { name, members, group: options, offset } = step;
    const { caller, position } = site;
    const frame = this.#frames.addWith(step, site.owner, caller.frame);
    const guard = this.#addCondition(step, site, frame);
    const empty = { branches: [], end: this.#here() };
    const op = this.#ops.push({ kind: 'parallel', name, ...empty, frame, group: options, offset, ...position }) - 1;
    const group = new OpenGroup(op, position.step, members, this.#outputs);
    const directory = directoryIn(step, frame, caller.directory);
    this.#stack.push({ call: caller.call, frame, directory, guard, steps: members, group, next: 0 });
  }

  #endGroup(group: OpenGroup, { guard }: Activation): void {
    group.close();
    const op = at(this.#ops, group.op);
    if (op.kind === 'parallel') {
      const ended = { ...op, branches: group.branches, end: this.#here() } satisfies ParallelOp;
      this.#ops[group.op] = ended;
    }
    setTarget(this.#ops, guard);
    this.#stack.pop();
  }

  #here(): OpPosition {
    return { op: this.#ops.length, call: this.#calls.length };
  }

  #addRun(step: RunStep, site: StepSite): void {
    const { name, command, options, offset } = step;
    const scope = this.#frames.addMatrix(site, site.caller.frame);
    const frame = this.#frames.addWith(step, site.owner, scope);
    const directory = directoryIn(step, frame, site.caller.directory);
    const condition = this.#addCondition(step, site, frame);
    const place = { frame, directory, offset, position: site.position };
    const check = step.check === null ? null : this.#pushCondition(staleTest(step.check), place);
    const reads = this.#outputs.resolve(command, site.owner, 'run');
    const { scope: file } = workflowOf(this.#file, site.owner.workflow);
    const listed = this.#secrets?.listOf(command, file);
    const script = { command: command.text, reads, ...(command.lines && ERREXIT), ...listed };
    const ready = this.#addReady(step, site.owner, frame);
    const { call } = site.position;
    if (options.background !== undefined)
      this.#background.set(call, [...(this.#background.get(call) ?? []), this.#ops.length]);
    const more = { ...(step.question && { question: this.#question(step.question, site) }), ...ready };
    this.#ops.push({ kind: 'run', name, ...script, frame, ...directory, options, offset, ...site.position, ...more });
    setTarget(this.#ops, condition ?? check);
  }

  /** Adds a frame for the text of a step's `ready`, inside the frame of the step. */
  #addReady({ ready, options }: RunStep, owner: Required<Owner>, parent: number): { ready?: number } {
    if (ready === undefined || options.ready === undefined) return {};
    const text = new Map([[`ready.${options.ready.kind}`, ready]]);
    return { ready: this.#frames.add(`ready of ${owner.workflow} step ${owner.step}`, parent, text, owner) };
  }

  /** Adds the stop of the steps in the background of a call. */
  #addStop(call: number, frame: number): void {
    const ops = this.#background.get(call)?.toReversed() ?? [];
    const [last] = ops;
    if (last !== undefined) this.#ops.push({ kind: 'stop', call, ops, frame, offset: at(this.#ops, last).offset });
  }

  #question(question: SourceText, { owner }: StepSite): Question {
    const reads = this.#outputs.resolve(question, owner, 'confirm');
    return { text: question.text, reads, lookups: lookupsOf(question) };
  }

  #flattenCall(step: CallStep, site: StepSite): void {
    const { caller, position, owner } = site;
    const callee = workflowOf(this.#file, step.workflow);
    // A condition is tested with the call's `with`, but outside of the called workflow's `env`.
    const hasStepFrame = step.condition !== undefined || step.dir?.variables !== undefined;
    const scope = this.#frames.addMatrix(site, caller.frame);
    const stepFrame = hasStepFrame ? this.#frames.addWith(step, owner, scope) : scope;
    const condition = this.#addCondition(step, site, stepFrame);
    const entered = scopesInside(callee.scope, workflowOf(this.#file, owner.workflow).scope);
    const inFile = this.#frames.addFiles(entered, caller.frame, owner, { ...site, step, scope });
    const inputs = this.#frames.addInputs(step.workflow, callee, inFile);
    const outer = this.#frames.addDotenv(step.workflow, callee.dotenv, inputs ?? inFile);
    // That `env` looks variables up in the caller's scope, including the call's `with`.
    const hasLookup = refersToVariables(callee.env) && !(hasStepFrame && outer === caller.frame);
    const inner = hasLookup && outer !== caller.frame ? this.#frames.addMatrix(site, outer) : scope;
    const lookup = hasLookup ? this.#frames.addWith(step, owner, inner, scope) : stepFrame;
    const envFrame = this.#frames.addInner(`env of ${step.workflow}`, outer, callee.env, owner, lookup);
    const isSame = hasStepFrame && envFrame === caller.frame;
    const calleeFrame = isSame
      ? stepFrame
      : this.#frames.addWith(step, owner, this.#frames.addMatrix(site, envFrame), scope);
    const own = step.dir === undefined && callee.dir !== undefined ? directoryOf(callee.dir, calleeFrame) : undefined;
    const directory = own ?? directoryIn(step, stepFrame, directoryInside(entered) ?? caller.directory);
    const isRepeated = this.#repeated.has(step.workflow);
    const around = directoryIn(step, stepFrame, caller.directory);
    const place = { frame: stepFrame, directory: around, offset: step.offset, position };
    const first = isRepeated ? this.#pushCondition({ kind: 'first' }, place) : null;
    const guard = condition ?? first;
    const from = { ...position, name: step.name };
    const call = this.#addCall(step.workflow, from, guard, calleeFrame, inputs);
    const { steps } = callee;
    this.#stack.push({ call, frame: calleeFrame, directory, guard, steps, group: null, next: 0 });
  }

  #addCall(workflow: string, from: Caller | null, guard: number | null, frame: number, inputs?: number): number {
    const { lock } = workflowOf(this.#file, workflow);
    const declared = { ...(inputs !== undefined && { inputs }), ...(lock && { lock: lookupTextOf(lock) }) };
    return this.#calls.push({ workflow, from, guard, start: this.#ops.length, end: -1, frame, ...declared }) - 1;
  }

  /** Adds the condition of a step. Returns its index, null without one. */
  #addCondition(step: Step, { caller, position, owner }: StepSite, frame: number): number | null {
    const { condition, offset } = step;
    if (condition === undefined) return null;
    const test = testOf(condition.text, this.#outputs.resolve(condition, owner, 'if'));
    return this.#pushCondition(test, {
      frame,
      directory: directoryIn(step, frame, caller.directory),
      offset,
      position,
    });
  }

  #pushCondition(test: Test, { frame, directory, offset, position }: ConditionPlace): number {
    return this.#ops.push({ kind: 'condition', test, target: -1, frame, ...directory, offset, ...position }) - 1;
  }

  #addHook(op: Omit<HookOp, 'kind' | 'command' | 'reads' | 'offset'>, text?: CommandText): void {
    if (text === undefined) return;
    const owner = op.call === undefined ? FILE : { workflow: at(this.#calls, op.call).workflow };
    const reader = op.call === undefined && op.when !== 'start' ? 'file hook' : 'hook';
    const reads = this.#outputs.resolve(text, owner, op.hook, reader);
    const file = op.call === undefined ? null : workflowOf(this.#file, owner.workflow).scope;
    const script = { command: text.text, reads, ...(text.lines && ERREXIT), ...this.#secrets?.listOf(text, file) };
    this.#ops.push({ kind: 'hook', ...op, ...script, offset: text.range.start });
  }
}
