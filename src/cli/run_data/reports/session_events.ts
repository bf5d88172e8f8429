import { isCommand } from '../../../ir/ops.ts';
import type { RunEvent } from '../../../backend/run_event.ts';
import { at, type CommandOp, type Plan, type Test } from '../../../ir/plan.ts';
import { commandPath } from '../../../ir/steps/command_path.ts';
import type { RecordedPlan } from '../../../records/journal/directory/recorded_plan.ts';
import { exitOf } from '../../../records/journal/known_ops.ts';
import type { SessionRecord, StartRecord } from '../../../records/journal/record.ts';
import { DEFAULT_OPTIONS } from '../../../frontend/schema/option_fields.ts';

/** An op of a recorded session. */
export type SessionOp = RecordedPlan['ops'][number];

/** The ops of a recorded session, and a plan of them that decides their results: it has no variables. */
export type SessionPlan = Readonly<{ ops: readonly SessionOp[]; plan: Plan; indexOf: (id: SessionOp['id']) => number }>;

/** An event, and its time in milliseconds since 1970. */
type TimedEvent = Readonly<{ event: RunEvent; at: number }>;

/** The plan of a session: the recorded one, and the commands of the records that it does not have. */
export function sessionPlan(
  workflow: string,
  recorded: RecordedPlan | undefined,
  records: readonly SessionRecord[],
): SessionPlan {
  const ops = [...(recorded?.ops ?? [])];
  const indexes = new Map(ops.map(({ id }, index) => [keyOf(id), index]));
  const [numbers, allowed, background] = [new Map<number, number>(), new Set<number>(), new Set<number>()];
  for (const record of records) {
    if (record.kind === 'start') {
      const key = keyOf(record.id);
      if (!indexes.has(key)) indexes.set(key, ops.push(opOf(record)) - 1);
      numbers.set(record.n, indexes.get(key) ?? -1);
      if (record.background === true) background.add(indexes.get(key) ?? -1);
    } else if (record.kind === 'end' && record.allowed === true) allowed.add(numbers.get(record.n) ?? -1);
  }
  const calls = recorded?.calls ?? [{ workflow, caller: null, step: null, name: null, start: 0 }];
  const plan: Plan = {
    workflow,
    params: [],
    frames: [],
    calls: calls.map(({ workflow: called, caller, step, name, start }) => {
      const from = caller === null || step === null ? null : { call: caller, step, name: name ?? '' };
      return { workflow: called, from, guard: null, start, end: ops.length, frame: 0 };
    }),
    ops: ops.map((op, index) => commandOf(op, index, allowed.has(index), background.has(index))),
  };
  return { ops, plan, indexOf: (id) => indexes.get(keyOf(id)) ?? -1 };
}

/** A text that is the same for equal ids. */
export function keyOf(id: SessionOp['id']): string {
  return JSON.stringify(id);
}

/** An op that is known only by the start of its command. */
function opOf(start: StartRecord): SessionOp {
  const { id, what: kind, print } = start;
  const path = commandPath({ ...start, kind });
  const name = kind === 'step' ? path.join('/') : start.name;
  const place = { frame: '', file: '', line: 0, column: 0 };
  const about = { id, path, kind, name, workflow: null, call: 0, step: null };
  return { ...about, command: print.command, ...place, status: 'not reached' };
}

function commandOf(op: SessionOp, index: number, allowFailure: boolean, isInBackground: boolean): CommandOp {
  const { kind, name, command, call, step, when = 'always', target = index + 1 } = op;
  const script = { command, reads: [], frame: 0, offset: 0, dir: null };
  const position = { call: call ?? 0, step: step ?? 0 };
  switch (kind) {
    case 'hook':
      return { kind, hook: 'finally', when, ...script, ...(call !== null && { call }) };
    case 'condition':
      return { kind, test: testOf(op), target, ...position, frame: 0, offset: 0, dir: null };
    case 'step': {
      const options = { ...DEFAULT_OPTIONS, allowFailure, ...(isInBackground && ({ background: 'lines' } as const)) };
      return { kind: 'run', name: name ?? '', ...script, ...position, options };
    }
  }
}

function testOf({ test: kind = 'command', command }: SessionOp): Test {
  switch (kind) {
    case 'variable':
      return { kind, name: command };
    case 'command':
      return { kind, command, reads: [] };
    case 'stale':
      return { kind, sources: [], generates: [] };
    case 'first':
      return { kind };
  }
}

/** The events that the records of a session stand for. `isOver`: it records nothing more. */
export function* eventsOf(
  { ops, plan, indexOf }: SessionPlan,
  records: readonly SessionRecord[],
  isOver: boolean,
): Generator<TimedEvent> {
  const started = new Map<number, StartRecord>();
  /** The ends of commands that another attempt was to follow. */
  const waiting = new Map<number, TimedEvent>();
  for (const [index, { status }] of ops.entries())
    if (status !== 'not reached') yield { event: { kind: status, op: at(plan.ops, index), index }, at: 0 };
  for (const record of records) {
    const start = record.kind === 'end' || record.kind === 'ready' ? started.get(record.n) : undefined;
    const id = 'id' in record ? record.id : start?.id;
    const index = id === undefined ? -1 : indexOf(id);
    const op = plan.ops[index];
    if (op === undefined || !isCommand(op)) continue;
    if (record.kind === 'start') {
      started.set(record.n, record);
      waiting.delete(index);
      if (record.attempt < 2) yield { event: { kind: 'started', op, index }, at: Date.parse(record.at) };
    } else if (record.kind === 'ready' && op.kind === 'run') {
      const { ms: milliseconds } = record;
      yield { event: { kind: 'ready', op, index, milliseconds }, at: Date.parse(start?.at ?? '') + milliseconds };
    } else if (record.kind === 'end' && start !== undefined) {
      const { attempt: attempts, at: begun } = start;
      const [exit, time] = [exitOf(record), Date.parse(begun) + record.ms];
      const ended = { event: { kind: 'ended', op, index, exit, attempts }, at: time } as const;
      if (record.more === true && op.kind === 'run') {
        waiting.set(index, ended);
        yield { event: { kind: 'waiting', op, index, exit, attempt: attempts }, at: time };
      } else yield ended;
      if (op.kind === 'condition' && record.holds === false)
        yield { event: { kind: 'skipped', op, index, exit }, at: time };
    } else if (record.kind === 'decide' && op.kind === 'condition')
      yield { event: record.holds ? { kind: 'held', op, index } : { kind: 'skipped', op, index, exit: null }, at: 0 };
    else if (record.kind === 'declined' && op.kind === 'run')
      yield { event: { kind: 'declined', op, index, asked: record.asked }, at: 0 };
  }
  if (isOver) yield* waiting.values();
}
