import { plannedOps } from '../../runs/reports/planned_ops.ts';
import type { RunJournal } from '../../../backend/run_journal.ts';
import type { Prepared } from '../../driver/prepare.ts';
import { documentPieces } from '../../output/document.ts';
import { VERSION } from '../../../base/version.ts';
import { maskedParams } from '../../../ir/secrets.ts';
import { now, times } from '../../reporters/moment.ts';
import type { Report } from '../../reporters/file/report.ts';
import { describeCounts } from '../../reporters/file/step_counts.ts';

/** The text of the report of a session before its first command. */
export function plannedReport(prepared: Prepared, known: RunJournal['known'], host: string): Iterable<string> {
  const { plan } = prepared;
  const { calls, ops } = plannedOps(prepared, known);
  const steps = plan.ops.filter(({ kind }) => kind === 'run').length;
  const moment = now();
  const report: Report = {
    version: 1,
    workflow: plan.workflow,
    success: false,
    interrupted: null,
    ...times(moment, moment),
    summary: describeCounts(new Map(steps > 0 ? [['not reached', steps]] : [])),
    tool: VERSION,
    params: maskedParams(plan),
    host,
    git: null,
    calls,
    ops,
  };
  return documentPieces(report, '');
}
