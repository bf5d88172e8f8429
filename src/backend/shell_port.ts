import { exitCode } from './execute.ts';
import type { CommandPort, Exit, Request } from './port.ts';
import { processTable } from './process_table.ts';
import { processTree } from './process_tree.ts';
import type { Shell } from './shell.ts';
import { watchSignals } from './signals.ts';
import { start, type Descriptors } from './start.ts';
import { isInTerminalForeground } from './terminal.ts';

/** The port that runs commands in a real shell, for the length of one run. */
export interface ShellPort extends CommandPort {
  /** Ends every process of the run at once, after a bug of ours. */
  abandon(): void;
  /** Gives the signals back; to be called when the run is over. Throws a bug that nobody saw yet. */
  close(): void;
}

/** `marker` is the variable by which the run's processes are found again. */
export function shellPort(shell: Shell, marker: string, descriptors: Descriptors): ShellPort {
  const inherited = new Set(Object.keys(process.env));
  const tree = processTree(processTable(process.platform), process.pid, marker, inherited);
  /** An exception from a place that no call of ours waits for, such as a signal handler. */
  let bug: { readonly error: unknown } | undefined;
  let failRun: ((error: unknown) => void) | undefined;
  const onBug = (error: unknown): void => {
    bug ??= { error };
    failRun?.(error);
  };
  const watch = watchSignals(tree, () => isInTerminalForeground(process.platform), onBug);
  process.on('uncaughtException', onBug);

  const runToEnd = async (request: Request): Promise<Exit> => {
    const { pid, exited } = start(shell, request, descriptors);
    watch.started(pid);
    const exit = await exited;
    await watch.ended(exitCode(exit));
    return exit;
  };
  const throwBug = (): void => {
    if (bug !== undefined) throw bug.error;
  };

  return {
    get interruption() {
      return watch.interruption;
    },
    run(request) {
      throwBug();
      return new Promise((resolve, reject) => {
        failRun = reject;
        runToEnd(request).then(resolve, reject);
      });
    },
    abandon() {
      tree.kill();
    },
    close() {
      process.removeListener('uncaughtException', onBug);
      watch.close();
      throwBug();
    },
  };
}
