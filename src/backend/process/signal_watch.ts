import { GRACE, waitForExit } from './wait_for_exit.ts';
import { SIGNALS, type Interruption } from '../command_runner.ts';
import type { ProcessTree } from './process_tree.ts';
import { delay } from '../system/sleep.ts';

/** The same signal again within this many milliseconds is one: wrappers forward what we got too. */
const REPEAT_WINDOW = 300;

/** How long our own signal may lag behind a command that died of it, in milliseconds. */
const SIGNAL_LAG = 50;

/** Watches for signals during a run and passes them on to the command that is running. */
export type SignalWatch = Readonly<{
  interruption: () => Interruption | undefined;
  /** To be awaited before a command is started: ends all that earlier ones left, if a signal came between two. */
  ready: () => Promise<void>;
  /** To be called right after a command was started. */
  started: (pid: number | undefined) => void;
  /**
   * To be awaited when the command has ended: gives a signal that the command died of the time to
   * reach us too, and ends all that an interrupted command left behind.
   */
  ended: (code: number) => Promise<void>;
  /** Waits for some milliseconds, or until a signal has come. */
  wait: (milliseconds: number) => Promise<void>;
  /** Ends what is left of an interrupted run and puts the signals back to what they were. */
  close: () => Promise<void>;
}>;

/**
 * `terminalDelivers` tells whether a Ctrl-C came from a terminal, which sends it to the running
 * command as well.
 */
export function watchSignals(tree: ProcessTree, terminalDelivers: () => boolean): SignalWatch {
  let interruption: Interruption | undefined;
  let interruptedAt = 0;
  let running: number | undefined;
  /** True in the loop turns in which a signal may have come before the command was there to get it. */
  let justStarted = false;
  let killTimer: NodeJS.Timeout | undefined;
  /** When the running command, asked to end, is killed. */
  let deadline: number | undefined;
  /** Ends a wait. */
  let wake: (() => void) | undefined;

  const pass = (signal: NodeJS.Signals): void => {
    if (running === undefined) return;
    const delivered = signal === 'SIGINT' && terminalDelivers();
    if (delivered && justStarted) process.kill(running, signal);
    tree.signal(signal, delivered ? 'unsignalled' : 'all');
    if (signal === 'SIGINT') return;
    deadline = performance.now() + GRACE;
    killTimer = setTimeout(() => tree.kill(), GRACE);
  };
  const receive = (signal: NodeJS.Signals): void => {
    wake?.();
    if (interruption === undefined) {
      interruption = { signal, forced: false };
      interruptedAt = performance.now();
      pass(signal);
    } else if (signal !== interruption.signal || performance.now() - interruptedAt > REPEAT_WINDOW) {
      interruption = { signal, forced: true };
      tree.kill();
    }
  };
  const endTree = async (): Promise<void> => {
    if (tree.isEmpty('all')) return;
    if (interruption?.signal === 'SIGINT') {
      // What heard the Ctrl-C may be cleaning up; a second signal would tell it to drop that.
      tree.signal('SIGTERM', 'unsignalled');
      await waitForExit(tree, 'signalled', performance.now() + GRACE);
    }
    tree.signal('SIGTERM', 'all');
    if (!(await waitForExit(tree, 'all', deadline ?? performance.now() + GRACE))) tree.kill();
  };
  for (const signal of SIGNALS) process.on(signal, receive);

  return {
    interruption: () => interruption,
    async ready() {
      if (interruption !== undefined) await endTree();
    },
    started(pid) {
      [running, deadline, justStarted] = [pid, undefined, true];
      // Two turns: the first poll after the start may still hold what came before it.
      setImmediate(() => setImmediate(() => (justStarted = false)));
    },
    async ended(code) {
      running = undefined;
      clearTimeout(killTimer);
      if (code >= 128 && interruption === undefined) await delay(SIGNAL_LAG);
      if (interruption !== undefined) await endTree();
    },
    async wait(milliseconds) {
      if (interruption !== undefined) return;
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, milliseconds);
        wake = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    },
    async close() {
      wake?.();
      if (interruption !== undefined) await endTree();
      for (const signal of SIGNALS) process.removeListener(signal, receive);
    },
  };
}
