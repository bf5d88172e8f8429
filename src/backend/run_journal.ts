import type { Exit } from './command_runner.ts';

/** The result of a step in an earlier session of the run; `exitCode` is null if a person vouches for it. */
export type KeptResult = Readonly<{ exitCode: number | null; exit: Exit; attempts: number; failed: boolean }>;

/**
 * The recorded state of an op before the run reaches it.
 *
 * - `finished`: a step, or `after_all`, that does not run again
 * - `decided`: a condition that is not tested
 * - `left out`: outside the selected part
 * - `failed`: a step that counts as failed, because it was in flight when an earlier session ended; `reason` completes
 *   "it failed: …"
 */
export type KnownOp = Readonly<
  | { kind: 'finished'; result: KeptResult }
  | { kind: 'decided'; holds: boolean }
  | { kind: 'left out' }
  | { kind: 'failed'; reason: string }
>;

/** How an attempt ended. `more`: another one follows. `interrupted`: the run was asked to end before. */
export type AttemptEnd = Readonly<{
  exit: Exit;
  failed: boolean;
  allowed: boolean;
  more: boolean;
  interrupted: boolean;
}>;

/**
 * The interpreter's memory: what earlier sessions of the run have done, and the record of this one, which outlives the
 * process. `n` counts the commands of the session, several of which may be in flight at once.
 */
export type RunJournal = Readonly<{
  /** Undefined for an op that is to be executed. */
  known: (op: number) => KnownOp | undefined;
  /** Records durably that a command is about to start; returns the reason if it must not. */
  start: (n: number, op: number, attempt: number) => Promise<string | undefined> | string | undefined;
  /** Records how the command ended. */
  end: (n: number, end: AttemptEnd) => Promise<void> | undefined;
  /** Records whether a condition holds. */
  decide: (op: number, holds: boolean) => Promise<void> | undefined;
}>;

/** The journal of a run that is not recorded. */
export const NO_JOURNAL: RunJournal = {
  known: () => undefined,
  start: () => undefined,
  end: () => undefined,
  decide: () => undefined,
};
