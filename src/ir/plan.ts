import type { Quotes } from '../frontend/references/shell/found_reference.ts';
import type { GroupOptions, IncludedFile, Input } from '../frontend/ast.ts';
import type { OutputSource, StepOptions } from '../frontend/schema/option_fields.ts';
import type { StepNumber } from '../frontend/diagnostics/diagnostic.ts';

/**
 * The version of the plan format, in plan files and for programs that exchange plans. A change of the types below, or
 * of the text form of a plan, requires the next number. A golden file compares them.
 */
export const PLAN_FORMAT = 4;

/**
 * Everything that a run does, as plain data that survives JSON. Names are resolved and calls are flattened. Nothing
 * comes from the process that made the plan.
 *
 * `workflow` is the requested workflow. `params` override every frame. The ops run in order.
 * `files` are the included files, if there are any, in the order of their offsets: an offset belongs to the last file that
 * begins at or before it, and one before all of them to the file asked for.
 * `secrets` are the declared secrets of the files, if there are any. `segments` are the workflows of a run of several.
 */
export type Plan = Readonly<{
  workflow: string;
  params: readonly Variable[];
  frames: readonly Frame[];
  calls: readonly Call[];
  ops: readonly Op[];
  files?: readonly IncludedFile[];
  secrets?: readonly PlanSecret[];
  segments?: readonly Segment[];
}>;

/** One of several workflows of a run, and its parameters, which are also the `with` of its call. */
export type Segment = Readonly<{ workflow: string; params: readonly Variable[] }>;

/**
 * A declared secret: a variable that only the commands which list the secret have. `source` is null if no command of the
 * plan lists it. Files can have different sources for one name.
 */
export type PlanSecret = Readonly<{ name: string; source: SecretProgram | null }>;

/**
 * A program that prints a secret, with its arguments; the part of its output that is the value; and its time limit in
 * milliseconds. `lookups` are the references to variables in the arguments, which the command that lists the secret looks
 * up in its frame. In a linked plan, whose arguments no longer contain them, only their names have a meaning.
 */
export type SecretProgram = Readonly<{
  command: readonly string[];
  value: OutputSource;
  timeout: number;
  lookups?: readonly ArgumentLookup[];
}>;

/** A reference to a variable in the argument with an index. */
export type ArgumentLookup = VariableLookup & Readonly<{ argument: number }>;

export type Variable = readonly [name: string, value: string];

/** A variable of the file, with the outputs and the variables that its value refers to, if any. */
export type ScopedVariable = readonly [
  name: string,
  value: string,
  reads?: readonly OutputRead[],
  lookups?: readonly VariableLookup[],
];

/**
 * A reference to a variable in a value: `start` and `end` in UTF-16 units, the variable's name, the fallback text (null
 * if there is none), and the start of the value in the file's text. In a linked plan, whose values no longer contain
 * such references, only the name has a meaning.
 */
export type VariableLookup = Readonly<{
  start: number;
  end: number;
  name: string;
  fallback: string | null;
  offset: number;
}>;

/**
 * A reference to an output in a text: `start` and `end` in UTF-16 units, the step's name, the index of the op with the
 * output (null if no op of the plan has it), the output's name, the fallback text (null if there is none), and the
 * quotes around the reference if the text is a command.
 */
export type OutputRead = Readonly<{
  start: number;
  end: number;
  quotes: Quotes;
  step: string;
  from: number | null;
  output: string;
  fallback: string | null;
}>;

/**
 * A scope of variables. `parent` is the index of the enclosing frame, `source` a description of its origin: `env of
 * release`. `inputs` are declared by a workflow, and `dotenv` contains the files that it names; frames with these
 * fields set no variables. `lookup` is the frame in which the values look variables up, if it is not the parent.
 * `matrix`: the variables belong to a matrix, and no parameter may override them.
 */
