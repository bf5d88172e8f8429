import { exitCode, hasFailed, type RunEvent, type Outcome } from '../../backend/execute.ts';
import type { Exit } from '../../backend/command_runner.ts';
import { at, runsAfterFailure, type Call, type Op, type Plan } from '../../ir/plan.ts';
import { testText } from '../../ir/views/preview.ts';
import { unreachable } from '../../unreachable.ts';
import { describeExit, signalOf } from '../failure_text.ts';
import { skipReason } from '../op_text.ts';
import type { Prepared } from '../../driver/prepare.ts';

/**
 * All that is to be said of a run: the document of `--report`, and what the other forms are made of. Every field is
 * always there, null where there is nothing to say. `ops` can be gone through more than once.
 */
export type Report = Readonly<{
  version: 1;
  workflow: string;
  success: boolean;
  interrupted: string | null;
  start: string;
  end: string;
  duration_ms: number;
  calls: readonly ReportCall[];
  ops: Iterable<ReportOp>;
}>;

/** One time that a workflow is gone through, and the step that called it: that of the call `caller`. */
export type ReportCall = Readonly<{
  workflow: string;
  caller: number | null;
  step: number | null;
  name: string | null;
}>;

/** What an op is: a step, a hook, or a condition of a step. */
type Identity = Readonly<{
  kind: 'step' | 'hook' | 'condition';
  name: string | null;
  workflow: string | null;
  call: number | null;
  step: number | null;
  command: string;
}>;

export type Status = 'succeeded' | 'failed' | 'not started' | 'met' | 'not met' | 'skipped' | 'not reached';

/** What became of it. */
type Happened = Readonly<{
  status: Status;
  reason: string | null;
  attempts: number;
  /** It failed, and was allowed to. */
  allowed: boolean;
  start: string | null;
  end: string | null;
  duration_ms: number | null;
  offset_ms: number | null;
  exit_code: number | null;
  signal: string | null;
}>;

type Place = Readonly<{ frame: string; file: string; line: number; column: number }>;

export type ReportOp = Identity & Happened & Place;

/** A moment by two clocks: the one on the wall, and the one that is never set, in milliseconds. */
type Moment = Readonly<{ wall: number; steady: number }>;

/** A command that ran, perhaps more than once: its first start, its last end. */
type Ran = Readonly<{ start: Moment; end: Moment; attempts: number; exit: Exit }>;

/** Remembers of a run what its report needs and the plan does not say: an entry for each command that ran. */
export class Recorder {
  readonly #prepared: Prepared;
  readonly #ran = new Map<Op, Ran>();
  readonly #start = now();
  readonly #unmet = new Set<Op>();
  #begun = this.#start;
  /** The op that the run came to before anything failed. */
  #reached: Op | undefined;

  constructor(prepared: Prepared) {
    this.#prepared = prepared;
  }

  follow(event: RunEvent): void {
    const { op } = event;
    if (!runsAfterFailure(op)) this.#reached = op;
    switch (event.kind) {
      case 'started':
        this.#begun = now();
        break;
      case 'ended': {
        const { exit, attempts } = event;
        this.#ran.set(op, { start: this.#begun, end: now(), attempts, exit });
        break;
      }
      case 'waiting':
        break;
      case 'skipped':
        this.#unmet.add(op);
        break;
      default:
        unreachable(event);
    }
  }

  /** To be called when the run has ended. */
  report({ success, interrupted }: Outcome): Report {
    const { plan } = this.#prepared;
    const start = this.#start;
    const end = now();
    return {
      version: 1,
      workflow: plan.workflow,
      success,
      interrupted: interrupted ?? null,
      ...times(start, end),
      calls: plan.calls.map(reportCall),
      ops: { [Symbol.iterator]: () => this.#ops(success) },
    };
  }

  *#ops(success: boolean): Generator<ReportOp> {
    const { plan, path, position } = this.#prepared;
    const reached = success ? plan.ops.length : plan.ops.findIndex((op) => op === this.#reached);
    let skipped = { until: 0, reason: '' };
    for (const [index, op] of plan.ops.entries()) {
      const { until, reason } = skipped;
      const isSkipped = index < until;
      const happened = isSkipped ? without('skipped', reason) : this.#happened(op, index <= reached, success);
      if (op.kind === 'condition' && happened.status === 'not met')
        skipped = { until: op.target, reason: skipReason(op) };
      const frame = at(plan.frames, op.frame).source;
      yield { ...identity(plan, op), ...happened, frame, file: path, ...position(op.offset) };
    }
  }

  #happened(op: Op, isReached: boolean, success: boolean): Happened {
    const ran = this.#ran.get(op);
    if (ran !== undefined) return this.#ending(op, ran);
    if (op.kind === 'hook' && op.when === 'failure' && success) return without('skipped', 'nothing failed');
    // A variable is tested without anything being run.
    if (op.kind !== 'condition' || op.test.kind === 'command' || !isReached) return without('not reached');
    return without(this.#unmet.has(op) ? 'not met' : 'met');
  }

  #ending(op: Op, { start, end, attempts, exit }: Ran): Happened {
    const code = exitCode(exit);
    const [good, bad] = op.kind === 'condition' ? (['met', 'not met'] as const) : (['succeeded', 'failed'] as const);
    const status = exit.kind === 'not started' ? exit.kind : hasFailed(exit) ? bad : good;
    const offset_ms = Math.round(start.steady - this.#start.steady);
    const [exit_code, signal] = [code, signalOf(code) ?? null];
    const allowed = hasFailed(exit) && op.kind === 'run' && op.options.allowFailure;
    return { status, reason: reasonOf(exit), attempts, allowed, ...times(start, end), offset_ms, exit_code, signal };
  }
}

function without(status: Status, reason: string | null = null): Happened {
  const times = { start: null, end: null, duration_ms: null, offset_ms: null };
  return { status, reason, attempts: 0, allowed: false, ...times, exit_code: null, signal: null };
}

/** Why a command has failed, where its exit code does not say so. */
function reasonOf(exit: Exit): string | null {
  if (exit.kind === 'not started') return exit.reason;
  if (exit.kind === 'timed out') return describeExit(exit);
  return exit.outputs?.ok === false ? exit.outputs.problems.join('; ') : null;
}

function identity({ calls }: Plan, op: Op): Identity {
  if (op.kind === 'hook')
    return { kind: 'hook', name: op.hook, workflow: null, call: null, step: null, command: op.command };
  const { call, step } = op;
  const place = { workflow: at(calls, call).workflow, call, step };
  return op.kind === 'run'
    ? { kind: 'step', name: op.name, ...place, command: op.command }
    : { kind: 'condition', name: null, ...place, command: testText(op.test) };
}

function reportCall({ workflow, from }: Call): ReportCall {
  return { workflow, caller: from?.call ?? null, step: from?.step ?? null, name: from?.name ?? null };
}

/** `performance` would load a module at the first look. */
function now(): Moment {
  return { wall: Date.now(), steady: Number(process.hrtime.bigint() / 1000n) / 1000 };
}

function times(start: Moment, end: Moment): { start: string; end: string; duration_ms: number } {
  const iso = ({ wall }: Moment): string => new Date(wall).toISOString();
  return { start: iso(start), end: iso(end), duration_ms: Math.round(end.steady - start.steady) };
}
