import type { Quotes } from '../frontend/references/shell/found_reference.ts';
import type { GroupOptions, IncludedFile, Input, StepOptions } from '../frontend/ast.ts';
import type { StepNumber } from '../frontend/diagnostics/diagnostic.ts';

/**
 * The number of the plan's format, in plan files and for programs that exchange plans. A change of the types below, or
 * of the text form of a plan, needs the next number. A golden file compares them.
 */
export const PLAN_FORMAT = 1;

/**
 * Everything that a run does, as plain data that survives JSON. Names are resolved and calls are flattened. Nothing
 * comes from the process that made the plan.
 *
 * `workflow` is the requested workflow. `params` override every frame. The ops run in order.
 * `files` are the included files, if there are any, in the order of their offsets: an offset belongs to the last file that
 * begins at or before it, and one before all of them to the file asked for.
 */
export type Plan = Readonly<{
  workflow: string;
  params: readonly Variable[];
  frames: readonly Frame[];
  calls: readonly Call[];
  ops: readonly Op[];
  files?: readonly IncludedFile[];
}>;

export type Variable = readonly [name: string, value: string];

/** A variable of the file, with the outputs and the variables that its value refers to, if any. */
export type ScopedVariable = readonly [
  name: string,
  value: string,
  reads?: readonly OutputRead[],
  lookups?: readonly VariableLookup[],
];

/**
 * A reference to a variable in a value: `start` and `end` in UTF-16 units, the variable's name, the text to use if nothing
 * sets it (null if there is none), and the start of the value in the file's text. In a linked plan, whose values have no
 * such references any more, only the name has a meaning.
 */
export type VariableLookup = Readonly<{
  start: number;
  end: number;
  name: string;
  fallback: string | null;
  offset: number;
}>;

/**
 * A reference in a text: `start` and `end` in UTF-16 units, the step's name, the index of the op that gives the output
 * (null if no op of the plan does), the output's name, the text to use if the op gave nothing (null if there is none),
 * and the quotes around the reference if the text is a command.
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
 * A scope of variables. `parent` is the index of the enclosing frame, `source` its origin in words: `env of release`.
 * `inputs` are those that a workflow declares, and `dotenv` the files that it names; no other frame has these fields, and
 * their frames set no variables. `lookup` is the index of the frame in which the values look variables up, if that is not
 * the parent. `matrix`: the variables are those of a matrix, which no parameter may override.
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

/** A file of variables under the process environment. Only a linked plan has its variables. */
export type DotenvFile = Readonly<{ path: string; vars: readonly Variable[] }>;

/**
 * One pass through a workflow. Entry 0 is the requested workflow; the others are calls by a step of an earlier entry.
 * Its ops are those from `start` up to `end`, which is not one of them; `guard` is the index of the call's own condition,
 * which comes before (null without one). Its steps run in `frame`, or inside it. `inputs` is the frame of the workflow's
 * inputs; a workflow without any has no such field.
 */
export type Call = Readonly<{
  workflow: string;
  from: Caller | null;
  guard: number | null;
  start: number;
  end: number;
  frame: number;
  inputs?: number;
}>;

/** The step that makes a call. */
export type Caller = StepPosition & Readonly<{ name: string }>;

/** A step as the index of its call and its number in that call's workflow: `2`, or `2.1` for a member of a group. */
export type StepPosition = Readonly<{ call: number; step: StepNumber }>;

/** `frame` is an index into the plan's frames; `offset` is the start of the step or hook in the file's text. */
export type Op = HookOp | ConditionOp | RunOp | ParallelOp;

/** An op that runs a command, or tests a variable. */
export type CommandOp = HookOp | ConditionOp | RunOp;

/** Runs at its position if the run is succeeding (`start`, `success`), has failed (`failure`), or in both cases. */
export type HookOp = Readonly<{
  kind: 'hook';
  hook: 'before_all' | 'after_all' | 'error' | 'finally';
  when: 'start' | 'success' | 'failure' | 'always';
  frame: number;
  offset: number;
  command: string;
  reads: readonly OutputRead[];
}> &
  Script;

/** `errexit`: the first line of the command that fails ends it, as the lines of a list do. */
type Script = Readonly<{ errexit?: true }>;

/** Whether an op also runs in a failed run. */
export function runsAfterFailure(op: Op): boolean {
  return op.kind === 'hook' && (op.when === 'failure' || op.when === 'always');
}

/**
 * Where a command runs: relative to the directory that the tool was started in; null for that directory itself.
 * `dirLookup` has the variables that the path refers to, and the frame in which they are looked up.
 */
export type Directory = Readonly<{
  dir: string | null;
  dirLookup?: Readonly<{ frame: number; lookups: readonly VariableLookup[] }>;
}>;

/** Continues at the op `target` unless the test holds. */
export type ConditionOp = StepPosition &
  Directory &
  Readonly<{ kind: 'condition'; test: Test; target: number; frame: number; offset: number }>;

/** A variable holds if it is set and not empty, a command if it exits with 0. */
export type Test = Readonly<
  { kind: 'variable'; name: string } | { kind: 'command'; command: string; reads: readonly OutputRead[] }
>;

export type RunOp = StepPosition &
  Directory &
  Readonly<{
    kind: 'run';
    name: string;
    command: string;
    reads: readonly OutputRead[];
    frame: number;
    options: StepOptions;
    offset: number;
  }> &
  Script;

/**
 * Runs its branches side by side, each as its ops in order. The branches follow the op, and `end` follows them. `frame`
 * is the scope around the members.
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

/** A member of a group: the ops and calls from `start` up to `end`, which are not part of it. */
export type Branch = Readonly<{ name: string; start: OpPosition; end: OpPosition }>;

/** The index of an op, and of the first call that does not begin before it. */
export type OpPosition = Readonly<{ op: number; call: number }>;

/** The entry of a table at an index of the plan. Throws if there is none: a wrong index is a bug. */
export function at<Item>(table: readonly Item[], index: number): Item {
  const item = table[index];
  if (item === undefined) throw new Error(`the plan has no entry ${index}`);
  return item;
}
