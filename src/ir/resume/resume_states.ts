import type { RunOp, Test } from '../plan.ts';
import type { OpId, Fingerprint, FingerprintChange } from '../steps/identity.ts';
import type { OpRange } from '../steps/resolve_step.ts';
import type { Decision, FinishedStep, RecordedStep } from './history.ts';

/**
 * The user's choices for resuming a run. `done` and `rerun` contain op indexes of commands. `unrecorded`: whether a step
 * is kept although an output of it that others read was not recorded.
 */
export type ResumeChoices = Readonly<{
  changed: 'ask' | 'keep' | 'rerun';
  unrecorded: 'ask' | 'keep';
  onCrash: (op: RunOp) => 'ask' | 'rerun' | 'fail';
  done: ReadonlySet<number>;
  rerun: ReadonlySet<number>;
  /** The part of the plan to run. `again`: its finished steps run again. */
  selected: (OpRange & Readonly<{ again: boolean }>) | null;
}>;

/**
 * The state of a step in the resumed run.
 *
 * - `kept`: does not run; `finished` is its result, `done` is set for a step named by `--done`, `moved` for a step that
 *   ran in another place
 * - `run`, `again`: runs; `again` if it ran before, or may have, `restored` if its `on_resume` says so
 * - `started`, `not needed`: a step in the background, which is started again for a later step of its execution, whose
 *   name is `before`, or does not run because there is none
 * - `changed`, `new`, `out of order`, `lost output`, `moved`: a conflict, with which the run does not start
 * - `unknown`: its end was not recorded; it runs again, counts as failed, or is a question to the user
 * - `skipped`: a test of this kind did not hold
 * - `not selected`: outside of the selected part
 */
export type StepState = Readonly<
  | { kind: 'kept'; finished: FinishedStep; record: RecordedStep; done: boolean; edited: boolean; moved: boolean }
  | { kind: 'run' | 'again' | 'restored' }
  | { kind: 'started'; before: string | null }
  | { kind: 'not needed' }
  | { kind: 'skipped'; by: Test['kind'] }
  | ConflictState
  | { kind: 'unknown'; because: 'killed' | 'interrupted'; onCrash: 'ask' | 'rerun' | 'fail' }
  | { kind: 'not selected'; finished: FinishedStep | null }
>;

/**
 * A conflict: the user has to decide about a step before the run can be resumed. `from` is a step that ran in another
 * place, and may be the same.
 */
export type ConflictState = Readonly<
  | { kind: 'changed'; changes: readonly FingerprintChange[] }
  | { kind: 'new' | 'out of order' }
  | { kind: 'lost output'; output: string; isSecret: boolean }
  | { kind: 'moved'; from: RecordedStep }
>;

/**
 * The state of a condition in the resumed run: its result is known, it is tested (again), or its edit is a conflict.
 */
export type ConditionState = Readonly<
  | { kind: 'decided'; holds: boolean; outputs?: Decision['outputs'] }
  | { kind: 'test' }
  | { kind: 'changed'; changes: readonly FingerprintChange[] }
>;

/**
 * Whether a hook of a workflow belongs to the resumed run. `cleaned`: it is a `finally` that has succeeded since the last
 * command of its execution. `undoes`: it has run after kept steps without `on_resume`, and what they did may be gone.
 */
export type HookState = Readonly<{ runs: boolean; cleaned: boolean; undoes: boolean }>;

/** A request of the user that cannot be met. */
export type Refusal = Readonly<
  | { kind: 'not in doubt' | 'done but read' | 'rerun but left out' | 'starts by itself'; op: number }
  | { kind: 'left out but read'; op: number; from: number }
>;

/** The states of steps and conditions in the resumed run, by op index. */
export type ResumeStates = Readonly<{
  ids: ReadonlyMap<number, OpId>;
  /** The matching records, the possible matches, and the records among the latter. */
  records: Readonly<{
    steps: ReadonlyMap<number, RecordedStep>;
    candidates: ReadonlyMap<number, RecordedStep>;
    undecided: readonly RecordedStep[];
    decisions: ReadonlyMap<number, Decision>;
  }>;
  prints: ReadonlyMap<number, Fingerprint>;
  steps: ReadonlyMap<number, StepState>;
  conditions: ReadonlyMap<number, ConditionState>;
  hooks: ReadonlyMap<number, HookState>;
  /** Ops with conflicts, in order. */
  conflicts: readonly number[];
  /** Steps whose end is unknown and for which neither the file nor the command line gives an answer. */
  questions: readonly number[];
  refusals: readonly Refusal[];
  /** Finished steps, and those whose end is unknown, that the plan no longer contains. */
  gone: readonly RecordedStep[];
}>;
