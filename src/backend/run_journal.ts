import type { Variable } from '../ir/plan.ts';
import type { Exit } from './command_runner.ts';

/** The result of a step from an earlier session of the run. `exitCode` is null for a step named by `--done`. */
export type KeptResult = Readonly<{ exitCode: number | null; exit: Exit; attempts: number; failed: boolean }>;

/**
 * The recorded state of an op before the run reaches it.
 *
 * - `finished`: a step, or `after_all`, that does not run again
 * - `decided`: a condition that is not tested; `outputs` are those of a step that was up to date. `isReplayed`: it is
 *   recorded in this session, in a part that is replayed
 * - `left out`: outside of the selected part
 * - `cleaned`: a `finally` that has succeeded, and runs again only after a command of its execution
 * - `failed`: a step that counts as failed, because it was running when an earlier session ended; `reason` completes
 *   "it failed: …"
 */
export type KnownOp = Readonly<
  | { kind: 'finished'; result: KeptResult }
  | { kind: 'decided'; holds: boolean; outputs?: readonly Variable[]; isReplayed?: true }
  | { kind: 'left out' | 'cleaned' }
  | { kind: 'failed'; reason: string }
>;

/** The end of an attempt. `more`: another one follows. `interrupted`: the run was interrupted earlier. */
export type AttemptEnd = Readonly<{
  exit: Exit;
  failed: boolean;
  allowed: boolean;
  more: boolean;
  interrupted: boolean;
}>;

/**
 * The journal of a run for the interpreter: the results of earlier sessions, and the recording of this one, which
 * survives the process. `n` numbers the commands of the session, several of which may run at once.
 */
export type RunJournal = Readonly<{
  /** Undefined for an op to execute. Reporters ask, too, and about later ops. */
  known: (op: number) => KnownOp | undefined;
  /** The exit of an attempt that is replayed; undefined for one to execute. */
  recorded: (op: number, attempt: number) => Exit | undefined;
  /** The run reaches an op, or passes it by. */
  reach: (op: number) => void;
  /** Records durably that a command is about to start. Returns a reason if it must not start. */
  start: (n: number, op: number, attempt: number) => Promise<string | undefined> | string | undefined;
  /** Records that a command in the background is ready, some milliseconds after its start. */
  ready: (n: number, milliseconds: number) => void;
  /** Records the end of the command. */
  end: (n: number, end: AttemptEnd) => Promise<void> | undefined;
  /** Records whether a condition without a command holds, or a decided one, and the outputs of a step that is up to date. */
  decide: (op: number, holds: boolean, outputs?: readonly Variable[]) => Promise<void> | undefined;
  /** Records that the question of a step is about to be asked. */
  ask: (op: number, question: string) => void;
  /** Records that a step does not run because of its question. `asked`: the answer was no. */
  decline: (op: number, asked: boolean) => void;
  /** Records that the run waits for a lock, and the run that holds it. */
  waitFor: (lock: string, run: string | null) => void;
}>;

/** The journal of an unrecorded run. */
export const NO_JOURNAL: RunJournal = {
  known: () => undefined,
  recorded: () => undefined,
  reach: () => undefined,
  start: () => undefined,
  ready: () => undefined,
  end: () => undefined,
  decide: () => undefined,
  ask: () => undefined,
  decline: () => undefined,
  waitFor: () => undefined,
};
