import type { OpId, Print } from '../steps/identity.ts';

/** An output of a finished step; null where its value was not recorded, because it is secret. */
export type RecordedOutput = readonly [name: string, value: string | null];

/**
 * How far a step of a run came. Finished: it exited 0 with its outputs, or failed while failing was allowed;
 * `exitCode` is null if a person said that it has finished. Unknown: it was started and nobody saw its end, or it
 * exited 0 after the run was asked to end.
 */
export type Progress =
  | FinishedStep
  | Readonly<{ kind: 'failed' }>
  | Readonly<{ kind: 'unknown'; because: 'killed' | 'interrupted' }>
  | Readonly<{ kind: 'none' }>;

export type FinishedStep = Readonly<{
  kind: 'finished';
  exitCode: number | null;
  failed: boolean;
  attempts: number;
  outputs: readonly RecordedOutput[];
  /** Why its outputs could not be read. */
  problem: string | null;
}>;

/**
 * What the sessions of a run recorded of one step. `wanted`: somebody has asked for it to run, whatever has finished
 * after it, and it has not finished since.
 */
export type StepRecord = Readonly<{ id: OpId; name: string; print: Print; progress: Progress; wanted: boolean }>;

/** How a condition was decided; null where a test of it did not end. */
export type Decision = Readonly<{ id: OpId; print: Print; holds: boolean | null }>;

/** What the sessions of a run recorded, in the order in which the run came to it. */
export type History = Readonly<{
  steps: readonly StepRecord[];
  decisions: readonly Decision[];
  /** How `after_all` ended, which runs once in a run. */
  afterAll: Readonly<{ exitCode: number }> | null;
}>;
