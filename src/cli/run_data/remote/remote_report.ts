import type { RemoteHistory } from '../../engine/engine.ts';
import type { RunJournal } from '../../../backend/run_journal.ts';
import { keptOps } from '../../../records/journal/replay/replaying_journal.ts';
import { positionIn, type RemoteRun } from '../../engine/remote_run.ts';
import { maskedParams } from '../../../ir/secret_names.ts';
import type { RecordedPlan } from '../../../records/journal/directory/recorded_plan.ts';
import { RESUMABLE } from '../../../records/journal/journal.ts';
import { plannedOps } from '../reports/planned_ops.ts';
import { reportOf, type RecordedReport } from '../reports/recorded_report.ts';

/** The report of a remote run. A command of it has a record once it has ended. */
export function remoteReport({ entry, run, sessions }: RemoteHistory): RecordedReport {
  const { workflow, state, started, submitted, ended, worker = '' } = entry;
  const begun = sessions.flat().find((record) => record.kind === 'start');
  const start = [begun?.kind === 'start' ? begun.at : [], started ?? []].flat().toSorted()[0] ?? submitted;
  const end = ended === undefined ? undefined : { success: state === 'succeeded', interrupted: null, at: ended };
  const recorded = sessions.map((records, index) => ({ session: index + 1, records }));
  const about = { workflow, start, tool: '', host: worker, isRunning: state === 'running' };
  const params = run === undefined ? {} : maskedParams(run.plan);
  const { spans: _, ...report } = reportOf({ ...about, sessions: recorded, end }, params, (session) => {
    return run && remotePlan(run, keptOps(run.plan, sessions.slice(0, session - 1)));
  });
  return { ...report, sessions: [] };
}

/** The command line that resumes a remote run; undefined if it cannot be resumed. */
export function resumeLine({ run, state }: RemoteHistory['entry']): string | undefined {
  return RESUMABLE.has(state) ? `cli runs resume ${run}` : undefined;
}

function remotePlan(run: RemoteRun, known: RunJournal['known']): RecordedPlan {
  const { plan } = run;
  const { calls, ops } = plannedOps({ plan, position: positionIn(run) }, known);
  return { version: 1, calls, ops: [...ops] };
}
