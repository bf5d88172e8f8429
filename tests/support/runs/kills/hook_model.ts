import assert from 'node:assert/strict';
import { identify, type OpId } from '../../../../src/ir/steps/identity.ts';
import { at, isWorkflowHook, type Plan } from '../../../../src/ir/plan.ts';
import { attemptsOf, type Attempt } from '../../../../src/records/journal/fold_history.ts';
import type { SessionContent } from '../../../../src/records/journal/session_file.ts';
import { compiled } from '../../plans.ts';

/** An execution of a workflow with hooks. `isGuarded`: it is behind a condition; `isOff`: one that does not hold. */
type Execution = Readonly<{
  id: OpId;
  workflow: string;
  hooks: ReadonlySet<string>;
  isGuarded: boolean;
  isOff: boolean;
}>;

/** A step or condition that ran: its latest start, its id then, and the workflows whose `finally` has followed it. */
type Ran = Readonly<{ id: OpId; since: number; ranAs: OpId; cleanedBy: Set<string> }>;

const keyOf = (id: OpId): string => JSON.stringify(id);
/** Whether an id is that of something in an execution. */
const isIn = (id: OpId, execution: OpId): boolean =>
  id.length > execution.length &&
  id[0]?.startsWith('hook:') !== true &&
  execution.every((segment, index) => id[index] === segment);
/** The id of a command; for a condition, that of its step. */
const placeOf = ({ id, what }: Attempt['start']): OpId => (what === 'condition' ? id.slice(0, -1) : id);
const hookOf = (id: OpId): string | undefined => /^own:(.*)$/.exec(id.at(-1) ?? '')?.[1];

/** What the hooks of workflows have to do in a run that is killed, edited and resumed, by the records of its sessions. */
export class HookModel {
  #executions: readonly Execution[] = [];
  #ran = new Map<string, Ran>();
  /** By the id of an execution: the time of the last `finally` that succeeded. */
  readonly #cleaned = new Map<string, number>();
  #time = 0;

