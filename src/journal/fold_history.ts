import type { Decision, History, Progress, RecordedScope, StepRecord } from '../ir/resume/history.ts';
import { digest } from '../ir/steps/digest.ts';
import { unreachable } from '../unreachable.ts';
import type { SessionHeader, SessionRecord } from './record.ts';
import type { SessionContent } from './session_file.ts';

type Of<Kind extends SessionRecord['kind']> = Extract<SessionRecord, { kind: Kind }>;
type Id = Of<'start'>['id'];

const VOUCHED = { kind: 'finished', exitCode: null, failed: false, attempts: 1, outputs: [], problem: null } as const;

/** The history of a run from its sessions, oldest first. A later record replaces an earlier one with the same id. */
export function foldHistory(sessions: readonly SessionContent[]): History {
  const fold = new Fold();
  for (const session of sessions) fold.addSession(session);
  return fold.history();
}

/** A position in the order of the run. The id of its step can change. */
type Slot = { record: StepRecord };

class Fold {
  readonly #slots: Slot[] = [];
  readonly #steps = new Map<string, Slot>();
  readonly #decisions = new Map<string, Decision>();
  #afterAll: History['afterAll'] = null;
  #scopes = new Scopes({ params: [] });

  addSession({ header, records }: SessionContent): void {
    this.#scopes = new Scopes(header);
    const started = new Map<number, Of<'start'>>();
    // These records refer to the state before all of them, so that steps can swap ids.
    this.#move(records.filter((record) => record.kind === 'kept' || record.kind === 'again'));
    for (const record of records) {
      switch (record.kind) {
        case 'start':
          started.set(record.n, record);
          this.#start(record);
          break;
        case 'end':
          this.#end(started.get(record.n), record);
          break;
        case 'decide':
          this.#decisions.set(keyOf(record.id), record);
          break;
        case 'kept':
        case 'again':
        case 'finish':
          break;
        default:
          unreachable(record);
      }
    }
  }

  history(): History {
    return {
      steps: this.#slots.map(({ record }) => record),
      decisions: [...this.#decisions.values()],
      afterAll: this.#afterAll,
    };
  }

  #start(record: Of<'start'>): void {
    const { id, name, print, what } = record;
    if (what === 'condition') this.#decisions.set(keyOf(id), { id, print, holds: null });
    if (what !== 'step') return;
    const wanted = this.#steps.get(keyOf(id))?.record.wanted ?? false;
    const scope = this.#scopes.of(record);
    this.#set({ id, name, print, scope, progress: { kind: 'unknown', because: 'killed' }, wanted });
  }

  #end(start: Of<'start'> | undefined, end: Of<'end'>): void {
    if (start === undefined || start.what === 'condition') return;
    const { id, name, print, attempt } = start;
    if (start.what === 'step') {
      const progress = progressAfter(end, attempt);
      const known = this.#steps.get(keyOf(id))?.record;
      const wanted = progress.kind !== 'finished' && known?.wanted === true;
      this.#set({ id, name, print, scope: known?.scope ?? null, progress, wanted });
    } else if (id[0] === 'hook:after_all' && !end.failed && end.interrupted !== true)
      this.#afterAll = { exitCode: end.exit };
  }

  /** Assigns steps new ids and prints. */
  #move(moves: readonly (Of<'kept'> | Of<'again'>)[]): void {
    const slots = moves.map(({ was }) => this.#steps.get(keyOf(was)));
    for (const { was } of moves) this.#steps.delete(keyOf(was));
    for (const [index, move] of moves.entries()) {
      const slot = slots[index];
      if (slot !== undefined) this.#steps.set(keyOf(move.id), slot);
      const { id, name, print } = move;
      const isVouched = move.kind === 'kept' && move.done === true;
      const scope = isVouched ? null : (slot?.record.scope ?? null);
      this.#set({ id, name, print, scope, progress: progressOfMove(move, slot), wanted: move.kind === 'again' });
    }
  }

  #set(record: StepRecord): void {
    const key = keyOf(record.id);
    const slot = this.#steps.get(key);
    if (slot !== undefined) {
      slot.record = record;
      return;
    }
    const added = { record };
    this.#slots.push(added);
    this.#steps.set(key, added);
  }
}

/** The scopes of the steps of a session. */
class Scopes {
  readonly #params: RecordedScope['vars'];
  /** By the index of a frame: its scope, and the scope of its steps, which has the parameters. */
  readonly #frames = new Map<number, Readonly<{ own: RecordedScope; steps: RecordedScope }>>();

  constructor({ params }: Pick<SessionHeader, 'params'>) {
    this.#params = params.flatMap(([name, value]) => (value === null ? [] : [[name, digest(value)] as const]));
  }

  /** The scope of a step; null if it is not recorded. */
  of({ frame, frames = [] }: Of<'start'>): RecordedScope | null {
    for (const [index, parent, vars] of frames) {
      const own = { vars, outer: parent === null ? null : (this.#frames.get(parent)?.own ?? null) };
      this.#frames.set(index, { own, steps: { vars: this.#params, outer: own } });
    }
    return frame === undefined ? null : (this.#frames.get(frame)?.steps ?? null);
  }
}

function progressOfMove(move: Of<'kept'> | Of<'again'>, slot: Slot | undefined): Progress {
  if (move.kind === 'again') return { kind: 'none' };
  return move.done === true ? VOUCHED : (slot?.record.progress ?? { kind: 'none' });
}

function keyOf(id: Id): string {
  return JSON.stringify(id);
}

function progressAfter(end: Of<'end'>, attempts: number): Progress {
  // A command that was terminated and exited with 0 may not have completed its work.
  if (end.interrupted === true)
    return end.exit === 0 ? { kind: 'unknown', because: 'interrupted' } : { kind: 'failed' };
  if (end.more === true || (end.failed && end.allowed !== true)) return { kind: 'failed' };
  const { exit: exitCode, failed, outputs = [], why: problem = null } = end;
  return { kind: 'finished', exitCode, failed, attempts, outputs, problem };
}
