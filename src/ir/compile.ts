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
  const calls: Call[] = [];
  const ops: Op[] = [];
  /** The open calls and groups, outermost first. */
  const stack: Activation[] = [];
  /** The steps in the background of each call that has any. */
  const background = new Map<number, readonly number[]>();
  /** The workflows with `once` that are called more than once. */
  const repeated = repeatedCalls(file, workflow);

  const outputs = new OutputResolver(file, ops);
  const frames = new FrameTable(outputs);

  /** Adds the ops of the workflow on the stack. Iterative, because calls may nest thousands of levels deep. */
  function flatten(): void {
    for (let top = stack.at(-1); top !== undefined; top = stack.at(-1)) {
      const { group } = top;
      if (group !== null) group.endBranch(here());
      const next = nextStep(top);
      if (next !== undefined) addStep(next, top);
      else if (group !== null) endGroup(group, top);
      else endCall(top);
    }
  }

  function endCall({ call, guard, frame, directory }: Activation): void {
    const own = workflowOf(file, at(calls, call).workflow);
    const place = { frame, call, ...directory };
    addStop(call, frame);
    addHook({ hook: 'error', when: 'failure', ...place }, own.error);
    addHook({ hook: 'finally', when: 'always', ...place }, own.finally);
    calls[call] = { ...at(calls, call), end: ops.length };
    setTarget(ops, guard);
    stack.pop();
  }

  function addStep({ step: written, combination }: StepCopy, caller: Activation): void {
    const { call, group } = caller;
    const plain = group === null ? caller.next : `${group.number}.${caller.next}`;
    const number = combination === null ? plain : copyName(plain, combination.label);
    const step = combination === null ? written : { ...written, name: copyName(written.name, combination.label) };
    const owner = { workflow: at(calls, call).workflow, step: number };
    const site = { caller, position: { call, step: number }, owner, combination };
    if (group !== null) group.startBranch(step.name, here());
    if (step.kind === 'run') addRun(step, site);
    else if (step.kind === 'call') flattenCall(step, site);
    else flattenGroup(step, site);
  }

  function flattenGroup(step: GroupStep, site: StepSite): void {
    const { name, members, group: options, offset } = step;
    const { caller, position } = site;
    const frame = frames.addWith(step, site.owner, caller.frame);
    const guard = addCondition(step, site, frame);
    const empty = { branches: [], end: here() };
    const op = ops.push({ kind: 'parallel', name, ...empty, frame, group: options, offset, ...position }) - 1;
    const group = new OpenGroup(op, position.step, members, outputs);
    const directory = directoryIn(step, frame, caller.directory);
    stack.push({ call: caller.call, frame, directory, guard, steps: members, group, next: 0 });
  }

  function endGroup(group: OpenGroup, { guard }: Activation): void {
    group.close();
    const op = at(ops, group.op);
    if (op.kind === 'parallel') {
      const ended = { ...op, branches: group.branches, end: here() } satisfies ParallelOp;
      ops[group.op] = ended;
    }
    setTarget(ops, guard);
    stack.pop();
  }

  function here(): OpPosition {
    return { op: ops.length, call: calls.length };
  }

  function addRun(step: RunStep, site: StepSite): void {
    const { name, command, options, offset } = step;
    const scope = frames.addMatrix(site, site.caller.frame);
    const frame = frames.addWith(step, site.owner, scope);
    const directory = directoryIn(step, frame, site.caller.directory);
    const condition = addCondition(step, site, frame);
    const place = { frame, directory, offset, position: site.position };
    const check = step.check === null ? null : pushCondition(staleTest(step.check), place);
    const reads = outputs.resolve(command, site.owner, 'run');
    const { scope: included } = workflowOf(file, site.owner.workflow);
    const listed = secrets?.listOf(command, included);
    const script = { command: command.text, reads, ...(command.lines && ERREXIT), ...listed };
    const ready = addReady(step, site.owner, frame);
    const { call } = site.position;
    if (options.background !== undefined) background.set(call, [...(background.get(call) ?? []), ops.length]);
    const more = { ...(step.question && { question: questionOf(step.question, site) }), ...ready };
    ops.push({ kind: 'run', name, ...script, frame, ...directory, options, offset, ...site.position, ...more });
    setTarget(ops, condition ?? check);
  }

  /** Adds a frame for the text of a step's `ready`, inside the frame of the step. */
  function addReady({ ready, options }: RunStep, owner: Required<Owner>, parent: number): { ready?: number } {
    if (ready === undefined || options.ready === undefined) return {};
    const text = new Map([[`ready.${options.ready.kind}`, ready]]);
    return { ready: frames.add(`ready of ${owner.workflow} step ${owner.step}`, parent, text, owner) };
  }

  /** Adds the stop of the steps in the background of a call. */
  function addStop(call: number, frame: number): void {
    const steps = background.get(call)?.toReversed() ?? [];
    const [last] = steps;
    if (last !== undefined) ops.push({ kind: 'stop', call, ops: steps, frame, offset: at(ops, last).offset });
  }

  function questionOf(question: SourceText, { owner }: StepSite): Question {
    const reads = outputs.resolve(question, owner, 'confirm');
    return { text: question.text, reads, lookups: lookupsOf(question) };
  }

  function flattenCall(step: CallStep, site: StepSite): void {
    const { caller, position, owner } = site;
    const callee = workflowOf(file, step.workflow);
    // A condition is tested with the call's `with`, but outside of the called workflow's `env`.
    const hasStepFrame = step.condition !== undefined || step.dir?.variables !== undefined;
    const scope = frames.addMatrix(site, caller.frame);
    const stepFrame = hasStepFrame ? frames.addWith(step, owner, scope) : scope;
    const condition = addCondition(step, site, stepFrame);
    const entered = scopesInside(callee.scope, workflowOf(file, owner.workflow).scope);
    const inFile = frames.addFiles(entered, caller.frame, owner, { ...site, step, scope });
    const inputs = frames.addInputs(step.workflow, callee, inFile);
    const outer = frames.addDotenv(step.workflow, callee.dotenv, inputs ?? inFile);
    // That `env` looks variables up in the caller's scope, including the call's `with`.
    const hasLookup = refersToVariables(callee.env) && !(hasStepFrame && outer === caller.frame);
    const inner = hasLookup && outer !== caller.frame ? frames.addMatrix(site, outer) : scope;
    const lookup = hasLookup ? frames.addWith(step, owner, inner, scope) : stepFrame;
    const envFrame = frames.addInner(`env of ${step.workflow}`, outer, callee.env, owner, lookup);
    const isSame = hasStepFrame && envFrame === caller.frame;
    const calleeFrame = isSame ? stepFrame : frames.addWith(step, owner, frames.addMatrix(site, envFrame), scope);
    const own = step.dir === undefined && callee.dir !== undefined ? directoryOf(callee.dir, calleeFrame) : undefined;
    const directory = own ?? directoryIn(step, stepFrame, directoryInside(entered) ?? caller.directory);
    const isRepeated = repeated.has(step.workflow);
    const around = directoryIn(step, stepFrame, caller.directory);
    const place = { frame: stepFrame, directory: around, offset: step.offset, position };
    const first = isRepeated ? pushCondition({ kind: 'first' }, place) : null;
    const guard = condition ?? first;
    const from = { ...position, name: step.name };
    const call = addCall(step.workflow, from, guard, calleeFrame, inputs);
    const { steps } = callee;
    stack.push({ call, frame: calleeFrame, directory, guard, steps, group: null, next: 0 });
  }

  function addCall(
    workflow: string,
    from: Caller | null,
    guard: number | null,
    frame: number,
    inputs?: number,
  ): number {
    const { lock } = workflowOf(file, workflow);
    const declared = { ...(inputs !== undefined && { inputs }), ...(lock && { lock: lookupTextOf(lock) }) };
    return calls.push({ workflow, from, guard, start: ops.length, end: -1, frame, ...declared }) - 1;
  }

  /** Adds the condition of a step. Returns its index, null without one. */
  function addCondition(step: Step, { caller, position, owner }: StepSite, frame: number): number | null {
    const { condition, offset } = step;
    if (condition === undefined) return null;
    const test = testOf(condition.text, outputs.resolve(condition, owner, 'if'));
    return pushCondition(test, { frame, directory: directoryIn(step, frame, caller.directory), offset, position });
  }

  function pushCondition(test: Test, { frame, directory, offset, position }: ConditionPlace): number {
    return ops.push({ kind: 'condition', test, target: -1, frame, ...directory, offset, ...position }) - 1;
  }

  function addHook(op: Omit<HookOp, 'kind' | 'command' | 'reads' | 'offset'>, text?: CommandText): void {
    if (text === undefined) return;
    const owner = op.call === undefined ? FILE : { workflow: at(calls, op.call).workflow };
    const reader = op.call === undefined && op.when !== 'start' ? 'file hook' : 'hook';
    const reads = outputs.resolve(text, owner, op.hook, reader);
    const included = op.call === undefined ? null : workflowOf(file, owner.workflow).scope;
    const script = { command: text.text, reads, ...(text.lines && ERREXIT), ...secrets?.listOf(text, included) };
    ops.push({ kind: 'hook', ...op, ...script, offset: text.range.start });
  }

  const requested = workflowOf(file, workflow);
  const { env, steps, dir } = requested;
  const outermost = frames.addDotenv('the file', file.dotenv, null);
  // Defaults lie below every other layer, so the `env` of the file and of included files may refer to them.
  const inputs = frames.addInputs(workflow, requested, outermost);
  const global = frames.add('global env', inputs ?? outermost, file.env, FILE);
  const inFile = frames.addFiles(scopesInside(requested.scope, null), global, { workflow });
  const outer = frames.addDotenv(workflow, requested.dotenv, inFile);
  const frame = frames.add(`env of ${workflow}`, outer, env, { workflow });
  addHook({ hook: 'before_all', when: 'start', frame }, file.beforeAll);
  const call = addCall(workflow, null, null, frame, inputs);
  const inside = directoryInside(scopesInside(requested.scope, null)) ?? START_DIRECTORY;
  const directory = dir === undefined ? inside : directoryOf(dir, frame);
  stack.push({ call, frame, directory, guard: null, steps, group: null, next: 0 });
  flatten();
  addHook({ hook: 'after_all', when: 'success', frame }, file.afterAll);
  addHook({ hook: 'error', when: 'failure', frame }, file.error);
  addHook({ hook: 'finally', when: 'always', frame }, file.finally);
  const { unresolved } = outputs;
  if (unresolved.length > 0) return { kind: 'unresolved', unresolved };
  const files = file.files.length === 0 ? {} : { files: file.files };
  const listed = secrets === null ? {} : { secrets: secrets.all() };
  return { kind: 'plan', plan: { workflow, params, frames: frames.frames, calls, ops, ...files, ...listed } };
}
