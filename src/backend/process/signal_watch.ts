import { GRACE_PERIOD, waitForExit } from './wait_for_exit.ts';
import { SIGNALS, type Interruption, type OnCancel } from '../command_runner.ts';
import type { GentleSignal } from './table/process_table.ts';
import type { CommandRoot } from './marked_processes.ts';
import type { ProcessTree } from './end_process_tree.ts';
import { delay, turn } from '../system/sleep.ts';

/**
 * A second signal within this many milliseconds counts as the first: wrappers forward signals that the terminal also
 * delivers, and systemd sends SIGTERM and SIGHUP together.
 */
const REPEAT_WINDOW = 300;

/** Maximum delay, in milliseconds, of a signal to this process after a command has died of the same signal. */
const SIGNAL_LAG = 50;

/**
 * A running command. Only commands in branches of groups and in the background run concurrently. `isCleanUp`: only a
 * second signal ends it, because it is a hook that has started after the first one, or in the background.
 */
export type Running = CommandRoot & Readonly<{ isCleanUp: boolean }>;

/** No signal has arrived yet. */
type Watching = Readonly<{ kind: 'watching' }>;

/**
 * The run is interrupted, and only hooks may still run. Times are of `performance.now()`: `since` is the time of the
 * first signal, `passedOn` that at which the processes had it, `deadline` that of SIGKILL, once SIGTERM was sent. `gentle`
 * is the signal after which processes may be cleaning up; processes of hooks never received it. `isEnded`: nothing is
 * left, or about to be ended, except for running hooks.
 */
type Interrupted = Readonly<{
  kind: 'ending';
  interruption: Interruption;
  since: number;
  passedOn: number;
  gentle: GentleSignal | undefined;
  deadline: number | undefined;
  isEnded: boolean;
}>;

/** Watches for signals during a run and passes them on to the running commands. */
export class SignalWatch {
  readonly #tree: ProcessTree;
  readonly #terminalDelivers: () => boolean;
  #state: Watching | Interrupted = { kind: 'watching' };
  readonly #running = new Set<Running>();
  /** The running commands for which an incoming signal may be older than the command. */
  readonly #fresh = new Set<Running>();
  /** The timer for SIGTERM after SIGHUP, and for SIGKILL after SIGTERM. */
  #timer: NodeJS.Timeout | undefined;
  readonly #endWaits = new Set<() => void>();
  /** Called once no command runs that the first signal ends: continue the commands that wait for this. */
  readonly #onQuiet = new Set<() => void>();
  /** The ending of what is left. */
  #ending: Promise<void> | undefined;
  /**
   * Set while signals may be pending that arrived during the handling of the first: reading the process table takes
   * time.
   */
  #isBusy = false;
  #isClosed = false;
  /** Called with a signal that arrives after the end of the run. */
  onLate: (signal: NodeJS.Signals) => void = () => undefined;

