import type { Readable } from 'node:stream';
import type { Capture } from '../outputs/capture.ts';
import { exitCode, TERMINATED, type BranchOptions, type BranchRunner, type CommandRequest } from '../command_runner.ts';
import type { BackgroundRequest, CommandRunner, Exit, Interruption, OnCancel } from '../command_runner.ts';
import type { ProcessTable } from './table/process_table.ts';
import { TreeContext, type CommandRoot } from './marked_processes.ts';
import { MarkedTree } from './end_process_tree.ts';
import type { Shell } from '../system/find_shell.ts';
import { SignalWatch } from './signal_watch.ts';
import { markerValue, spawnCommand } from './spawn.ts';
import { startTimeout, type Deadline, type EndReason } from './timeout.ts';
import type { OutputRecorder, TailRecording } from '../outputs/output_recorder.ts';
import type { SharedStderr } from '../outputs/shared_stderr.ts';
import { delay } from '../system/sleep.ts';
import { ShellBranch } from './shell_branch.ts';
import type { Readiness, watchReadiness } from './readiness.ts';
import type { RunOutput } from '../outputs/branch_output.ts';

/**
 * Events for exceptions outside of any awaited call. Node also reports an unhandled rejection as the first one, Bun
 * does not.
 */
const BUG_EVENTS = ['uncaughtException', 'unhandledRejection'] as const;

/**
 * The parts of the system that a run needs. `marker` is the environment variable that identifies the run's processes.
 * `capture` reads outputs, and is optional for a run without outputs. `output` prints the output of group members, and
 * is optional for a run without groups. With `recorder`, the last lines of commands are recorded: commands outside of
 * groups then do not write to standard error directly. `watchReadiness` is optional for a run without steps in the
 * background.
 */
export type ShellOptions = Readonly<{
  shell: Shell;
  marker: string;
  stdin: number;
  stderr: SharedStderr;
  table: ProcessTable;
  capture?: ((stream: Readable, passOn: (chunk: Buffer) => void) => Capture) | undefined;
  output?: RunOutput | undefined;
  recorder?: OutputRecorder | undefined;
  watchReadiness?: typeof watchReadiness | undefined;
}>;

/** After a signal, work after the run may take this many milliseconds, unless it is blocked. */
const LATE_PERIOD = 200;

/** In place of the number of a command, for programs without a marker. */
const UNMARKED = 'none';

/** Runs commands in a real shell, for one run. */
export class ShellRunner implements CommandRunner {
  readonly #options: ShellOptions;
  readonly #context: TreeContext;
  readonly #tree: MarkedTree;
  readonly #watch: SignalWatch;
  /** Captures of commands whose output is still open, perhaps because of a leftover process. */
  readonly #captures = new Set<Capture>();
  #bug: Error | undefined;
  /** Whether the run has failed because of a bug, so that nothing of it may be left. */
  #isBroken = false;
  /** Functions that reject the promises of running commands and waits. */
  readonly #giveUp = new Set<(bug: Error) => void>();
  readonly isCancelled = false;

  constructor(options: ShellOptions) {
    this.#options = options;
    const inherited = new Set(Object.keys(process.env));
    this.#context = new TreeContext(options.table, process.pid, inherited, options.recorder?.pipes.keepers);
    this.#tree = new MarkedTree(this.#context, {
      kind: 'run',
      marker: options.marker,
      spared: () => (this.#isBroken ? [] : this.#watch.spared),
    });
    this.#watch = new SignalWatch(this.#tree, options.table.isInForeground);
    for (const event of BUG_EVENTS) process.on(event, this.#onBug);
  }

  get interruption(): Interruption | undefined {
    return this.#watch.interruption;
  }

