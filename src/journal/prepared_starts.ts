import { at, type CommandOp, type Frame, type Plan } from '../ir/plan.ts';
import { createFrameDigests } from '../ir/steps/digest.ts';
import { createFingerprints, IdCursor } from '../ir/steps/identity.ts';
import { unreachable } from '../unreachable.ts';

/** Fields of a command that its records repeat, as JSON: `about` for its start, `decision` for a condition. */
export type PreparedFields = Readonly<{ about: string; decision: string }>;

/** Maximum number of ops prepared at once. */
const MAX_BLOCK = 64;

/**
 * Prepares the records of commands in blocks of ops. Starting a process evicts the CPU caches, so preparing one op at a
 * time would take several times as long. The first block has a single op, so that the first command starts at once.
 */
export class PreparedStarts {
  readonly #plan: Plan;
  readonly #ids: IdCursor;
  readonly #fingerprintOf: ReturnType<typeof createFingerprints>;
  readonly #digestsOf: ReturnType<typeof createFrameDigests>;
  /** 1 for each frame that a record of the session contains. */
  readonly #recorded: Uint8Array;
  readonly #hasGroups: boolean;
  #block = new Map<number, PreparedFields>();
  #size = 1;

  constructor(plan: Plan) {
    this.#plan = plan;
    this.#ids = new IdCursor(plan);
    this.#fingerprintOf = createFingerprints(plan);
    this.#digestsOf = createFrameDigests(plan);
    this.#recorded = new Uint8Array(plan.frames.length);
    this.#hasGroups = plan.ops.some(({ kind }) => kind === 'parallel');
  }

  /** The fields of an op's command. Without groups, ops must be requested in order. */
  at(index: number): PreparedFields {
    const known = this.#block.get(index);
    if (known !== undefined) return known;
    // Branches run concurrently, each in its own part of the plan.
    if (this.#hasGroups) return this.#prepare(index);
    this.#block = new Map();
    const end = Math.min(index + this.#size, this.#plan.ops.length);
    for (let next = index; next < end; next += 1) this.#block.set(next, this.#prepare(next));
    this.#size = Math.min(this.#size * 4, MAX_BLOCK);
    return this.at(index);
  }

  /** The field of a step's start for the frames that no earlier record of the session contains; empty without any. */
  framesAt(index: number): string {
    const op = at(this.#plan.ops, index);
    if (op.kind !== 'run' || this.#recorded[op.frame] === 1) return '';
    const added: unknown[] = [];
    for (let index: number | null = op.frame; index !== null && this.#recorded[index] !== 1;) {
      const frame: Frame = at(this.#plan.frames, index);
      added.push([index, frame.parent, this.#digestsOf(index)]);
      this.#recorded[index] = 1;
      index = frame.parent;
    }
    return `,"frames":${JSON.stringify(added.toReversed())}`;
  }

  #prepare(index: number): PreparedFields {
    const op = at(this.#plan.ops, index);
    if (op.kind === 'parallel') throw new Error('a group has no command');
    const id = JSON.stringify(this.#ids.at(index));
    const print = JSON.stringify(
      op.kind === 'hook' ? { command: op.command, dir: null, outputs: [], vars: [] } : this.#fingerprintOf(op),
    );
    const identity = `"id":${id},"print":${print}`;
    const frame = op.kind === 'run' ? `,"frame":${op.frame}` : '';
    return {
      about: `${identity},"name":${JSON.stringify(nameOf(op))},"what":"${KINDS[op.kind]}"${frame}`,
      decision: op.kind === 'condition' ? identity : '',
    };
  }
}

const KINDS = { run: 'step', condition: 'condition', hook: 'hook' } as const;

function nameOf(op: CommandOp): string {
  switch (op.kind) {
    case 'hook':
      return op.hook;
    case 'run':
      return op.name;
    case 'condition':
      return op.test.kind === 'variable' ? op.test.name : 'if';
    default:
      return unreachable(op);
  }
}