  /** `terminalDelivers` returns whether a Ctrl-C comes from a terminal, which also sends it to the running command. */
  constructor(tree: ProcessTree, terminalDelivers: () => boolean) {
    this.#tree = tree;
    this.#terminalDelivers = terminalDelivers;
    for (const signal of SIGNALS) process.on(signal, this.#onSignal);
  }

  get interruption(): Interruption | undefined {
    return this.#state.kind === 'ending' ? this.#state.interruption : undefined;
  }

  /** The running commands that are not ended with what others have left. */
  get spared(): Iterable<CommandRoot> {
    if (this.interruption?.forced === true) return [];
    return [...this.#running].filter(({ isCleanUp }) => isCleanUp);
  }

  /**
   * Must be awaited before a command starts. If a signal has arrived, waits until the commands that it ends have ended,
   * also those of other branches, and ends what they left.
   */
  async ready(): Promise<void> {
    if (this.#isEnding()) await new Promise<void>((resolve) => this.#onQuiet.add(resolve));
    await this.#endTree();
  }

  /** Must be called right after a command was started. */
  started(root: CommandRoot, isInBackground = false): Running {
    const command = { ...root, isCleanUp: isInBackground || this.#state.kind === 'ending' };
    this.#running.add(command);
    if (this.#state.kind === 'ending') {
      this.#state = { ...this.#state, gentle: undefined, deadline: undefined };
    } else if (root.pid !== undefined && !isInBackground) {
      this.#fresh.add(command);
      // Two turns: the first poll after the start may still deliver an earlier signal.
      setImmediate(() => setImmediate(() => this.#fresh.delete(command)));
    }
    return command;
  }

  /**
   * Must be awaited after the command has ended. Waits for the signal that the command died of, which may not have
   * reached this process yet, and ends everything that an interrupted command left. Of several interrupted commands,
   * the last one to end does this.
   */
  async ended(command: Running, code: number): Promise<void> {
    this.#fresh.delete(command);
    if (this.#state.kind === 'watching' && code >= 128) await delay(SIGNAL_LAG);
    this.#running.delete(command);
    if (this.#state.kind === 'ending' && command.isCleanUp) this.#state = { ...this.#state, isEnded: false };
    if (!this.#isEnding()) {
      for (const resolve of this.#onQuiet) resolve();
      this.#onQuiet.clear();
    }
    await this.#endTree();
  }

  /** Waits for some milliseconds, until a signal arrives, or until the wait is cancelled. */
  async wait(milliseconds: number, onCancel?: OnCancel): Promise<void> {
    if (this.#state.kind === 'ending') return;
    await new Promise<void>((resolve) => {
      const end = (): void => {
        clearTimeout(timer);
        this.#endWaits.delete(end);
        keep?.();
        resolve();
      };
      const timer = setTimeout(end, milliseconds);
      this.#endWaits.add(end);
      const keep = onCancel?.(end);
    });
  }

  /** Ends the remaining processes of an interrupted run. Later signals no longer interrupt it. */
  async close(): Promise<void> {
    for (const end of this.#endWaits) end();
    // Two turns: the poll between them delivers the signals that are pending.
    await turn().then(turn);
    await this.#endTree();
    this.#isClosed = true;
  }

  /** Restores the default handling of signals. */
  release(): void {
    for (const signal of SIGNALS) process.removeListener(signal, this.#onSignal);
  }

  readonly #onSignal = (signal: NodeJS.Signals): void => {
    if (this.#isClosed) return this.onLate(signal);
    const state = this.#state;
    for (const end of this.#endWaits) end();
    if (state.kind === 'ending') this.#repeat(signal, state);
    else this.#interrupt(signal);
  };

  #interrupt(signal: NodeJS.Signals): void {
    const gentle = signal === 'SIGINT' || signal === 'SIGHUP' ? signal : undefined;
    const interruption = { signal, forced: signal === 'SIGQUIT' };
    const since = performance.now();
    this.#state = { kind: 'ending', interruption, since, passedOn: since, gentle, deadline: undefined, isEnded: false };
    // bash ignores SIGQUIT, and would go on to the next command of the step after this process has ended.
    if (interruption.forced) this.#tree.kill();
    else if (gentle === 'SIGINT') this.#passOnInterrupt();
    else if (gentle === 'SIGHUP') this.#hangUp();
    else this.#terminate();
    // Stopping the processes first takes time.
    this.#state = { ...this.#state, passedOn: performance.now() };
    this.#isBusy = true;
    // Two turns: the poll between them delivers the signals that were pending.
    setImmediate(() => setImmediate(() => (this.#isBusy = false)));
  }

  #passOnInterrupt(): void {
    const isDelivered = this.#terminalDelivers();
    for (const { pid } of isDelivered ? this.#fresh : []) if (pid !== undefined) process.kill(pid, 'SIGINT');
    this.#tree.signal('SIGINT', isDelivered ? 'SIGINT' : undefined);
  }

  #hangUp(): void {
    this.#tree.signal('SIGHUP');
    this.#timer = setTimeout(() => this.#terminate(), GRACE_PERIOD);
  }

  #terminate(): void {
    if (this.#state.kind !== 'ending') return;
    this.#tree.signal('SIGTERM');
    this.#state = { ...this.#state, gentle: undefined, deadline: performance.now() + GRACE_PERIOD };
    this.#timer = setTimeout(() => this.#tree.kill(), GRACE_PERIOD);
  }

  #repeat(signal: NodeJS.Signals, state: Interrupted): void {
    const isRepeated = this.#isBusy || performance.now() - state.since <= REPEAT_WINDOW;
    if (isRepeated && signal !== 'SIGQUIT') return;
    this.#state = { ...state, interruption: { signal, forced: true } };
    this.#tree.kill();
  }

  /** Whether commands run that the first signal ends. */
  #isEnding(): boolean {
    return this.#state.kind === 'ending' && [...this.#running].some(({ isCleanUp }) => !isCleanUp);
  }

  /** Ends everything that commands left, once no interrupted command runs. */
  async #endTree(): Promise<void> {
    while (this.#ending !== undefined || this.#hasEnded()) {
      this.#ending ??= this.#endRest().finally(() => (this.#ending = undefined));
      await this.#ending;
    }
  }

  /** Whether something may be left of commands that have ended. */
  #hasEnded(): boolean {
    return this.#state.kind === 'ending' && !this.#state.isEnded && !this.#isEnding();
  }

  async #endRest(): Promise<void> {
    const state = this.#state;
    if (state.kind !== 'ending') return;
    this.#state = { ...state, isEnded: true };
    clearTimeout(this.#timer);
    if (!this.#tree.isEmpty()) {
      if (state.gentle !== undefined) await this.#awaitCleanUp(state.gentle, state.passedOn);
      this.#tree.signal('SIGTERM');
      if (!(await waitForExit(this.#tree, state.deadline ?? performance.now() + GRACE_PERIOD))) this.#tree.kill();
    }
  }

  /**
   * Sends SIGTERM to processes that cannot be cleaning up, and gives the others time: 5 seconds from now after SIGINT,
   * 5 seconds from `passedOn` after SIGHUP.
   */
  async #awaitCleanUp(gentle: GentleSignal, passedOn: number): Promise<void> {
    this.#tree.signal('SIGTERM', gentle);
    await waitForExit(this.#tree, GRACE_PERIOD + (gentle === 'SIGHUP' ? passedOn : performance.now()), gentle);
  }
}
