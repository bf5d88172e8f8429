import assert from 'node:assert/strict';
import { attemptsOf, type Attempt } from '../../../../src/records/journal/fold_history.ts';
import type { SessionContent } from '../../../../src/records/journal/session_file.ts';
import { instancesOf, type EditedFile, type Instance } from '../random_edits.ts';
import { HookModel } from './hook_model.ts';
import { ALLOWED, commandOf } from './killed_file.ts';

/** A line that a command wrote: what happened, to which command, and the marks of its session and its number. */
export type Effect = Readonly<{ event: string; what: string; marks: ReadonlyMap<string, number> }>;

/** The lines that `step.bash` wrote. */
export function parseEffects(lines: readonly string[]): readonly Effect[] {
  return lines.map((line) => {
    const [event = '', what = '', marks = ''] = line.split('|');
    const pairs = marks.trim().split(/[ =]/);
    const named = pairs.flatMap((word, index) => (index % 2 === 0 ? [[word, Number(pairs[index + 1])] as const] : []));
    return { event, what: what.trim(), marks: new Map(named) };
  });
}

/** The plan of a resume, as its dry run shows it. */
export type ShownPlan = Readonly<{
  steps: readonly Readonly<{ command: string; state: string }>[];
  gone: readonly string[];
  canResume: boolean;
}>;

export const CONFLICTS: readonly string[] = ['changed', 'new', 'out of order', 'lost output', 'moved'];

/** Counts by command and value of `V`: copies of a step with the same ones are interchangeable. */
class Tally {
  readonly #counts = new Map<string, number>();
  constructor(keys: readonly string[] = []) {
    for (const key of keys) this.add(key);
  }
  of(key: string): number {
    return this.#counts.get(key) ?? 0;
  }
  add(key: string): void {
    this.set(key, this.of(key) + 1);
  }
  set(key: string, count: number): void {
    this.#counts.set(key, count);
  }
  keys(): readonly string[] {
    return [...this.#counts.keys()];
  }
}

function keyOf({ command, value }: Instance): string {
  return command.replace('$V', value).trim();
}

/** What may run in a run that is killed, edited and resumed, by what its commands wrote and what is recorded of them. */
export class KillModel {
  #file: EditedFile;
  /** Steps that the plan of the last session kept, and those that finished in it. */
  #done = new Tally();
  /** All that ever finished. An edit can bring a removed step back. */
  readonly #ever = new Tally();
  /** Steps whose end is not recorded, of the last session. */
  #pending = new Tally();
  /** Steps that the user has asked to run again, and that have not finished since. */
  #wanted = new Tally();
  /** The plan of the next session, which may be killed before it begins. */
  #next: Readonly<{ file: EditedFile; text: string; done: Tally; wanted: Tally; mayStart: Tally }>;
  /** Whether the user was asked about an edit: a decision about a condition may differ from the file then. */
  #wasAsked = false;
  #audited = 0;
  readonly #hooks = new HookModel();

  /** `text` is the text of the file. */
  constructor(file: EditedFile, text: string) {
    this.#file = file;
    const mayStart = new Tally(onKeys(instancesOf(file)));
    this.#next = { file, text, done: this.#done, wanted: this.#wanted, mayStart };
  }

