import { VOUCHED, type Decision, type History, type Progress } from '../../ir/resume/history.ts';
import type { RecordedScope, RecordedStep } from '../../ir/resume/history.ts';
import { CleanedExecutions, isOwnFinally } from '../../ir/resume/cleaned_executions.ts';
import { digest } from '../../ir/steps/digest.ts';
import type { EndRecord, SessionHeader, SessionRecord, StartRecord } from './record.ts';

type Move = Extract<SessionRecord, { kind: 'kept' | 'again' }>;
type Id = StartRecord['id'];

/** The records of a session with the parameters of its run. */
type RecordedSession = Readonly<{ header: Pick<SessionHeader, 'params'>; records: readonly SessionRecord[] }>;

/** The history of a run from its sessions, oldest first. A later record replaces an earlier one with the same id. */
export function foldHistory(sessions: readonly RecordedSession[]): History {
  const fold = new Fold();
  for (const session of sessions) fold.addSession(session);
  return fold.history();
}

/** A recorded attempt at a command. `end` is undefined if it was not recorded. */
export type Attempt = Readonly<{ start: StartRecord; end: EndRecord | undefined }>;

/** The attempts of a session, in the order of their starts. */
export function attemptsOf(records: readonly SessionRecord[]): readonly Attempt[] {
  const attempts: { readonly start: StartRecord; end: EndRecord | undefined }[] = [];
  // Processes that continue a session may number commands differently: the last start with a number counts.
  const numbered = new Map<number, number>();
  for (const record of records) {
    if (record.kind === 'start') numbered.set(record.n, attempts.push({ start: record, end: undefined }) - 1);
    if (record.kind !== 'end') continue;
    const attempt = attempts[numbered.get(record.n) ?? -1];
    if (attempt !== undefined) attempt.end = record;
  }
  return attempts;
}

/** The time that a session has taken, up to its last record if it has no end, in milliseconds. */
export function tookOf({
  header,
  records,
}: Readonly<{ header: Pick<SessionHeader, 'at'>; records: readonly SessionRecord[] }>): number {
  const ended = records.find((record) => record.kind === 'finish');
  const last = ended === undefined ? lastTime(records) : Date.parse(ended.at);
  return Math.max(0, last - Date.parse(header.at));
}

/** The time of the latest end of a command, or of its start, in milliseconds since 1970. */
export function lastTime(records: readonly SessionRecord[]): number {
  return attemptsOf(records).reduce((last, { start, end }) => Math.max(last, Date.parse(start.at) + (end?.ms ?? 0)), 0);
}

/** Whether a resumed run keeps the result of an attempt: of a finished step, a condition, `after_all`, or a `finally`. */
export function isKept({ start: { what, id, attempt }, end }: Attempt): boolean {
  if (end === undefined) return false;
  if (what === 'condition') return end.holds !== undefined;
  if (what === 'step') return progressAfter(end, attempt).kind === 'finished';
  return (isAfterAll(id) || isOwnFinally(id)) && hasSucceeded(end);
}

/** A position in the order of the run. The id of its step can change. */
type Slot = { record: RecordedStep };

class Fold {
  readonly #slots = new Set<Slot>();
  readonly #steps = new Map<string, Slot>();
  readonly #decisions = new Map<string, Decision>();
  readonly #cleaned = new CleanedExecutions();
  #afterAll: History['afterAll'] = null;
  #scopeOf = scopesIn({ params: [] });

