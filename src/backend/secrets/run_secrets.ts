import type { HookOp, RunOp, Variable } from '../../ir/plan.ts';
import type { CommandRunner, Exit } from '../command_runner.ts';
import type { RunJournal } from '../run_journal.ts';

/** An attempt at the command of a step or hook. `isStopped` returns whether it must no longer start. */
export type ListingCommand = Readonly<{
  op: RunOp | HookOp;
  index: number;
  attempt: number;
  journal: RunJournal;
  runner: CommandRunner;
  isStopped: () => boolean;
}>;

/** The secrets of a run's session. Lists contain indexes of the plan's secrets. */
export type RunSecrets = Readonly<{
  /**
   * Gets the values for an attempt at a command, unless the attempt is replayed: each at most once in the session. Returns
   * the problem with them. The member of a group stops waiting when it is cancelled.
   */
  prepare: (list: readonly number[], command: ListingCommand) => Promise<string | undefined>;
  /** The variables for a list. */
  variables: (list: readonly number[]) => readonly Variable[];
  /** The end of a command, with the names of the outputs that contain a value. */
  marked: (exit: Exit) => Exit;
  /** A text without the values. */
  mask: (text: string) => string;
}>;
