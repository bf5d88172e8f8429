import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as v from 'valibot';
import type { Report } from '../../../src/cli/reporters/file/report.ts';

const Moment = v.pipe(v.string(), v.regex(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/));
const Milliseconds = v.pipe(v.number(), v.integer(), v.minValue(0));

const Op = v.strictObject({
  kind: v.picklist(['step', 'hook', 'condition']),
  name: v.nullable(v.string()),
  workflow: v.nullable(v.string()),
  call: v.nullable(v.number()),
  step: v.nullable(v.union([v.number(), v.string()])),
  command: v.string(),
  status: v.picklist([
    ...(['succeeded', 'failed', 'not started', 'met', 'not met', 'skipped', 'declined', 'not reached'] as const),
    ...(['kept', 'left out', 'stopped'] as const),
  ]),
  reason: v.nullable(v.string()),
  attempts: v.number(),
  allowed: v.boolean(),
  start: v.nullable(Moment),
  end: v.nullable(Moment),
  duration_ms: v.nullable(Milliseconds),
  ready_ms: v.exactOptional(v.nullable(Milliseconds)),
  offset_ms: v.nullable(Milliseconds),
  exit_code: v.nullable(v.number()),
  signal: v.nullable(v.string()),
  output: v.nullable(v.array(v.string())),
  frame: v.string(),
  file: v.string(),
  line: v.number(),
  column: v.number(),
});

const Document = v.strictObject({
  version: v.literal(1),
  workflow: v.string(),
  success: v.boolean(),
  interrupted: v.nullable(v.string()),
  start: Moment,
  end: Moment,
  duration_ms: Milliseconds,
  summary: v.string(),
  tool: v.string(),
  params: v.record(v.string(), v.string()),
  host: v.string(),
  git: v.nullable(v.strictObject({ revision: v.nullable(v.string()), dirty: v.boolean() })),
  calls: v.array(
    v.strictObject({
      workflow: v.string(),
      caller: v.nullable(v.number()),
      step: v.nullable(v.union([v.number(), v.string()])),
      name: v.nullable(v.string()),
    }),
  ),
  ops: v.array(Op),
});

export type ReportDocument = v.InferOutput<typeof Document>;

/** The report of a run, which must have exactly these fields. */
export function reportIn(cwd: string, file = 'report.json'): ReportDocument {
  return v.parse(Document, JSON.parse(readFileSync(join(cwd, file), 'utf8')));
}

/** The start of the first command after `retimed`, in milliseconds. The others follow at intervals of a second. */
const NOON = Date.UTC(2026, 10, 21, 12);
const EVERY = 1000;
const LASTING = 750;
const at = (ms: number): string => new Date(NOON + ms).toISOString();

/** A report with fixed times and a fixed environment: a command starts every second and takes three quarters of it. */
export function retimed(report: ReportDocument): ReportDocument & Report {
  let offset = 0;
  const ops = report.ops.map((op) => {
    if (op.start === null) return op;
    const [start, end] = [at(offset), at(offset + LASTING)];
    const own = { ...op, start, end, duration_ms: LASTING, offset_ms: offset };
    offset += EVERY;
    return own;
  });
  const git = { revision: '0'.repeat(40), dirty: true };
  return { ...report, host: 'host', git, start: at(0), end: at(offset), duration_ms: offset, ops };
}
