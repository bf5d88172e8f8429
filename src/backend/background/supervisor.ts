import { isInBackground, type BackgroundOp } from '../../ir/ops.ts';
import { hookName, type Op, type StopOp } from '../../ir/plan.ts';
import { Attempts, type CommandResult } from '../attempts.ts';
import { LONGEST_WAIT, onEither } from '../command_runner.ts';
import type {
  BranchRunner,
  CommandRunner,
  Supervision,
  BranchOptions,
  CommandRequest,
  Exit,
  Interruption,
  OnCancel,
} from '../command_runner.ts';
import type { SharedState } from '../run_settings.ts';
import { addResult } from '../steps/step_results.ts';
import { turn } from '../system/sleep.ts';
import { BackgroundRunner } from './background_runner.ts';

/** Runs commands beside steps in the background. `end` ends all of them, also hooks and members of groups. */
class SupervisedRunner implements CommandRunner {
  readonly #port: CommandRunner;
  readonly #ends = new Set<(because: string) => void>();
  /** The reason why everything has ended. */
  #because: string | undefined;

  constructor(port: CommandRunner) {
    this.#port = port;
  }

  get interruption(): Interruption | undefined {
    return this.#port.interruption;
  }

  get isCancelled(): boolean {
    return this.#because !== undefined || this.#port.isCancelled;
  }

  ready(): Promise<void> {
    return this.#port.ready();
  }

  /** Hooks still run after the end. */
  async run(request: CommandRequest): Promise<Exit> {
    const exit = await this.#port.run({ ...request, onCancel: onEither(this.#onCancel, request.onCancel) });
    return exit.kind === 'cancelled' && this.#because !== undefined ? { ...exit, because: this.#because } : exit;
  }

  async wait(milliseconds: number, onCancel?: OnCancel): Promise<void> {
    if (this.#because !== undefined) return;
    await this.#port.wait(milliseconds, onEither(this.#onCancel, onCancel));
  }

  fork(options: BranchOptions): BranchRunner {
    const branch = this.#port.fork(options);
    // Other steps in the background are stopped in their order.
    if ('kind' in options.branch) return branch;
    return new SupervisedBranch(branch, this.#onCancel);
  }

  /** Ends the running commands and waits. Later commands do not start, except for hooks. */
  end(because: string): void {
    this.#because ??= because;
    for (const end of this.#ends) end(because);
    this.#ends.clear();
  }

  /** Calls a function at the end. Returns a function that revokes this. */
  readonly #onCancel = (end: (because: string) => void): (() => void) => {
    this.#ends.add(end);
    return () => void this.#ends.delete(end);
  };
}

class SupervisedBranch extends SupervisedRunner implements BranchRunner {
  readonly #branch: BranchRunner;
  readonly #revoke: () => void;

  constructor(branch: BranchRunner, onEnd: (end: (because: string) => void) => () => void) {
    super(branch);
    this.#branch = branch;
    this.#revoke = onEnd((because) => this.end(because));
  }

  get hasOutput(): boolean {
    return this.#branch.hasOutput;
  }

  cancel(): void {
    this.#branch.cancel();
  }

  close(): void {
    this.#revoke();
    this.#branch.close();
  }
}

/** A step that has been started. `end` settles once it has ended and its end is recorded. */
type StartedStep = Readonly<{ runner: BackgroundRunner; end: Promise<void> }>;

/** Starts and stops the steps in the background of a run or of a branch. It fails if one of them ends by itself. */
export class Supervisor implements Supervision {
  /** Runs the other commands, which end when a step in the background ends by itself. */
  readonly runner: SupervisedRunner;
  readonly #shared: SharedState;
  readonly #port: CommandRunner;
  readonly #onFailure: () => void;
  readonly #started = new Map<number, StartedStep>();
  /** The op that runs beside the steps in the background. */
  #current: Op | undefined;

  constructor(shared: SharedState, port: CommandRunner, onFailure: () => void) {
    this.#shared = shared;
    this.#port = port;
    this.#onFailure = onFailure;
    this.runner = new SupervisedRunner(port);
  }

  /** An op is about to be executed. */
  reach(op: Op): void {
    this.#current = op;
  }

  /**
   * Starts a step, unless there is a reason why it cannot start, and waits until it is ready, it has ended, or the run is
   * interrupted. Returns whether it is ready.
   */
  async start(op: BackgroundOp, index: number, reason: string | undefined): Promise<boolean> {
    const own = this.#port.fork({ branch: op, output: op.options.background });
    const runner = new BackgroundRunner(this.#shared, own, { op, index, onDeath: () => this.#die(op) });
    const commands = new Attempts(runner, this.#shared);
    const ended = commands.runUnless(reason ?? runner.problem, op, index, () => runner.request());
    const end = ended.then((result) => this.#finish(op, index, own, result));
    this.#started.set(index, { runner, end });
    await this.runner.wait(LONGEST_WAIT, (stop) => {
      void Promise.race([runner.becomesReady, end]).then(stop, stop);
      return () => undefined;
    });
    return runner.isReady;
  }

  /** Stops the steps in the given order, and waits until nothing of them is left. */
  async stop({ ops }: Pick<StopOp, 'ops'>): Promise<void> {
    // The polls in between report steps that have ended by themselves.
    if (this.#started.size > 0) await turn().then(turn);
    for (const index of ops) {
      const step = this.#started.get(index);
      step?.runner.stop();
      await step?.end;
      this.#started.delete(index);
    }
  }

  /** Stops everything that still runs. */
  close(): Promise<void> {
    return this.stop({ ops: [...this.#started.keys()] });
  }

  #die({ name }: BackgroundOp): string {
    const beside = this.#describeCurrent();
    this.runner.end(`background step '${name}' ended`);
    this.#onFailure();
    return beside;
  }

  /** The op that runs, as the end of a sentence. */
  #describeCurrent(): string {
    const op = this.#current;
    if (op === undefined || op.kind === 'stop' || isInBackground(op)) return '';
    if (op.kind === 'hook') return ` while hook '${hookName(this.#shared.plan, op)}' ran`;
    return op.kind === 'condition' ? ` while the condition of step ${op.step} was tested` : ` while '${op.name}' ran`;
  }

  #finish(op: BackgroundOp, index: number, own: BranchRunner, ended: CommandResult | undefined): void {
    if (own.hasOutput) this.#shared.settings.observe({ kind: 'member output', op, index, branch: op });
    own.close();
    if (ended !== undefined) addResult(this.#shared, op, index, ended);
  }
}
