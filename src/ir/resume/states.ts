import type { RunOp } from '../plan.ts';
import type { OpId, Print, PrintChange } from '../steps/identity.ts';
import type { OpRange } from '../steps/select.ts';
import type { Decision, FinishedStep, StepRecord } from './history.ts';

/** What the person who resumes a run has chosen. `done` and `rerun` hold indexes of commands. */
export type ResumeChoices = Readonly<{
  changed: 'ask' | 'keep' | 'rerun';
  onCrash: (op: RunOp) => 'ask' | 'rerun' | 'fail';
  done: ReadonlySet<number>;
  rerun: ReadonlySet<number>;
  /** The part of the plan to run; with `again`, what has finished of it runs once more. */
  selected: (OpRange & Readonly<{ again: boolean }>) | null;
}>;

/**
 * What a resume does with a step.
 *
 * - `kept`: not run; `finished` is its result, `done` says that a person vouches for it
 * - `run`, `again`: run, the latter although something is known of it
 * - `changed`, `new`, `out of order`, `lost output`: conflicts, with which nothing starts
 * - `unknown`: was in flight; runs again, counts as failed, or is a question
 * - `skipped`: its condition was decided not to hold
 * - `not selected`: outside the selected part
 */
export type StepState = Readonly<
  | { kind: 'kept'; finished: FinishedStep; record: StepRecord; done: boolean; edited: boolean }
  | { kind: 'run' | 'again' | 'skipped' }
  | ConflictState
  | { kind: 'unknown'; because: 'killed' | 'interrupted'; onCrash: 'ask' | 'rerun' | 'fail' }
  | { kind: 'not selected'; finished: FinishedStep | null }
>;

/** Why a resume cannot start before a person decides about a step. */
export type ConflictState = Readonly<
  | { kind: 'changed'; changes: readonly PrintChange[] }
  | { kind: 'new' | 'out of order' }
  | { kind: 'lost output'; output: string }
>;

/** What a resume does with a condition: it was decided, is tested (again), or its edit is a conflict. */
export type ConditionState = Readonly<
  { kind: 'decided'; holds: boolean } | { kind: 'test' } | { kind: 'changed'; changes: readonly PrintChange[] }
>;

/** A wish of the person that cannot be granted. */
export type Refusal = Readonly<
  { kind: 'not in doubt' | 'done but read'; op: number } | { kind: 'left out but read'; op: number; from: number }
>;

/** What a resume does with each step and condition, by op. */
export type Match = Readonly<{
  ids: ReadonlyMap<number, OpId>;
  /** What was recorded of them. */
  records: Readonly<{ steps: ReadonlyMap<number, StepRecord>; decisions: ReadonlyMap<number, Decision> }>;
  prints: ReadonlyMap<number, Print>;
  steps: ReadonlyMap<number, StepState>;
  conditions: ReadonlyMap<number, ConditionState>;
  /** Ops whose conflicts are to be decided, in order. */
  conflicts: readonly number[];
  /** Steps in flight of which nobody has said what becomes of them. */
  questions: readonly number[];
  refusals: readonly Refusal[];
  /** Steps that have finished and are in the file no more. */
  gone: readonly StepRecord[];
}>;