  /** The session follows the plan of `ci` in a file with this text. */
  audit(session: SessionContent, file: string, isForced: boolean): void {
    this.#executions = executionsIn(compiled(file, 'ci'));
    this.#move(session);
    const attempts = attemptsOf(session.records);
    for (const execution of this.#executions) this.#checkRepeated(execution, attempts);
    for (const attempt of attempts) this.#add(attempt);
    const finish = session.records.findLast((record) => record.kind === 'finish');
    if (finish === undefined || isForced) return;
    for (const execution of this.#executions) checkEnd(execution, attempts, finish.success);
  }

  /** Checks that what ran in each execution of the last plan has been cleaned up. */
  checkFinished(wasAsked: boolean): void {
    for (const { id, workflow, hooks, isGuarded, isOff } of this.#executions) {
      if (!hooks.has('finally') || isOff || (isGuarded && wasAsked)) continue;
      const cleaned = this.#cleaned.get(keyOf(id)) ?? -1;
      for (const ran of this.#ran.values()) {
        if (!isIn(ran.id, id)) continue;
        const isMoved = keyOf(ran.id) !== keyOf(ran.ranAs);
        const isDone = isMoved ? cleaned >= 0 || ran.cleanedBy.has(workflow) : cleaned > ran.since;
        assert.ok(isDone, `${keyOf(ran.id)} ran, and no finally of ${workflow} followed`);
      }
      assert.ok(cleaned >= 0 || [...this.#ran.values()].some((ran) => isIn(ran.id, id)), `no finally of ${keyOf(id)}`);
    }
  }

  /** An execution that was cleaned up after its last command is not cleaned up again, unless it has failed again. */
  #checkRepeated({ id, workflow, hooks }: Execution, attempts: readonly Attempt[]): void {
    const inside = attempts.filter(({ start }) => isIn(placeOf(start), id));
    const isAlone = inside.length === 1 && keyOf(inside[0]?.start.id ?? []) === keyOf([...id, 'own:finally']);
    if (!hooks.has('error') || !isAlone) return;
    const cleaned = this.#cleaned.get(keyOf(id));
    const last = Math.max(...[...this.#ran.values()].map((ran) => (isIn(ran.ranAs, id) ? ran.since : -1)));
    assert.ok(cleaned === undefined || cleaned < last, `finally of ${workflow} (${keyOf(id)}) ran again`);
  }

  #move({ records }: SessionContent): void {
    for (const record of records) if (record.kind === 'dropped') this.#ran.delete(keyOf(record.id));
    const moves = records.filter((record) => record.kind === 'kept' || record.kind === 'again');
    const moved = moves.flatMap(({ id, was }) => {
      const ran = this.#ran.get(keyOf(was));
      return ran === undefined ? [] : { ...ran, id };
    });
    for (const { was } of moves) this.#ran.delete(keyOf(was));
    for (const ran of moved) this.#ran.set(keyOf(ran.id), ran);
  }

  #add({ start, end }: Attempt): void {
    const { id, name, what } = start;
    const place = placeOf(start);
    this.#time += 1;
    if (what !== 'hook') {
      this.#ran.set(keyOf(id), { id: place, since: this.#time, ranAs: place, cleanedBy: new Set() });
    } else if (hookOf(id) === 'finally' && end?.exit === 0 && end.interrupted !== true) {
      const execution = id.slice(0, -1);
      this.#cleaned.set(keyOf(execution), this.#time);
      const workflow = name.replace('finally of ', '');
      for (const ran of this.#ran.values()) if (isIn(ran.id, execution)) ran.cleanedBy.add(workflow);
    }
  }
}

/** The executions of workflows with hooks in a plan. */
function executionsIn(plan: Plan): readonly Execution[] {
  const found = new Map<number, Execution & { readonly hooks: Set<string> }>();
  for (const { kind, index, path } of identify(plan)) {
    const op = kind === 'hook' ? at(plan.ops, index) : undefined;
    if (op === undefined || !isWorkflowHook(op)) continue;
    const guards = plan.ops.flatMap((each, from) =>
      each.kind === 'condition' && from < index && index < each.target ? each.test : [],
    );
    const isOff = guards.some((test) => test.kind === 'command' && test.command.endsWith(' no'));
    const { workflow } = at(plan.calls, op.call);
    const known = found.get(op.call);
    if (known === undefined) {
      const own = { id: path.slice(0, -1), workflow, isGuarded: guards.length > 0, isOff };
      found.set(op.call, { ...own, hooks: new Set([op.hook]) });
    } else known.hooks.add(op.hook);
  }
  return [...found.values()];
}

/** Checks the hooks of an execution in a session that ended by itself. */
function checkEnd({ id, workflow, hooks }: Execution, attempts: readonly Attempt[], success: boolean): void {
  const name = `${workflow} (${keyOf(id)})`;
  const inside = attempts.filter(({ start }) => isIn(placeOf(start), id));
  const own = inside.filter(({ start }) => start.id.length === id.length + 1 && hookOf(start.id) !== undefined);
  const inner = inside.filter((attempt) => !own.includes(attempt));
  const isFailed = inner.some(
    ({ start, end }) => start.what !== 'condition' && end?.failed === true && end.allowed !== true && end.more !== true,
  );
  const ran = own.map(({ start }) => hookOf(start.id));
  // The `finally` of an inner execution that failed in the last session runs alone.
  const isBusy = inner.some(({ start }) => start.what !== 'hook');
  assert.ok(!isBusy || !hooks.has('finally') || ran.at(-1) === 'finally', `no finally of ${name}`);
  assert.deepEqual(inside, [...inner, ...own], `hooks of ${name} ran early`);
  assert.ok(!isFailed || !hooks.has('error') || ran[0] === 'error', `no error of ${name}`);
  assert.ok(!ran.includes('error') || !success, `error of ${name} ran, and the run succeeded`);
  assert.equal(new Set(ran).size, ran.length, `a hook of ${name} ran twice`);
}