  /** The pids of processes that the run could not end. */
  get remnants(): readonly number[] {
    return Array.from(this.#context.remnants.values(), ({ pid }) => pid);
  }

  /** The reason why a signal reached only the commands themselves. */
  get unlisted(): string | undefined {
    return this.#context.unlisted;
  }

  ready(): Promise<void> {
    return this.#watch.ready();
  }

  wait(milliseconds: number, onCancel?: OnCancel): Promise<void> {
    return this.#unlessBug(() => this.#watch.wait(milliseconds, onCancel));
  }

  fork(options: BranchOptions): BranchRunner {
    const { output } = this.#options;
    if (output === undefined) throw new Error('a run without branches');
    return new ShellBranch(this, output.fork(options));
  }

  run(request: CommandRequest, branch?: ShellBranch): Promise<Exit> {
    return this.#unlessBug(() => this.#run(request, branch));
  }

  /**
   * Attends to a program that is no command of the run: it has no marker. Signals end it with its tree, and so do its time
   * limit and `cancel`.
   */
  attend(pid: number | undefined, exited: Promise<number>, timeout: number): Deadline {
    const root = this.#began(pid, UNMARKED, exited);
    const running = this.#watch.started(root);
    const tree = { kind: 'command', marker: this.#options.marker, ...root } as const;
    const { cancel, lift, ended } = startTimeout(new MarkedTree(this.#context, tree), timeout);
    const end = async (): Promise<EndReason | undefined> => {
      const code = await exited;
      const reason = await ended();
      await this.#watch.ended(running, reason === undefined ? code : 0);
      return reason;
    };
    return { cancel, lift, ended: () => this.#unlessBug(end) };
  }

  /** The outcome of `complete`, once signals are handled as before. */
  finish<Outcome>(run: Promise<Outcome>): Promise<Outcome> {
    return this.complete(run).finally(() => this.#watch.release());
  }

  /**
   * The outcome of a run, once an interrupted run has no processes left. Later signals only end `unlessLate`. If the run
   * fails because of a bug in this program, kills all of its processes and throws the error. Also throws an error that
   * no running command could report.
   */
  async complete<Outcome>(run: Promise<Outcome>): Promise<Outcome> {
    const outcome = await run.catch(async (bug: unknown) => {
      this.#isBroken = true;
      this.#tree.kill();
      await this.#release();
      throw bug;
    });
    await this.#release();
    if (this.#bug !== undefined) throw this.#bug;
    return outcome;
  }

  /** The result of work after the run, or a signal after which the work has not ended soon. */
  unlessLate<Result>(work: Promise<Result>): Promise<Result | Readonly<{ signal: NodeJS.Signals }>> {
    const late = new Promise<NodeJS.Signals>((resolve) => (this.#watch.onLate = resolve));
    return Promise.race([work, late.then((signal) => delay(LATE_PERIOD).then(() => ({ signal })))]);
  }

  async #run(request: CommandRequest, branch?: ShellBranch): Promise<Exit> {
    if (branch !== undefined) return this.#runInBranch(request, branch);
    const recorder = request.isQuestion === true ? undefined : this.#options.recorder;
    if (recorder?.pipes.isFull === true) {
      const before = this.interruption;
      await recorder.pipes.makeRoom();
      if (this.interruption !== before) return { kind: 'not started', reason: 'the run was interrupted' };
    }
    const recording = recorder?.begin(request);
    const exit = await this.#runIn(request, undefined, recording);
    await recording?.pipe.drained();
    return recording === undefined ? exit : { ...exit, printed: recording.tail };
  }

  /** The commands of a branch share its pipe and run one after the other. */
  async #runInBranch(request: CommandRequest, branch: ShellBranch): Promise<Exit> {
    const tail = this.#options.recorder?.tail(request);
    const readiness = request.background && this.#watchReadiness(request, request.background);
    branch.output.record(readiness === undefined ? tail : readiness.listener(tail));
    const exit = await this.#runIn(request, branch, undefined, readiness);
    return tail === undefined ? exit : { ...exit, printed: tail };
  }

  #watchReadiness(request: CommandRequest, background: BackgroundRequest): Readiness {
    const { shell, marker, stdin, watchReadiness: watch } = this.#options;
    if (watch === undefined) throw new Error('a run without steps in the background');
    // Its processes belong to the tree of the step.
    const attempt = (test: CommandRequest): Promise<Exit> => {
      const own = { ...test, number: request.number };
      return spawnCommand(shell, own, { stdin, stderr: 'ignore' }, marker).exited;
    };
    return watch(background, attempt);
  }

  async #runIn(
    request: CommandRequest,
    branch?: ShellBranch,
    recording?: TailRecording,
    readiness?: Readiness,
  ): Promise<Exit> {
    const { shell, marker, stdin } = this.#options;
    const { outputs, timeout } = request;
    const output = branch?.output;
    if (output?.problem !== undefined) return { kind: 'not started', reason: output.problem };
    const show = (chunk: Buffer): void => {
      const isStored = recording?.tail.add(chunk);
      if (output === undefined) this.#options.stderr.passOn(chunk, isStored);
      else output.passOn(chunk);
    };
    const taken = await readiness?.problem();
    if (taken !== undefined) return { kind: 'not started', reason: taken };
    if (readiness !== undefined && branch?.isCancelled === true) return { kind: 'cancelled', code: TERMINATED };
    const stderr = output?.descriptor ?? recording?.pipe.descriptor ?? this.#options.stderr.lend();
    const { pid, exited, stdout } = spawnCommand(shell, request, { stdin, stderr }, marker);
    const root = this.#began(pid, markerValue(request), exited);
    const running = this.#watch.started(root, readiness !== undefined);
    const tree = { kind: 'command', marker, ...root } as const;
    const isTimed = timeout !== null || branch !== undefined || request.onCancel !== undefined;
    const deadline = isTimed ? startTimeout(new MarkedTree(this.#context, tree), timeout) : undefined;
    const keep = request.completes === true ? undefined : deadline && branch?.onCancel(deadline.cancel);
    const revoke = deadline && request.onCancel?.(deadline.cancel);
    if (pid !== undefined) readiness?.begin(() => deadline?.lift());
    const capture = stdout === null ? undefined : this.#capture(stdout, show);
    const exit = await exited;
    keep?.();
    revoke?.();
    readiness?.end();
    const reason = await deadline?.ended(readiness !== undefined);
    await this.#watch.ended(running, reason === undefined ? exitCode(exit) : 0);
    const read = await capture?.drained();
    await output?.drained();
    if (reason === 'timed out' && timeout !== null) return { kind: 'timed out', limit: timeout };
    if (reason === 'cancelled') return { kind: 'cancelled', code: exitCode(exit) };
    if (exit.kind !== 'exited' || exit.code !== 0 || read === undefined) return exit;
    return { ...exit, outputs: read(outputs) };
  }

  #began(pid: number | undefined, value: string, exited: Promise<unknown>): CommandRoot {
    const { children } = this.#options.table;
    if (children !== undefined && pid !== undefined) {
      children.add(pid);
      void exited.then(() => children.delete(pid));
    }
    return { pid, value };
  }

  #capture(stdout: Readable, print: (chunk: Buffer) => void): Capture | undefined {
    const capture = this.#options.capture?.(stdout, print);
    if (capture === undefined) return undefined;
    this.#captures.add(capture);
    stdout.once('close', () => this.#captures.delete(capture));
    return capture;
  }

  readonly #onBug = (thrown: unknown): void => {
    this.#bug ??= thrown instanceof Error ? thrown : new Error(String(thrown));
    for (const giveUp of this.#giveUp) giveUp(this.#bug);
  };

  /** The result of some work. Rejected immediately if a bug shows up meanwhile. */
  #unlessBug<Result>(work: () => Promise<Result>): Promise<Result> {
    return new Promise((resolve, reject) => {
      if (this.#bug !== undefined) throw this.#bug;
      this.#giveUp.add(reject);
      work()
        .finally(() => this.#giveUp.delete(reject))
        .then(resolve, reject);
    });
  }

  async #release(): Promise<void> {
    await this.#watch.close();
    for (const capture of this.#captures) capture.close();
    this.#options.output?.close();
    this.#options.recorder?.close();
    for (const event of BUG_EVENTS) process.removeListener(event, this.#onBug);
  }
}
