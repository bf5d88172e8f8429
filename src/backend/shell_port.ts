import { exitCode } from './execute.ts';
import type { CommandPort } from './port.ts';
import { procTable, psTable } from './process_table.ts';
import { processTree } from './process_tree.ts';
import type { Shell } from './shell.ts';
import { watchSignals } from './signals.ts';
import { start, type Descriptors } from './start.ts';
import { isInTerminalForeground } from './terminal.ts';

/** The port that runs commands in a real shell, for the length of one run. */
export type ShellPort = CommandPort &
  Readonly<{
    /** Ends the run in good order, and gives the signals back. Throws a bug that nobody was told of yet. */
    close: <Outcome>(outcome: Outcome) => Promise<Outcome>;
    /** Ends every process of the run at once, after a bug of ours, and throws that. */
    abandon: (bug: unknown) => Promise<never>;
  }>;

/** `marker` is the variable by which the run's processes are found again. */
export function shellPort(shell: Shell, marker: string, descriptors: Descriptors): ShellPort {
  const { pid: self, platform, env } = process;
  const tree = processTree(platform === 'linux' ? procTable : psTable, self, marker, new Set(Object.keys(env)));
  /** An exception from a place that no call of ours waits for, such as a signal handler. */
  let bug: Error | undefined;
  /** Ends the wait for the running command. */
  let giveUp: ((bug: Error) => void) | undefined;
  const onBug = (thrown: unknown): void => {
    bug ??= thrown instanceof Error ? thrown : new Error(String(thrown));
    giveUp?.(bug);
  };
  const watch = watchSignals(tree, () => isInTerminalForeground(platform));
  // Node reports a rejection that nobody handles as such an exception too; Bun does not.
  const kinds = ['uncaughtException', 'unhandledRejection'] as const;
  for (const kind of kinds) process.on(kind, onBug);
  const close = async (): Promise<void> => {
    await watch.close();
    for (const kind of kinds) process.removeListener(kind, onBug);
  };
  return {
    get interruption() {
      return watch.interruption();
    },
    run: (request) =>
      new Promise((resolve, reject) => {
        if (bug !== undefined) throw bug;
        giveUp = reject;
        const { pid, exited } = start(shell, request, descriptors);
        watch.started(pid);
        exited.then((exit) => watch.ended(exitCode(exit)).then(() => resolve(exit))).catch(reject);
      }),
    async close(outcome) {
      await close();
      if (bug !== undefined) throw bug;
      return outcome;
    },
    async abandon(error) {
      tree.kill();
      await close();
      throw error;
    },
  };
}