export type Frame = Readonly<{
  source: string;
  parent: number | null;
  vars: readonly ScopedVariable[];
  inputs?: readonly Input[];
  dotenv?: readonly DotenvFile[];
  lookup?: number;
  matrix?: true;
}>;

/**
 * A dotenv file, whose variables the process environment overrides. Only a linked plan contains its variables, and has no
 * references in the path. They see parameters, inputs and the process environment.
 */
export type DotenvFile = Readonly<{ path: string; vars: readonly Variable[]; lookups?: readonly VariableLookup[] }>;

/**
 * An execution of a workflow. Entry 0 is the requested workflow. The others are calls by a step of an earlier entry.
 * Its ops range from `start` up to but not including `end`. `guard` is the index of the first of the call's own conditions,
 * which come before `start` (null without one). Its steps run in `frame` or inside it. `inputs` is the frame of the
 * workflow's inputs, and absent without any. `lock` is the name of the lock that it holds, if any: a reference in it is
 * looked up in the frame of the call.
 */
export type Call = Readonly<{
  workflow: string;
  from: Caller | null;
  guard: number | null;
  start: number;
  end: number;
  frame: number;
  inputs?: number;
  lock?: LookupText;
}>;

/** A text, and its references to variables. */
export type LookupText = Readonly<{ text: string; lookups?: readonly VariableLookup[] }>;

/** The step that makes a call. */
export type Caller = StepPosition & Readonly<{ name: string }>;

/** A step: the index of its call, and its number in the called workflow: `2`, or `2.1` for a member of a group. */
export type StepPosition = Readonly<{ call: number; step: StepNumber }>;

/** `frame` is an index into the plan's frames; `offset` is the start of the step or hook in the file's text. */
export type Op = HookOp | ConditionOp | RunOp | ParallelOp | StopOp;

/**
 * The parameters of a run as the words after its workflow give them. In a run of several workflows, the number of the
 * workflow comes first: `2.VERSION`.
 */
export function runParams({ params, segments = [] }: Plan): readonly Variable[] {
  const numbered = segments.flatMap(({ params: own }, index) =>
    own.map(([name, value]): Variable => [`${index + 1}.${name}`, value]),
  );
  return [...params, ...numbered];
}

/** The name of a parameter without the number of its workflow. */
export function plainName(name: string): string {
  return name.replace(/^[1-9][0-9]*\./, '');
}

/** An op that runs a command, or tests a variable. */
export type CommandOp = HookOp | ConditionOp | RunOp;

/**
 * Runs at its position if the run is succeeding (`start`, `success`), has failed (`failure`), or in both cases
 * (`always`). `call` is the execution of a workflow to which it belongs: it runs only if the execution has begun, in the
 * directory of its steps. A hook of the file has neither.
 */
export type HookOp = Readonly<{
  kind: 'hook';
  hook: 'before_all' | 'after_all' | 'error' | 'finally';
  when: 'start' | 'success' | 'failure' | 'always';
  frame: number;
  offset: number;
  command: string;
  reads: readonly OutputRead[];
  call?: number;
}> &
  Partial<Directory> &
  Script;

/** A hook of a workflow, as opposed to one of the file. */
export type WorkflowHook = HookOp & Readonly<{ call: number }>;

export function isWorkflowHook(op: Op): op is WorkflowHook {
  return op.kind === 'hook' && op.call !== undefined;
}

/** The name of a hook; a hook of a workflow has that of the workflow, too. */
export function hookName({ calls }: Plan, { hook, call }: HookOp): string {
  return call === undefined ? hook : `${hook} of ${at(calls, call).workflow}`;
}

/**
 * `errexit`: the first failing line of the command ends it, as in a list of lines. `secrets` are the indexes of the
 * secrets that the command gets; absent without any.
 */
type Script = Readonly<{ errexit?: true; secrets?: readonly number[] }>;

/** Whether an op also runs in a failed run. */
export function runsAfterFailure(op: Op): boolean {
  if (op.kind === 'stop') return true;
  return op.kind === 'hook' && (op.when === 'failure' || op.when === 'always');
}

