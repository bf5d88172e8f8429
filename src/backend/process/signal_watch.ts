import { GRACE, waitForExit } from './wait_for_exit.ts';
import { SIGNALS, type Interruption } from '../command_runner.ts';
import type { ProcessTree } from './process_tree.ts';
import { delay } from '../system/sleep.ts';

/** The same signal within this many milliseconds counts as one: wrappers forward what the terminal also delivers. */
const REPEAT_WINDOW = 300;

/** How long a signal to this process may lag behind a command that died of the same signal, in milliseconds. */
const SIGNAL_LAG = 50;

/**
 * Idle: no command runs. Running: a command runs, and is fresh while an incoming signal may be older than the command.
 * Ending: interrupted, `since` a time of `performance.now()`; only hooks may run. The command that ran when the signal
 * came has until `deadline`, if one is set.
 */
type Idle = Readonly<{ kind: 'idle' }>;
type Running = Readonly<{ kind: 'running'; pid: number; isFresh: boolean }>;
type Ending = Readonly<{ kind: 'ending'; interruption: Interruption; since: number; deadline: number | undefined }>;

/** Watches for signals during a run and passes them on to the running command. */
export class SignalWatch {
  readonly #tree: ProcessTree;
  readonly #terminalDelivers: () => boolean;
  #state: Idle | Running | Ending = { kind: 'idle' };
  #killTimer: NodeJS.Timeout | undefined;
  #endWait: (() => void) | undefined;

  /** `terminalDelivers` says whether a Ctrl-C comes from a terminal, which also sends it to the running command. */
  constructor(tree: ProcessTree, terminalDelivers: () => boolean) {
    this.#tree = tree;
    this.#terminalDelivers = terminalDelivers;
    for (const signal of SIGNALS) process.on(signal, this.#onSignal);
  }

  get interruption(): Interruption | undefined {
    return this.#state.kind === 'ending' ? this.#state.interruption : undefined;
  }

  /** To be awaited before a command starts: ends what earlier commands left, if a signal came in between. */
  async ready(): Promise<void> {
    if (this.#state.kind === 'ending') await this.#endTree(this.#state);
  }

  /** To be called right after a command was started; `pid` is undefined if it could not be. */
  started(pid: number | undefined): void {
    if (this.#state.kind === 'ending') this.#state = { ...this.#state, deadline: undefined };
    else if (pid !== undefined) this.#run({ kind: 'running', pid, isFresh: true });
  }

  /**
   * To be awaited when the command has ended, with its exit code: waits for the signal that the command died of, which
   * may still be on its way to this process, and ends everything that an interrupted command left behind.
   */
  async ended(code: number): Promise<void> {
    clearTimeout(this.#killTimer);
    if (this.#state.kind === 'running') this.#state = { kind: 'idle' };
    if (this.#state.kind === 'idle' && code >= 128) await delay(SIGNAL_LAG);
    if (this.#state.kind === 'ending') await this.#endTree(this.#state);
  }

  /** Waits for some milliseconds, or until a signal comes. */
  async wait(milliseconds: number): Promise<void> {
    if (this.#state.kind === 'ending') return;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, milliseconds);
      this.#endWait = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  /** Ends what is left of an interrupted run and restores the default handling of signals. */
  async close(): Promise<void> {
    this.#endWait?.();
    if (this.#state.kind === 'ending') await this.#endTree(this.#state);
    for (const signal of SIGNALS) process.removeListener(signal, this.#onSignal);
  }

  #run(fresh: Running): void {
    this.#state = fresh;
    // Two turns: the first poll after the start may still deliver a signal from before it.
    setImmediate(() => setImmediate(() => this.#state === fresh && (this.#state = { ...fresh, isFresh: false })));
  }

  readonly #onSignal = (signal: NodeJS.Signals): void => {
    const state = this.#state;
    this.#endWait?.();
    if (state.kind === 'ending') this.#repeat(signal, state);
    else this.#interrupt(signal, state);
  };

  #interrupt(signal: NodeJS.Signals, state: Idle | Running): void {
    const now = performance.now();
    const deadline = state.kind === 'running' && signal !== 'SIGINT' ? now + GRACE : undefined;
    this.#state = { kind: 'ending', interruption: { signal, forced: false }, since: now, deadline };
    if (state.kind === 'running') this.#passOn(signal, state);
    if (deadline !== undefined) this.#killTimer = setTimeout(() => this.#tree.kill(), GRACE);
  }

  #passOn(signal: NodeJS.Signals, { pid, isFresh }: Running): void {
    const isDelivered = signal === 'SIGINT' && this.#terminalDelivers();
    if (isDelivered && isFresh) process.kill(pid, signal);
    this.#tree.signal(signal, isDelivered ? 'unsignalled' : 'all');
  }

  #repeat(signal: NodeJS.Signals, state: Ending): void {
    if (signal === state.interruption.signal && performance.now() - state.since <= REPEAT_WINDOW) return;
    this.#state = { ...state, interruption: { signal, forced: true } };
    this.#tree.kill();
  }

  async #endTree({ interruption, deadline }: Ending): Promise<void> {
    if (this.#tree.isEmpty('all')) return;
    if (interruption.signal === 'SIGINT') {
      // A process that received the Ctrl-C may be cleaning up; a second signal would make it drop that.
      this.#tree.signal('SIGTERM', 'unsignalled');
      await waitForExit(this.#tree, 'signalled', performance.now() + GRACE);
    }
    this.#tree.signal('SIGTERM', 'all');
    if (!(await waitForExit(this.#tree, 'all', deadline ?? performance.now() + GRACE))) this.#tree.kill();
  }
}
