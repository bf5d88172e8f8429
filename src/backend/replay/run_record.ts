import * as v from 'valibot';
import { SIGNALS } from '../command_runner.ts';

const Texts = v.pipe(v.array(v.string()), v.readonly());
const Variables = v.pipe(v.array(v.pipe(v.tuple([v.string(), v.string()]), v.readonly())), v.readonly());
const Outputs = v.variant('ok', [
  v.object({ ok: v.literal(true), values: Variables }),
  v.object({ ok: v.literal(false), problems: Texts }),
]);
const Rejection = v.variant('kind', [
  v.object({ kind: v.literal('not runnable'), code: v.number() }),
  v.object({ kind: v.literal('negative value'), variable: v.string(), value: v.string(), source: v.string() }),
]);
const Exit = v.variant('kind', [
  v.object({ kind: v.literal('exited'), code: v.number(), outputs: v.exactOptional(Outputs) }),
  v.object({ kind: v.literal('timed out'), limit: v.number() }),
  v.object({ kind: v.literal('not started'), reason: v.string() }),
  v.object({ kind: v.literal('rejected'), rejection: Rejection }),
  v.object({ kind: v.literal('cancelled'), code: v.number() }),
]);
const Interruption = v.nullable(v.object({ signal: v.picklist(SIGNALS), forced: v.boolean() }));

/** The op of a record: its index in the plan, and the kind and name of its command. */
const About = { op: v.number(), what: v.picklist(['run', 'condition', 'hook']), name: v.string() };

/**
 * A JSON-serialisable event of a run. Records are in the order in which the events became known. Times are in
 * milliseconds since 1970.
 *
 * - `start`: a command that must not run twice is about to start. Other commands have no such record.
 * - `op`: an attempt has ended. `begun` is the number of commands that had begun by then. `before` and `after` are the
 *   interruptions known when the attempt began and ended. `finished`: a resume keeps the result, which is a success, an
 *   allowed failure, or that of a condition.
 * - `decision`: the result of a condition that tests a variable.
 */
export const RunRecord = v.variant('kind', [
  v.object({ kind: v.literal('start'), ...About, attempt: v.number() }),
  v.object({
    kind: v.literal('op'),
    ...About,
    attempt: v.number(),
    exit: Exit,
    begun: v.number(),
    before: Interruption,
    after: Interruption,
    finished: v.boolean(),
    started: v.number(),
    ended: v.number(),
  }),
  v.object({ kind: v.literal('decision'), op: v.number(), holds: v.boolean() }),
]);

export type RunRecord = Readonly<v.InferOutput<typeof RunRecord>>;

/** The record of an attempt. */
export type OpRecord = RunRecord & { kind: 'op' };