/**
 * The directory of a command, relative to the tool's initial directory; null for that directory itself. `dirLookup`
 * contains the variables that the path refers to, and the frame in which they are looked up.
 */
export type Directory = Readonly<{
  dir: string | null;
  dirLookup?: Readonly<{ frame: number; lookups: readonly VariableLookup[] }>;
}>;

/** Continues at the op `target` unless the test holds. */
export type ConditionOp = StepPosition &
  Directory &
  Readonly<{ kind: 'condition'; test: Test; target: number; frame: number; offset: number }>;

/**
 * A variable holds if it is set and not empty, a command if it exits with 0. `stale` stands before a command, and holds
 * unless the step is up to date: its files are as they were after its last success. `first` stands before a call, and
 * holds unless an equal call of the run has succeeded.
 */
export type Test = Readonly<
  | { kind: 'variable'; name: string }
  | { kind: 'command'; command: string; reads: readonly OutputRead[] }
  | { kind: 'stale'; sources: readonly PathPattern[]; generates: readonly PathPattern[]; since?: SinceRevision }
  | { kind: 'first' }
>;

/**
 * The decision about a step in a run with `--since`, which replaces the test of its files: the revision, and the reason why
 * the step runs, null if nothing has touched it.
 */
export type SinceRevision = Readonly<{ revision: string; reason: string | null }>;

/** The test of the files of a step. */
export type StaleTest = Test & { readonly kind: 'stale' };

/** A pattern of paths, relative to the directory of its op. Its references are looked up in the op's frame. */
export type PathPattern = LookupText;

/**
 * A step. `ready`: the frame with the text of its option `ready`, as its only variable, whose name no other can have.
 */
export type RunOp = StepPosition &
  Directory &
  Readonly<{
    kind: 'run';
    name: string;
    command: string;
    reads: readonly OutputRead[];
    frame: number;
    options: StepOptions;
    question?: Question;
    offset: number;
    ready?: number;
  }> &
  Script;

/**
 * A question that contains references. A linked plan has the values of variables in its text, and no lookups; a secret
 * is `***`.
 */
export type Question = Readonly<{ text: string; reads: readonly OutputRead[]; lookups: readonly VariableLookup[] }>;

/**
 * Stops the steps in the background of an execution of a workflow, at its end. `ops` are their indexes, in the reverse
 * order of their start.
 */
export type StopOp = Readonly<{ kind: 'stop'; call: number; ops: readonly number[]; frame: number; offset: number }>;

/**
 * Runs its branches concurrently. Each is a sequence of ops. The branches follow the op, and `end` follows them.
 * `frame` is the scope around the members.
 */
export type ParallelOp = StepPosition &
  Readonly<{
    kind: 'parallel';
    name: string;
    branches: readonly Branch[];
    end: OpPosition;
    frame: number;
    group: GroupOptions;
    offset: number;
  }>;

/** A member of a group: the ops and calls from `start` up to but not including `end`. */
export type Branch = Readonly<{ name: string; start: OpPosition; end: OpPosition }>;

/** The index of an op, and of the first call that begins at or after it. */
export type OpPosition = Readonly<{ op: number; call: number }>;

/** A frame and the frames around it, from the inside out, up to but not including `outer`, each with its index. */
export function* framesFrom(
  { frames }: Pick<Plan, 'frames'>,
  inner: number,
  outer: number | null = null,
): Generator<readonly [index: number, frame: Frame]> {
  for (let index: number | null = inner; index !== null && index !== outer;) {
    const frame: Frame = at(frames, index);
    yield [index, frame];
    index = frame.parent;
  }
}

/** The entry of a table at an index of the plan. Throws if there is none: a wrong index is a bug. */
export function at<Item>(table: readonly Item[], index: number): Item {
  const item = table[index];
  if (item === undefined) throw new Error(`the plan has no entry ${index}`);
  return item;
}