  addSession({ header, records }: RecordedSession): void {
    this.#scopeOf = scopesIn(header);
    const started = new Map<number, StartRecord>();
    // These records refer to the state before all of them, so that steps can swap ids.
    for (const record of records) {
      if (record.kind !== 'dropped') continue;
      this.#drop(keyOf(record.id));
      this.#decisions.delete(keyOf(record.id));
    }
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
        case 'ready':
        case 'asked':
        case 'declined':
        case 'waits':
        case 'kept':
        case 'again':
        case 'dropped':
        case 'finish':
          break;
      }
    }
  }

  history(): History {
    return {
      steps: [...this.#slots].map(({ record }) => record),
      decisions: [...this.#decisions.values()],
      cleaned: this.#cleaned.keys(),
      afterAll: this.#afterAll,
    };
  }

  #start(record: StartRecord): void {
    const { id, name, print, what } = record;
    if (what !== 'hook') this.#cleaned.drop(id);
    if (what === 'condition') this.#decisions.set(keyOf(id), { id, print, holds: null });
    if (what !== 'step') return;
    const wanted = this.#steps.get(keyOf(id))?.record.wanted ?? false;
    const scope = this.#scopeOf(record);
    this.#set({ id, name, print, scope, progress: { kind: 'unknown', because: 'killed' }, wanted });
  }

  #end(start: StartRecord | undefined, end: EndRecord): void {
    if (start === undefined) return;
    const { id, name, print, attempt } = start;
    if (start.what === 'condition') {
      if (end.holds !== undefined) this.#decisions.set(keyOf(id), { id, print, holds: end.holds });
    } else if (start.what === 'step') {
      const progress = progressAfter(end, attempt);
      const known = this.#steps.get(keyOf(id))?.record;
      const wanted = progress.kind !== 'finished' && known?.wanted === true;
      this.#set({ id, name, print, scope: known?.scope ?? null, progress, wanted });
    } else if (!hasSucceeded(end)) return;
    else if (isAfterAll(id)) this.#afterAll = { exitCode: end.exit };
    else if (isOwnFinally(id)) this.#cleaned.add(id);
  }

  /** Assigns steps new ids and prints. */
  #move(moves: readonly Move[]): void {
    const slots = this.#slotsOf(moves);
    for (const { was } of moves) this.#steps.delete(keyOf(was));
    for (const [index, move] of moves.entries()) {
      const slot = slots[index];
      this.#drop(keyOf(move.id));
      if (slot !== undefined) this.#steps.set(keyOf(move.id), slot);
      const { id, name, print } = move;
      const isVouched = move.kind === 'kept' && move.done === true;
      const scope = isVouched ? null : (slot?.record.scope ?? null);
      this.#set({ id, name, print, scope, progress: progressOfMove(move, slot), wanted: move.kind === 'again' });
    }
  }

  #drop(key: string): void {
    const slot = this.#steps.get(key);
    if (slot !== undefined) this.#slots.delete(slot);
    this.#steps.delete(key);
  }

  /** The slot of each move. A step without a record may have the id that another step had before. */
  #slotsOf(moves: readonly Move[]): readonly (Slot | undefined)[] {
    const owners = new Map<string, Move>();
    for (const move of moves) {
      const owner = owners.get(keyOf(move.was));
      if (owner === undefined || keyOf(owner.was) === keyOf(owner.id)) owners.set(keyOf(move.was), move);
    }
    return moves.map((move) => (owners.get(keyOf(move.was)) === move ? this.#steps.get(keyOf(move.was)) : undefined));
  }

  #set(record: RecordedStep): void {
    const key = keyOf(record.id);
    const slot = this.#steps.get(key);
    if (slot !== undefined) {
      slot.record = record;
      return;
    }
    const added = { record };
    this.#slots.add(added);
    this.#steps.set(key, added);
  }
}

/** A function for the scope of a step of a session; null if it is not recorded. */
function scopesIn({ params }: Pick<SessionHeader, 'params'>): (start: StartRecord) => RecordedScope | null {
  const given = params.flatMap(([name, value]) => (value === null ? [] : [[name, digest(value)] as const]));
  /** By the index of a frame: its scope, and the scope of its steps, which has the parameters. */
  const known = new Map<number, Readonly<{ own: RecordedScope; steps: RecordedScope }>>();
  return ({ frame, frames = [] }) => {
    for (const [index, parent, vars] of frames) {
      const own = { vars, outer: parent === null ? null : (known.get(parent)?.own ?? null) };
      known.set(index, { own, steps: { vars: given, outer: own } });
    }
    return frame === undefined ? null : (known.get(frame)?.steps ?? null);
  };
}

function progressOfMove(move: Move, slot: Slot | undefined): Progress {
  if (move.kind === 'again') return { kind: 'none' };
  return move.done === true ? VOUCHED : (slot?.record.progress ?? { kind: 'none' });
}

function keyOf(id: Id): string {
  return JSON.stringify(id);
}

function isAfterAll([segment]: Id): boolean {
  return segment === 'hook:after_all';
}

function hasSucceeded({ failed, interrupted }: EndRecord): boolean {
  return !failed && interrupted !== true;
}

function progressAfter(end: EndRecord, attempts: number): Progress {
  // A command that was terminated and exited with 0 may not have completed its work.
  if (end.interrupted === true)
    return end.exit === 0 ? { kind: 'unknown', because: 'interrupted' } : { kind: 'failed' };
  if (end.more === true || (end.failed && end.allowed !== true)) return { kind: 'failed' };
  const { exit: exitCode, failed, outputs = [], why: problem = null, limit } = end;
  return { kind: 'finished', exitCode, failed, attempts, outputs, problem, ...(limit !== undefined && { limit }) };
}
