import * as v from 'valibot';
import { parseJson } from '../parse_json.ts';
import { Id, NamePath } from '../record.ts';

/*
 * The plan of a recorded session, as written by `cli/commands/run/plan_writer.ts`: a report (`schemas/report.json`) of the
 * session before its first command, and what decides the results of its ops. Unlisted fields are not read.
 */

const Index = v.pipe(v.number(), v.integer(), v.minValue(0), v.maxValue(2 ** 31 - 1));
const Line = v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(2 ** 31 - 1));
const StepNumber = v.union([Line, v.pipe(v.string(), v.regex(/^\d+(?:\.\d+)*(?: \(.*\))?$/s))]);

const PlannedCall = v.object({
  workflow: v.string(),
  caller: v.nullable(Index),
  step: v.nullable(StepNumber),
  name: v.nullable(v.string()),
  start: Index,
});

/**
 * `id` and `path` are those of the records of the op. `status` is that before the first command. A condition has the kind
 * of its test, and the index of the op after those that it guards; a hook has the state in which it runs.
 */
const PlannedOp = v.object({
  id: Id,
  path: NamePath,
  kind: v.picklist(['step', 'hook', 'condition']),
  name: v.nullable(v.string()),
  workflow: v.nullable(v.string()),
  call: v.nullable(Index),
  step: v.nullable(StepNumber),
  command: v.string(),
  frame: v.string(),
  file: v.string(),
  line: Line,
  column: Line,
  status: v.picklist(['kept', 'left out', 'not reached']),
  test: v.exactOptional(v.picklist(['variable', 'command', 'stale', 'first'])),
  target: v.exactOptional(Index),
  when: v.exactOptional(v.picklist(['start', 'success', 'failure', 'always'])),
});

const Plan = v.object({
  version: v.literal(1),
  calls: v.pipe(
    v.array(PlannedCall),
    v.check((calls) => calls.every(({ caller }, index) => (caller ?? -1) < index)),
    v.readonly(),
  ),
  ops: v.pipe(v.array(PlannedOp), v.readonly()),
});

/** The calls and ops of a recorded session. A call comes after its caller. */
export type RecordedPlan = Readonly<v.InferOutput<typeof Plan>>;

/** Parses the text of a plan. Undefined if it is damaged. */
export function parsePlan(bytes: Uint8Array): RecordedPlan | undefined {
  const { success, output } = v.safeParse(Plan, parseJson(bytes));
  if (!success) return undefined;
  const hasCall = ({ call }: RecordedPlan['ops'][number]): boolean => (call ?? 0) < output.calls.length;
  return output.ops.every(hasCall) ? output : undefined;
}
