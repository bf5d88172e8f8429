import type { RunRecord } from '../../../../src/backend/replay/run_record.ts';
import type { RunEnd } from '../../../../src/driver/remote/engine.ts';

/** The result of one engine step: the next record of a run, or its end. */
export type NextRecord = Readonly<{ kind: 'record'; record: RunRecord } | { kind: 'end'; end: RunEnd }>;

/** True for the output of an engine step of a run. */
export function isNextRecord(value: unknown): value is NextRecord {
  return typeof value === 'object' && value !== null && 'kind' in value;
}
