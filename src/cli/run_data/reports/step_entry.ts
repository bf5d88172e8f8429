import { type ReportOp, isBad } from '../../reporters/file/report.ts';
import type { RecordedOp, RecordedReport } from './recorded_report.ts';

/** A step in the document of `runs show`. Unknown values are null. */
export type StepEntry = Readonly<{ path: string; name: string; command: string; state: RecordedOp['status'] }> &
  Readonly<{ file: string | null; line: number | null; column: number | null }> &
  Pick<ReportOp, 'exit_code' | 'duration_ms' | 'ready_ms'>;

/** The steps of a run in the order of its plan, with the hooks that ran and the conditions that failed. */
export function listedOps({ ops }: RecordedReport): readonly RecordedOp[] {
  return ops.filter(({ kind, status, allowed }) => {
    if (kind === 'condition') return isBad({ status, allowed });
    return kind === 'step' || (status !== 'not reached' && status !== 'skipped');
  });
}

export function stepEntry({ path, name, command, status, file, line, column, ...op }: RecordedOp): StepEntry {
  const place = file === '' ? { file: null, line: null, column: null } : { file, line, column };
  const { exit_code, duration_ms, ready_ms } = op;
  const ready = ready_ms === undefined ? {} : { ready_ms };
  return { path, name: name ?? path, command, state: status, ...place, exit_code, duration_ms, ...ready };
}
