import type { Variable } from '../../ir/plan.ts';
import type { Exit } from '../command_runner.ts';

/** The secrets of a run's session. Lists contain indexes of the plan's secrets. */
export type RunSecrets = Readonly<{
  /** The variables that no environment has unless its command lists them. */
  names: ReadonlySet<string>;
  /** The problems with a list whose values have been sought; undefined if one has not. */
  problemsOf: (list: readonly number[]) => readonly string[] | undefined;
  /**
   * Gets the values of a list, each at most once in the session. Returns the problems. Starts no provider once the command
   * that needs the list has been stopped.
   */
  fetch: (list: readonly number[], isStopped: () => boolean) => Promise<readonly string[]>;
  /** The variables for a list. */
  variables: (list: readonly number[]) => readonly Variable[];
  /** The end of a command, with the names of the outputs that contain a value. */
  marked: (exit: Exit) => Exit;
  /** A text without the values. */
  mask: (text: string) => string;
}>;
