import { exitCode, isNoAnswer, type Exit } from '../../backend/command_runner.ts';
import type { AttemptEnd } from '../../backend/run_journal.ts';
import { conditionParts, commandAt, isCommand, isInBackground } from '../../ir/ops.ts';
import { at, framesFrom, hookName, type CommandOp, type Plan, type Variable } from '../../ir/plan.ts';
import { secretOutputs } from '../../ir/secret_names.ts';
import { createFrameDigests } from '../../ir/steps/digest.ts';
import { commandPaths } from '../../ir/steps/command_path.ts';
import { createFingerprints } from '../../ir/steps/identity.ts';
import type { EndRecord } from './record.ts';

/** Fields of a command that its records repeat, as JSON: `about` for its start, `identity` for the others. */
type PreparedFields = Readonly<{ about: string; identity: string }>;

/** The command of a record: its number, the index of its op, and its start in milliseconds since 1970. */
export type NumberedCommand = Readonly<{ n: number; op: number; at: number }>;

/** Maximum number of ops prepared at once. */
const MAX_BLOCK = 64;

/**
 * The records of a session, each as a line of JSON.
 *
 * They are prepared in blocks of ops. Starting a process evicts the CPU caches, so preparing one op at a time would take
 * several times as long. The first block has a single op, so that the first command starts at once.
 */
export class RecordText {
  readonly #plan: Plan;
  readonly #pathOf: ReturnType<typeof commandPaths>;
  readonly #fingerprintOf: ReturnType<typeof createFingerprints>;
  readonly #digestsOf: ReturnType<typeof createFrameDigests>;
  readonly #isSecretOutput: ReturnType<typeof secretOutputs>;
  /** 1 for each frame that a record of the session contains. */
  readonly #recorded: Uint8Array;
  readonly #hasGroups: boolean;
  #block = new Map<number, PreparedFields>();
  #size = 1;

  constructor(plan: Plan, isSecretOutput = secretOutputs(plan)) {
    this.#plan = plan;
    this.#pathOf = commandPaths(plan);
    this.#fingerprintOf = createFingerprints(plan);
    this.#digestsOf = createFrameDigests(plan);
    this.#isSecretOutput = isSecretOutput;
    this.#recorded = new Uint8Array(plan.frames.length);
    this.#hasGroups = plan.ops.some(({ kind }) => kind === 'parallel');
  }

  /** The start of a command. Without groups, ops must be requested in order. */
  start({ n, op, at }: NumberedCommand, attempt: number): string {
    const time = new Date(at).toISOString();
    const { about } = this.#prepared(op);
    return `{"kind":"start","n":${n},${about}${this.#frames(op)},"attempt":${attempt},"at":"${time}"}\n`;
  }

  /** A command in the background is ready. */
  ready(n: number, milliseconds: number): string {
    return `{"kind":"ready","n":${n},"ms":${milliseconds}}\n`;
  }