  /** Checks a plan in which nothing was decided by the user, of a file that may have been edited. */
  checkUndecided(plan: ShownPlan, file: EditedFile): void {
    const instances = instancesOf(file);
    const [before, all] = [new Tally(instancesOf(this.#file).map(keyOf)), new Tally(instances.map(keyOf))];
    const [kept, starting] = [tallyOf(plan, instances, ['kept']), tallyOf(plan, instances, ['run', 'again'])];
    const hasConflicts = plan.steps.some(({ state }) => CONFLICTS.includes(state));
    const isEdited = file !== this.#file;
    if (!hasConflicts) {
      // A step in flight whose command was edited is a question under its new command.
      const unknown = tallyOf(plan, instances, ['unknown']);
      const edited = unknown.keys().map((key) => Math.max(0, unknown.of(key) - this.#pending.of(key)));
      const asked = edited.reduce((sum, count) => sum + count, 0);
      const ran = (key: string): number =>
        isEdited && key === ALLOWED ? 0 : this.#done.of(key) + Math.max(0, this.#pending.of(key) - asked);
      const unasked = (key: string): number => starting.of(key) - this.#wanted.of(key);
      // An edit that removes a finished step leaves those with the same command that have not finished.
      const mayStart = (key: string): number => Math.max(0, all.of(key) - ran(key), before.of(key) - ran(key));
      const repeated = starting.keys().filter((key) => unasked(key) > mayStart(key));
      assert.deepEqual(repeated, [], 'steps that ran would run again without a question');
      const lost = this.#done.keys().filter((key) => kept.of(key) < this.#done.of(key));
      assert.deepEqual(isEdited ? [] : lost, [], 'finished steps are not kept');
      const invented = kept.keys().filter((key) => kept.of(key) > this.#ever.of(key));
      assert.deepEqual(this.#wasAsked ? [] : invented, [], 'steps are kept that did not finish');
    }
    if (shapeOf(file) !== shapeOf(this.#file) || hasConflicts) return;
    const changed = before
      .keys()
      .filter((key) => key !== ALLOWED && this.#done.of(key) >= before.of(key) && all.of(key) === 0);
    const unsaid = changed.filter((key) => !plan.gone.some((command) => command === writtenAs(this.#file, key)));
    assert.deepEqual(unsaid, [], 'finished steps were edited, and the plan does not say so');
  }

  /** The plan that the next session carries out. `isAsked`: the user decided about edits or steps. */
  begin(plan: ShownPlan, file: EditedFile, text: string, isAsked: boolean): void {
    const instances = instancesOf(file);
    this.#wasAsked ||= isAsked;
    const kept = tallyOf(plan, instances, ['kept']);
    const mayRun = instances.flatMap((instance, index) => {
      const state = plan.steps[index]?.state ?? '';
      return ['run', 'again', 'unknown'].includes(state) && (this.#wasAsked || !instance.isOff) ? keyOf(instance) : [];
    });
    const wanted = isAsked ? tallyOf(plan, instances, ['again']) : this.#wanted;
    this.#next = { file, text, done: kept, wanted, mayStart: new Tally(mayRun) };
  }

  /** Checks the records of the sessions since the last audit against what their commands wrote. */
  audit(sessions: readonly SessionContent[], effects: readonly Effect[], isForced: boolean): void {
    const sessionOf = ({ marks }: Effect): number => sessions.findIndex(({ header }) => marks.has(header.marker));
    const unrecorded = effects.filter((effect) => {
      const session = sessions[sessionOf(effect)];
      const number = session === undefined ? undefined : effect.marks.get(session.header.marker);
      return !session?.records.some((record) => record.kind === 'start' && record.n === number);
    });
    assert.deepEqual(unrecorded, [], 'commands began without a record');
    const order = effects.map(sessionOf);
    assert.deepEqual(
      order,
      order.toSorted((one, other) => one - other),
      'a command outlived the next session',
    );
    const recent = sessions.slice(this.#audited);
    assert.ok(recent.length <= 1, 'one command line began several sessions');
    this.#audited = sessions.length;
    // A session that was killed before its first record has no effect: the user's answers are not recorded either.
    for (const session of recent.filter(({ records }) => records.length > 0)) {
      this.#file = this.#next.file;
      this.#done = this.#next.done;
      this.#wanted = this.#next.wanted;
      const mine = effects.filter(({ marks }) => marks.has(session.header.marker));
      this.#auditSession(session, mine, isForced);
      this.#hooks.audit(session, this.#next.text, isForced);
    }
    const gave = new Set(effects.flatMap(({ event }) => (event.startsWith('gave ') ? event.slice(5) : [])));
    const took = effects.flatMap(({ event }) => (event.startsWith('took ') ? event.slice(5) : []));
    assert.deepEqual(
      took.filter((value) => !gave.has(value)),
      [],
      'an output was lost',
    );
  }

  #auditSession({ header: { marker }, records }: SessionContent, mine: readonly Effect[], isForced: boolean): void {
    const started = new Tally();
    this.#pending = new Tally();
    const finish = records.findLast((record) => record.kind === 'finish');
    for (const attempt of attemptsOf(records)) {
      const own = mine.filter(({ marks }) => marks.get(marker) === attempt.start.n);
      const events = own.map(({ event }) => event);
      checkEvents(attempt, events, finish !== undefined);
      const key = own[0]?.what;
      if (attempt.start.what !== 'step' || key === undefined) continue;
      if (attempt.start.attempt === 1) started.add(key);
      if (isFinished(attempt)) {
        this.#done.add(key);
        this.#ever.add(key);
        this.#wanted.set(key, Math.max(0, this.#wanted.of(key) - 1));
      } else if (attempt.end === undefined || attempt.end.exit === 0) this.#pending.add(key);
    }
    const unplanned = started.keys().filter((key) => started.of(key) > this.#next.mayStart.of(key));
    assert.deepEqual(unplanned, [], 'the session started other steps than its plan');
    if (finish === undefined) return;
    const hooks = attemptsOf(records).flatMap(({ start }) =>
      start.id[0]?.startsWith('hook:') === true ? start.name : [],
    );
    const isWhole = !isForced && finish.interrupted === null;
    if (isWhole) assert.equal(hooks[0], 'before_all');
    if (!isForced) assert.equal(hooks.at(-1), 'finally');
    assert.equal(new Set(hooks).size, hooks.length, 'a hook ran twice');
    if (isWhole) assert.equal(hooks.includes('error'), !finish.success);
  }

  /** Checks that each step of the last plan has finished, and that the hooks have cleaned up after all of them. */
  checkFinished(): void {
    this.#hooks.checkFinished(this.#wasAsked);
    if (this.#wasAsked) return;
    const wanted = new Tally(onKeys(instancesOf(this.#file)));
    const lost = wanted.keys().filter((key) => this.#done.of(key) < wanted.of(key));
    assert.deepEqual(lost, [], 'the run succeeded without these steps');
  }
}

function onKeys(instances: readonly Instance[]): readonly string[] {
  return instances.flatMap((instance) => (instance.isOff ? [] : keyOf(instance)));
}

/** The steps of a plan in some states. */
function tallyOf({ steps }: ShownPlan, instances: readonly Instance[], states: readonly string[]): Tally {
  const expected = instances.map(({ command }) => commandOf(command));
  assert.deepEqual(
    steps.map(({ command }) => command),
    expected,
    'the plan differs from the file',
  );
  return new Tally(instances.flatMap((each, index) => (states.includes(steps[index]?.state ?? '') ? keyOf(each) : [])));
}

/** The file without its commands. */
function shapeOf(file: EditedFile): string {
  return JSON.stringify([...file], (key: string, value: unknown) => (key === 'run' ? undefined : value));
}

function writtenAs(file: EditedFile, key: string): string | undefined {
  const found = instancesOf(file).find((instance) => keyOf(instance) === key);
  return found === undefined ? undefined : commandOf(found.command);
}

function isFinished({ end }: Attempt): boolean {
  if (end === undefined || end.interrupted === true || end.more === true) return false;
  return !end.failed || end.allowed === true;
}

/** Checks what a command wrote against its record. `isOver`: the session has ended by itself. */
function checkEvents({ start, end }: Attempt, events: readonly string[], isOver: boolean): void {
  const name = `${start.what} ${start.name} (${start.n})`;
  const [first, last] = [events[0], events.at(-1)];
  assert.ok(events.length === 0 || first === 'begin', `${name} wrote ${events.join(', ')}`);
  if (end === undefined) assert.ok(!isOver, `the end of ${name} is not recorded`);
  else if (end.interrupted !== true && end.exit === 0) assert.equal(last, 'end', `${name} is recorded as finished`);
  if (last === 'end' && end !== undefined && end.interrupted !== true && end.cancelled !== true) {
    assert.ok(end.exit === 0 || start.what === 'condition', `${name} finished, and is recorded as failed`);
  }
}
