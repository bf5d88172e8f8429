import { describeReadiness, READY_LIMIT, type BackgroundOp } from '../../ir/ops.ts';
import type { Readiness } from '../../frontend/schema/option_fields.ts';
import { at } from '../../ir/plan.ts';
import type { Result } from '../../base/result.ts';
import type { BranchRunner, CommandRequest, CommandRunner, Exit, Interruption, ReadyTest } from '../command_runner.ts';
import type { ResolvedCommand } from '../command_requests.ts';
import type { SharedState } from '../run_settings.ts';

/** The step of a runner. `onDeath` is called when it ends by itself, and returns the end of a sentence about that. */
type RunningStep = Readonly<{ op: BackgroundOp; index: number; onDeath: () => string }>;

/** Runs the command of one step in the background. */
export class BackgroundRunner implements CommandRunner {
  /** Settles when the step is ready. */
  readonly becomesReady: Promise<void>;
  readonly #shared: SharedState;
  readonly #own: BranchRunner;
  readonly #step: RunningStep;
  /** The text of the test of readiness, with all values. */
  readonly #awaited: Readiness | undefined;
  readonly #test: Result<ReadyTest | null>;
  #settle: () => void = () => undefined;
  #state: 'starting' | 'ready' | 'stopping' = 'starting';
  /** The end of a sentence about the death of the step. */
  #death: string | undefined;

  constructor(shared: SharedState, own: BranchRunner, step: RunningStep) {
    this.#shared = shared;
    this.#own = own;
    this.#step = step;
    this.becomesReady = new Promise((resolve) => (this.#settle = resolve));
    this.#awaited = awaitedBy(shared, step.op);
    // Values of outputs that nothing has given are placeholders.
    const isTested = shared.settings.isSimulated !== true;
    this.#test = isTested ? testOf(shared, step.op, this.#awaited) : { ok: true, value: null };
  }

  get isReady(): boolean {
    return this.#state === 'ready' && this.#death === undefined;
  }

  /** The reason why the step cannot start: its test of readiness makes no sense. */
  get problem(): string | undefined {
    return this.#test.ok ? undefined : this.#test.problems.join('; ');
  }

  get interruption(): Interruption | undefined {
    return this.#own.interruption;
  }

  get isCancelled(): boolean {
    return this.#own.isCancelled;
  }

  ready(): Promise<void> {
    return this.#own.ready();
  }

  wait(milliseconds: number): Promise<void> {
    return this.#own.wait(milliseconds);
  }

  fork(): BranchRunner {
    throw new Error('a step in the background has no branches');
  }

  request(): ResolvedCommand {
    const { op } = this.#step;
    const timeout = op.options.ready === undefined ? null : (op.options.timeout ?? READY_LIMIT);
    return { ...this.#shared.requests.ofStep(op), timeout };
  }

  async run(request: CommandRequest): Promise<Exit> {
    const { op, index } = this.#step;
    const { journal, settings } = this.#shared;
    const exit = await this.#own.run({
      ...request,
      background: {
        test: this.#test.ok ? this.#test.value : null,
        onReady: (milliseconds) => {
          if (this.#state !== 'starting') return;
          this.#state = 'ready';
          journal.ready(request.number, milliseconds);
          settings.observe({ kind: 'ready', op, index, milliseconds });
          this.#settle();
        },
        onTry: (tries) => settings.observe({ kind: 'not ready', op, index, tries, awaited: this.#awaitedText }),
        onEnd: () => {
          if (this.#state === 'ready') this.#death = this.#step.onDeath();
        },
      },
    });
    return this.#meaningOf(exit);
  }

  /** Stops the step. Its end counts as a success. */
  stop(): void {
    if (this.#death === undefined) this.#state = 'stopping';
    this.#own.cancel();
  }

  get #awaitedText(): string {
    return this.#awaited === undefined ? '' : describeReadiness(this.#awaited);
  }

  #meaningOf(exit: Exit): Exit {
    const { printed } = exit;
    const rest = printed === undefined ? {} : { printed };
    if (exit.kind === 'timed out') return { ...exit, waited: this.#awaitedText };
    if (exit.kind !== 'exited' && exit.kind !== 'cancelled') return exit;
    if (this.#state === 'stopping') return { kind: 'exited', code: 0, ...rest };
    const code = exit.code === 0 ? 1 : exit.code;
    const ended = `ended with exit code ${exit.code}`;
    if (this.#death !== undefined) return { kind: 'ended early', code, reason: `${ended}${this.#death}`, ...rest };
    const advice = exit.code === 0 ? '; its command has to stay in the foreground, without & or --daemon' : '';
    return { kind: 'ended early', code, reason: `${ended} before it was ready${advice}`, ...rest };
  }
}

/** The test of readiness of a step with the values of its references. */
function awaitedBy({ requests }: SharedState, { options, ready: frame }: BackgroundOp): Readiness | undefined {
  const { ready } = options;
  if (ready === undefined || frame === undefined) return undefined;
  const text =
    ready.kind === 'run' ? ready.text : (requests.settingOf(frame, `ready.${ready.kind}`)?.value ?? ready.text);
  return { kind: ready.kind, text };
}

function testOf(
  { plan, requests }: SharedState,
  op: BackgroundOp,
  ready: Readiness | undefined,
): Result<ReadyTest | null> {
  if (ready === undefined) return { ok: true, value: null };
  const { kind, text } = ready;
  const fail = (problem: string): Result<never> => ({ ok: false, problems: [requests.masked(problem)] });
  switch (kind) {
    case 'port': {
      const port = /^[1-9]\d{0,4}$/.test(text) ? Number(text) : Infinity;
      return port <= 65_535
        ? { ok: true, value: { kind, port } }
        : fail(`the port of 'ready' is '${text}', not a number from 1 to 65535`);
    }
    case 'url':
      return /^https?:\/\//.test(text) && URL.canParse(text)
        ? { ok: true, value: { kind, text } }
        : fail(`the url of 'ready' is '${text}', not one that begins with http:// or https://`);
    case 'output':
      return text === '' ? fail("the text of 'ready' is empty") : { ok: true, value: { kind, text } };
    case 'run': {
      const [, , reads = []] = op.ready === undefined ? [] : (at(plan.frames, op.ready).vars[0] ?? []);
      return { ok: true, value: { kind, request: { ...requests.ofReadiness(op, text, reads), number: 0 } } };
    }
  }
}
