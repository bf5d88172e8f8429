import type { VariableDigest } from '../steps/digest.ts';
import type { OpId, Fingerprint } from '../steps/identity.ts';

/** An output of a finished step. The value of a secret output is not recorded, and null. */
export type RecordedOutput = readonly [name: string, value: string | null];

/**
 * The progress of a step. `finished`: it exited with 0 and its outputs were read, or its failure was allowed;
 * `exitCode` is null for a step that counts as finished because of `--done`. `unknown`: its end was not recorded, or it
 * exited with 0 after the run was interrupted.
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
  /** The reason why its outputs could not be read. */
  problem: string | null;
  /** The time limit that it exceeded, in milliseconds. */
  limit?: number;
}>;

/** The result of a step named by `--done`. */
export const VOUCHED = {
  kind: 'finished',
  exitCode: null,
  failed: false,
  attempts: 1,
  outputs: [],
  problem: null,
} as const;

/** The variables of a scope in which a step ran, and the scope around it. The innermost one has the parameters. */
export type RecordedScope = Readonly<{ vars: readonly VariableDigest[]; outer: RecordedScope | null }>;

/**
 * The record of a step from all sessions of a run. `scope` is null if it is not recorded. `wanted`: the user requested
 * that it run again, and it has not finished since.
 */
export type RecordedStep = Readonly<{
  id: OpId;
  name: string;
  print: Fingerprint;
  scope: RecordedScope | null;
  progress: Progress;
  wanted: boolean;
}>;

/** The result of a condition; null if its command did not end. `outputs` are those of a step that was up to date. */
export type Decision = Readonly<{
  id: OpId;
  print: Fingerprint;
  holds: boolean | null;
  outputs?: readonly RecordedOutput[];
}>;

/** The record of a run from all its sessions, in the order of execution. */
export type History = Readonly<{
  steps: readonly RecordedStep[];
  decisions: readonly Decision[];
  /** The ids of `finally` hooks of workflows, as JSON, that have succeeded since the last command of their execution. */
  cleaned: ReadonlySet<string>;
  /** The result of `after_all`, which runs once per run, over all sessions. */
  afterAll: Readonly<{ exitCode: number }> | null;
}>;
