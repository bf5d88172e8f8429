/**
 * A plan is everything a run does, as plain data that survives JSON: nothing in it is left to look
 * up, and nothing of the process it was made in is part of it.
 *
 * `workflow` is the workflow asked for, `params` the layer over every frame; the ops run in order.
 */
export type Plan = Readonly<{
  workflow: string;
  params: readonly Variable[];
  frames: readonly Frame[];
  calls: readonly Call[];
  ops: readonly Op[];
}>;

export type Variable = readonly [name: string, value: string];

/** A variable of the file, with the outputs that are read into its value, where there are any. */
export type ScopedVariable = readonly [name: string, value: string, reads?: readonly OutputRead[]];

/**
 * A place of a text (UTF-16 units) in which the variable `output` of the op `from` is read, and the quotes that it is
 * in where the text is a command. It is empty if that op did not give it: it was skipped, or failed.
 */
export type OutputRead = Readonly<{ start: number; end: number; quotes: Quotes; from: number; output: string }>;

/** What a place of a command is in, as it decides how a variable is written there; `ansi` is `$'…'`. */
export type Quotes = 'none' | 'double' | 'single' | 'ansi';

/**
 * A scope of variables inside another one, by index; null for the outermost. `source` says in words
 * where it comes from: `env of release`.
 */
export type Frame = Readonly<{ source: string; parent: number | null; vars: readonly ScopedVariable[] }>;

/**
 * One time that a workflow is gone through: 0 is the workflow asked for, the others are calls, made
 * by a step of another one. `start` is the index of the first op after the call began; its
 * condition, if it has one, stands before.
 */
export type Call = Readonly<{ workflow: string; from: Origin | null; start: number }>;

/** The step that made a call. */
export type Origin = StepPosition & Readonly<{ name: string }>;

/** A step by its call and its position in that call's workflow, from 1. */
export type StepPosition = Readonly<{ call: number; step: number }>;

/**
 * A variable that a step's output gives, and the path to its value from the root of the JSON text: names
 * of members, and indexes of elements (negative ones from the end).
 */
export type Output = readonly [variable: string, path: readonly (string | number)[]];

/** Each op names its frame by index; `offset` is where its step or hook begins in the file's text. */
export type Op = HookOp | ConditionOp | RunOp;

/** Runs where it stands, if the run is going well (`start`, `success`), is not (`failure`), or either way. */
export type HookOp = Readonly<{
  kind: 'hook';
  hook: 'before_all' | 'after_all' | 'error' | 'finally';
  when: 'start' | 'success' | 'failure' | 'always';
  frame: number;
  offset: number;
  command: string;
  reads: readonly OutputRead[];
}>;

/** Whether an op is for runs too that have failed. */
export function runsAfterFailure(op: Op): boolean {
  return op.kind === 'hook' && (op.when === 'failure' || op.when === 'always');
}

/**
 * Where the test does not hold, the run goes on at the op `target`. `dir` is the folder that its command runs in,
 * relative to where the runner was started; null for that folder itself.
 */
export type ConditionOp = StepPosition &
  Readonly<{ kind: 'condition'; test: Test; target: number; frame: number; dir: string | null; offset: number }>;

/** A variable holds if it is set and not empty, a command if it exits 0. */
export type Test = Readonly<
  { kind: 'variable'; name: string } | { kind: 'command'; command: string; reads: readonly OutputRead[] }
>;

/** `timeout` is the limit of each attempt in milliseconds. */
export type RunOp = StepPosition &
  Readonly<{
    kind: 'run';
    name: string;
    command: string;
    reads: readonly OutputRead[];
    frame: number;
    dir: string | null;
    outputs: readonly Output[];
    retry: Retry | null;
    timeout: number | null;
    allowFailure: boolean;
    offset: number;
  }>;

/** So many attempts at most, the first one too, and so many milliseconds between two. */
export type Retry = Readonly<{ maxAttempts: number; delay: number }>;

/** The element that an index inside a plan names; a plan with a wrong index is a bug. */
export function at<Item>(table: readonly Item[], index: number): Item {
  const item = table[index];
  if (item === undefined) throw new Error(`the plan has no entry ${index}`);
  return item;
}
