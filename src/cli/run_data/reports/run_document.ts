import type { RemoteEntry } from '../../engine/engine.ts';
import { describeDamage } from '../../driver/recording/find_run.ts';
import { readPlan } from '../../../records/journal/directory/run_files.ts';
import { type RecordedRun, isResumable, waitOf, type RunState } from '../../../records/journal/journal.ts';
import type { SessionHeader } from '../../../records/journal/record.ts';
import type { RunEntry } from '../run_entry.ts';
import { recordedReport, type RecordedReport } from './recorded_report.ts';
import { shownParams } from './session_entry.ts';

/** The actions of the page on a run. */
export type RunAction = 'cancel' | 'resume' | 'again';

/** The report of a run for the page. `problem` is that of its record, `resume` the command line that continues it. */
export type RunDocument = RecordedReport &
  Readonly<{ id: string; state: RunState | RemoteEntry['state']; actions: readonly RunAction[] }> &
  Readonly<{ has_logs: boolean; problem: string | null; resume: string | null; remote?: RemoteFacts }> &
  Pick<RunEntry, 'question' | 'waits_for'> &
  Pick<SessionHeader, 'commit'>;

/** The fields of a run of a worker. */
type RemoteFacts = Readonly<{ worker: string | null; tag: string | null; lock: string | null; takeovers: number }>;

/** The page's document of a run. `runs` is the directory of all records. */
export function runDocument(
  runs: string,
  run: RecordedRun,
  state: RunState,
): Omit<RunDocument, 'actions' | 'has_logs' | 'state'> & Readonly<{ state: RunState }> {
  const header = run.sessions.at(-1)?.header;
  const params = shownParams(header);
  const report =
    run.sessions.length === 0
      ? emptyReport()
      : recordedReport(run, state, params, (session) => readPlan(runs, run.id, session));
  const problem = run.damage === null ? null : describeDamage(run);
  const resume = resumeCommand(run, run.id) ?? null;
  return { ...report, id: run.id, state, problem, resume, ...waitOf(run), ...commitOf(header) };
}

/** The field with the commit of a session, if it is recorded. */
export function commitOf(header: Pick<SessionHeader, 'commit'> | undefined): Pick<SessionHeader, 'commit'> {
  return header?.commit === undefined ? {} : { commit: header.commit };
}

/** The command line that resumes a run, by a name of it; undefined if it cannot be resumed. */
export function resumeCommand(run: RecordedRun, name: string): string | undefined {
  const needsArguments = (run.sessions.at(-1)?.header.args ?? 0) > 0;
  return isResumable(run) ? `cli resume ${name}${needsArguments ? ' -- ARGUMENT ...' : ''}` : undefined;
}

/** The report of a run whose first record is damaged. */
function emptyReport(): RecordedReport {
  const times = { start: '', end: '', duration_ms: 0 };
  const unknown = { version: 1, workflow: '', success: false, interrupted: null, summary: '', tool: '' } as const;
  return { ...unknown, ...times, params: {}, host: '', git: null, calls: [], ops: [], isPlanned: false, sessions: [] };
}
