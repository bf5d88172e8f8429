import type { Readable } from 'node:stream';
import type { Capture } from '../outputs/capture.ts';
import { exitCode } from '../execute.ts';
import type { CommandRunner, Exit, CommandRequest } from '../command_runner.ts';
import { procTable, psTable } from './process_table.ts';
import { processTree, type ProcessTree, type Root } from './process_tree.ts';
import type { Shell } from './find_shell.ts';
import { watchSignals } from './signal_watch.ts';
import { spawnCommand, type Descriptors } from './spawn.ts';
import { isInTerminalForeground } from './foreground.ts';
import { startTimeout, type Timeout } from './timeout.ts';

/** The port that runs commands in a real shell, for the length of one run. */
export type ShellRunner = CommandRunner &
  Readonly<{
    /** Ends the run in good order, and gives the signals back. Throws a bug that nobody was told of yet. */
    close: <Outcome>(outcome: Outcome) => Promise<Outcome>;
    /** Ends every process of the run at once, after a bug of ours, and throws that. */
    abandon: (bug: unknown) => Promise<never>;
  }>;

/**
 * `marker` is the variable by which the run's processes are found again. `capture` reads outputs; a run whose commands
 * give none does without.
 */
export function shellRunner(
  shell: Shell,
  marker: string,
  descriptors: Descriptors,
  capture?: (stream: Readable, descriptor: number) => Capture,
): ShellRunner {
  const { pid: self, platform, env } = process;
  const inherited = new Set(Object.keys(env));
  const sent = new Set<string>();
  const treeOf = (root: Root): ProcessTree =>
    processTree(platform === 'linux' ? procTable : psTable, self, root, inherited, sent);
  const tree = treeOf({ kind: 'run', marker });
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
  /** Those whose command, or what it left running, may still print. */
  const captures = new Set<Capture>();
  const close = async (): Promise<void> => {
    await watch.close();
    for (const each of captures) each.close();
    for (const kind of kinds) process.removeListener(kind, onBug);
  };
  let limited = 1;
  const run = async (request: CommandRequest): Promise<Exit> => {
    let { environment } = request;
    const { timeout, outputs } = request;
    let value = '';
    if (timeout !== null) {
      // By a value of its own, what this command has started is told from what earlier ones have left running.
      limited += 1;
      value = String(limited);
      environment = new Map([...environment, [marker, value]]);
    }
    const { pid, exited, stdout } = spawnCommand(shell, { ...request, environment }, descriptors);
    watch.started(pid);
    const limit: Timeout | undefined =
      timeout === null ? undefined : startTimeout(treeOf({ kind: 'command', marker, pid, value }), timeout);
    const captured = stdout === null ? undefined : capture?.(stdout, descriptors.stderr);
    if (captured !== undefined) {
      captures.add(captured);
      stdout?.once('close', () => captures.delete(captured));
    }
    const exit = await exited;
    const isLate = (await limit?.ended()) === true;
    await watch.ended(isLate ? 0 : exitCode(exit));
    const read = await captured?.drained();
    if (isLate && timeout !== null) return { kind: 'timed out', limit: timeout };
    if (exit.kind !== 'exited' || exit.code !== 0 || read === undefined) return exit;
    return { ...exit, outputs: read(outputs) };
  };
  return {
    get interruption() {
      return watch.interruption();
    },
    ready: watch.ready,
    wait: (milliseconds) =>
      new Promise((resolve, reject) => {
        if (bug !== undefined) throw bug;
        giveUp = reject;
        watch.wait(milliseconds).then(resolve, reject);
      }),
    run: (request) =>
      new Promise((resolve, reject) => {
        if (bug !== undefined) throw bug;
        giveUp = reject;
        run(request).then(resolve, reject);
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