  /** The end of a command at a time. Only a session that can be replayed has `replay`. */
  end(command: NumberedCommand, ended: number, attempt: AttemptEnd, replay?: EndRecord['replay']): string {
    const { exit, failed, allowed, more, interrupted } = attempt;
    const op = commandAt(this.#plan, command.op);
    const why = problemOf(exit);
    const read = exit.kind === 'exited' && exit.outputs?.ok === true ? exit.outputs : undefined;
    const isSecret = (name: string): boolean => read?.secret?.has(name) === true || this.#isSecretOutput(op, name);
    const details = {
      ...(failed && allowed && { allowed }),
      ...(more && { more }),
      ...(interrupted && { interrupted }),
      ...(why !== undefined && { why }),
      ...(read !== undefined && { outputs: read.values.map(([name, value]) => [name, isSecret(name) ? null : value]) }),
      ...(exit.kind === 'timed out' && { limit: exit.limit }),
      ...(exit.kind === 'cancelled' && { cancelled: true }),
      ...(exit.kind === 'rejected' && { rejected: true }),
      ...(exit.kind === 'ended early' && { early: true }),
      ...(op.kind === 'condition' && !interrupted && !isNoAnswer(exit) && { holds: exitCode(exit) === 0 }),
      ...(replay !== undefined && { replay }),
    };
    const ms = Math.max(0, ended - command.at);
    const end = `{"kind":"end","n":${command.n},"exit":${exitCode(exit)},"failed":${failed},"ms":${ms}`;
    const rest = JSON.stringify(details).slice(1);
    return `${end}${rest === '}' ? '' : ','}${rest}\n`;
  }

  /** The result of a condition without a command of this session, whose end would contain it. */
  decide(index: number, holds: boolean, given: readonly Variable[] = []): string {
    const outputs = given.length === 0 ? '' : `,"outputs":${JSON.stringify(given)}`;
    return `{"kind":"decide",${this.#prepared(index).identity},"holds":${holds}${outputs}}\n`;
  }

  /** A question that is about to be asked. */
  ask(index: number, question: string): string {
    return `{"kind":"asked",${this.#prepared(index).identity},"question":${JSON.stringify(question)}}\n`;
  }

  /** A step that does not run because of its question. */
  decline(index: number, asked: boolean): string {
    return `{"kind":"declined",${this.#prepared(index).identity},"asked":${asked}}\n`;
  }

  #prepared(index: number): PreparedFields {
    const known = this.#block.get(index);
    if (known !== undefined) return known;
    // Branches run concurrently, each in its own part of the plan.
    if (this.#hasGroups) return this.#prepare(index);
    this.#block = new Map();
    const end = Math.min(index + this.#size, this.#plan.ops.length);
    for (let next = index; next < end; next += 1) {
      if (isCommand(at(this.#plan.ops, next))) this.#block.set(next, this.#prepare(next));
    }
    this.#size = Math.min(this.#size * 4, MAX_BLOCK);
    return this.#prepared(index);
  }

  /** The field of a step's start for the frames that no earlier record of the session contains; empty without any. */
  #frames(index: number): string {
    const op = at(this.#plan.ops, index);
    if (op.kind !== 'run' || this.#recorded[op.frame] === 1) return '';
    const added: unknown[] = [];
    for (const [index, { parent }] of framesFrom(this.#plan, op.frame)) {
      if (this.#recorded[index] === 1) break;
      added.push([index, parent, this.#digestsOf(index)]);
      this.#recorded[index] = 1;
    }
    return `,"frames":${JSON.stringify(added.toReversed())}`;
  }

  #prepare(index: number): PreparedFields {
    const op = commandAt(this.#plan, index);
    const [kind, name] = [KINDS[op.kind], nameOf(this.#plan, op)];
    const { id, path } = this.#pathOf(index, kind, name);
    const print = JSON.stringify(
      op.kind === 'hook'
        ? { command: op.command, dir: op.dir ?? null, outputs: [], vars: [] }
        : this.#fingerprintOf(op),
    );
    const identity = `"op":${index},"id":${JSON.stringify(id)},"print":${print}`;
    const frame = op.kind === 'run' ? `${isInBackground(op) ? ',"background":true' : ''},"frame":${op.frame}` : '';
    const named = `"name":${JSON.stringify(name)}${path === undefined ? '' : `,"path":${JSON.stringify(path)}`}`;
    return { about: `${identity},${named},"what":"${kind}"${frame}`, identity };
  }
}

const KINDS = { run: 'step', condition: 'condition', hook: 'hook' } as const;

function nameOf(plan: Plan, op: CommandOp): string {
  switch (op.kind) {
    case 'hook':
      return hookName(plan, op);
    case 'run':
      return op.name;
    case 'condition':
      return conditionParts(op.test).variable ?? conditionParts(op.test).id;
  }
}

function problemOf(exit: Exit): string | undefined {
  if (exit.kind === 'not started' || exit.kind === 'ended early') return exit.reason;
  if (exit.kind === 'timed out') return exit.waited;
  if (exit.kind === 'cancelled') return exit.because;
  return exit.kind === 'exited' && exit.outputs?.ok === false ? exit.outputs.problems.join('; ') : undefined;
}
