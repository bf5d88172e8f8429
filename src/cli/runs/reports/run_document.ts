import type { RemoteEntry } from '../../driver/remote/engine.ts';
import { describeDamage } from '../../driver/runs/find_run.ts';
import { readPlan } from '../../../records/journal/directory/run_files.ts';
import type { RecordedRun } from '../../../records/journal/journal.ts';
import { waitOf, type RunState } from '../../../records/journal/run_state.ts';
import type { RunEntry } from '../run_entry.ts';
import { recordedReport, type RecordedReport } from './recorded_report.ts';
import { shownParams } from './session_entry.ts';

/** What the page can do with a run. */
export type RunAction = 'cancel' | 'resume' | 'again';

/** The report of a run for the page. `problem` is that of its record. */
export type RunDocument = RecordedReport &
  Readonly<{ id: string; state: RunState | RemoteEntry['state']; actions: readonly RunAction[] }> &
  Readonly<{ has_logs: boolean; problem: string | null; remote?: RemoteFacts }> &
  Pick<RunEntry, 'question' | 'waits_for'>;

/** What only a run of a worker has. `resume` is the command line that resumes it. */
type RemoteFacts = Readonly<{ worker: string | null; tag: string | null; lock: string | null; takeovers: number }> &
  Readonly<{ resume: string | null }>;

/** The page's document of a run. `runs` is the directory of all records. */
export function runDocument(
  runs: string,
  run: RecordedRun,
  state: RunState,
): Omit<RunDocument, 'actions' | 'has_logs' | 'state'> & Readonly<{ state: RunState }> {
  const params = shownParams(run.sessions.at(-1)?.header);
  const report =
    run.sessions.length === 0
      ? emptyReport()
      : recordedReport(run, state, params, (session) => readPlan(runs, run.id, session));
  const problem = run.damage === null ? null : describeDamage(run);
  return { ...report, id: run.id, state, problem, ...waitOf(run) };
}

/** The report of a run whose first record is damaged. */
function emptyReport(): RecordedReport {
  const times = { start: '', end: '', duration_ms: 0 };
  const unknown = { version: 1, workflow: '', success: false, interrupted: null, summary: '', tool: '' } as const;
  return { ...unknown, ...times, params: {}, host: '', git: null, calls: [], ops: [], isPlanned: false, sessions: [] };
}
