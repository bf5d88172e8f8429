import { exitCode, type Exit } from '../backend/command_runner.ts';
import type { AttemptEnd, KnownOp, RunJournal } from '../backend/run_journal.ts';
import { secretOutputs } from '../ir/secrets.ts';
import { at, type CommandOp, type Plan } from '../ir/plan.ts';
import type { Session } from './journal.ts';
import { PreparedStarts } from './prepared_starts.ts';
import type { SessionRecord } from './record.ts';

/** `now` returns milliseconds since 1970. `warn` prints a line for the user. */
export type RecorderOptions = Readonly<{
  plan: Plan;
  session: Session;
  /** The state of an op after earlier sessions. A new run has none. */
  known: (op: number) => KnownOp | undefined;
  now: () => number;
  warn: (message: string) => void;
}>;

/**
 * Records a run in a session of its journal. If the session cannot be written, it is abandoned and the run continues: a
 * deployment must not fail because of its journal. If the session cannot be abandoned either, no further command
 * starts, because resuming would rely on an incomplete record.
 */
export class SessionRecorder implements RunJournal {
  readonly known: RunJournal['known'];
  readonly #plan: Plan;
  readonly #isSecretOutput: ReturnType<typeof secretOutputs>;
  readonly #options: RecorderOptions;
  readonly #prepared: PreparedStarts;
  /** The running commands and their start times. */
  readonly #inFlight = new Map<number, Readonly<{ op: CommandOp; at: number }>>();
  #state: Readonly<{ kind: 'writing' | 'given up' } | { kind: 'stuck'; reason: string }> = { kind: 'writing' };

  constructor(options: RecorderOptions) {
    this.#options = options;
    this.#plan = options.plan;
    this.#isSecretOutput = secretOutputs(options.plan);
    this.known = options.known;
    this.#prepared = new PreparedStarts(options.plan);
  }

  /** Whether the record is complete, so that the run can be resumed. */
  get isComplete(): boolean {
    return this.#state.kind === 'writing';
  }

  start(n: number, index: number, attempt: number): string | undefined {
    const op = this.#opAt(index);
    const now = this.#options.now();
    this.#inFlight.set(n, { op, at: now });
    if (this.#state.kind === 'writing') {
      const { about } = this.#prepared.at(index);
      const frames = this.#prepared.framesAt(index);
      const at = new Date(now).toISOString();
      this.#append(`{"kind":"start","n":${n},${about}${frames},"attempt":${attempt},"at":"${at}"}\n`, 'synced');
    }
    return this.#state.kind === 'stuck' ? this.#state.reason : undefined;
  }

  end(n: number, { exit, failed, allowed, more, interrupted }: AttemptEnd): undefined {
    const started = this.#inFlight.get(n);
    if (started === undefined) throw new Error(`command ${n} has not started`);
    this.#inFlight.delete(n);
    const { op } = started;
    const ms = Math.max(0, this.#options.now() - started.at);
    const why = problemOf(exit);
    const outputs = exit.kind === 'exited' && exit.outputs?.ok === true ? exit.outputs.values : undefined;
    const details = {
      ...(failed && allowed && { allowed }),
      ...(more && { more }),
      ...(interrupted && { interrupted }),
      ...(why !== undefined && { why }),
      ...(outputs !== undefined && {
        outputs: outputs.map(([name, value]) => [name, this.#isSecretOutput(op, name) ? null : value]),
      }),
    };
    const end = `{"kind":"end","n":${n},"exit":${exitCode(exit)},"failed":${failed},"ms":${ms}`;
    const rest = JSON.stringify(details).slice(1);
    this.#append(`${end}${rest === '}' ? '' : ','}${rest}\n`, 'written');
  }

  decide(index: number, holds: boolean): undefined {
    if (this.#state.kind !== 'writing') return;
    this.#append(`{"kind":"decide",${this.#prepared.at(index).decision},"holds":${holds}}\n`, 'written');
  }

  /** Records the end of the session. On return, the record is on disk. */
  finish(success: boolean, whole: boolean, interrupted: string | undefined): void {
    const at = new Date(this.#options.now()).toISOString();
    const record: SessionRecord = { kind: 'finish', success, whole, interrupted: interrupted ?? null, at };
    this.#append(`${JSON.stringify(record)}\n`, 'synced');
    this.#options.session.close();
  }

  #append(line: string, durability: 'written' | 'synced'): void {
    if (this.#state.kind !== 'writing') return;
    const { session, warn } = this.#options;
    const problem = session.append(line, durability);
    if (problem === undefined) return;
    const stuck = session.giveUp();
    this.#state = stuck === undefined ? { kind: 'given up' } : { kind: 'stuck', reason: `the journal: ${stuck}` };
    const end = stuck === undefined ? 'this run continues, but cannot be resumed' : 'no further step starts';
    warn(`the journal cannot be written: ${problem}; ${end}`);
  }

  #opAt(index: number): CommandOp {
    const op = at(this.#plan.ops, index);
    if (op.kind === 'parallel') throw new Error('a group has no command');
    return op;
  }
}

function problemOf(exit: Exit): string | undefined {
  if (exit.kind === 'not started') return exit.reason;
  return exit.kind === 'exited' && exit.outputs?.ok === false ? exit.outputs.problems.join('; ') : undefined;
}
