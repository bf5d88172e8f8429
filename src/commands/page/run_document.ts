import { attemptsOf } from '../../journal/fold_history.ts';
import type { RecordedRun } from '../../journal/journal.ts';
import type { RunState } from '../../journal/run_state.ts';
import { commandOf } from '../../driver/runs/recorded_commands.ts';
import { describeDamage } from '../../driver/runs/find_run.ts';
import type { Report, ReportOp } from '../../reporters/file/report.ts';
import { recordedReport } from '../runs/recorded_report.ts';

/** What the page can do with a run. */
export type RunAction = 'cancel' | 'resume' | 'again';

/** The last attempt at a command of a session. `path` is that of its step, and `log` the name of its log: `S-N`. */
export type RunOp = Omit<ReportOp, 'status'> &
  Readonly<{ status: ReportOp['status'] | 'running'; path: string; log: string | null }>;

/** The report of a run for the page, in which a command may be running. `problem` is that of its record. */
export type RunDocument = Omit<Report, 'ops'> &
  Readonly<{ id: string; state: RunState; actions: readonly RunAction[]; has_logs: boolean; problem: string | null }> &
  Readonly<{ ops: readonly RunOp[] }>;

/** The page's document of a run. */
export function runDocument(run: RecordedRun, state: RunState, hasLogs: boolean): Omit<RunDocument, 'actions'> {
  const params: Record<string, string> = Object.create(null);
  for (const [name, value] of run.sessions.at(-1)?.header.params ?? []) params[name] = value ?? '***';
  const report = run.sessions.length === 0 ? emptyReport() : recordedReport(run, params);
  const commands = startedCommands(run);
  const last = run.sessions.length;
  const ops: RunOp[] = [];
  for (const op of report.ops) {
    const command = commands[ops.length];
    const isRunning = state === 'running' && op.end === null && command?.session === last;
    const log = command === undefined ? null : `${command.session}-${command.n}`;
    const running = isRunning ? ({ status: 'running', reason: null } as const) : {};
    ops.push({ ...op, ...running, path: command?.path ?? op.name ?? '', log });
  }
  const problem = run.damage === null ? null : describeDamage(run);
  return { ...report, id: run.id, state, has_logs: hasLogs, problem, ops };
}

/** The report of a run whose first record is damaged. */
function emptyReport(): Report {
  const times = { start: '', end: '', duration_ms: 0 };
  const unknown = { version: 1, workflow: '', success: false, interrupted: null, summary: '', tool: '' } as const;
  return { ...unknown, ...times, params: {}, host: '', git: null, calls: [], ops: [] };
}

/** The commands of the report's ops, in their order. */
function startedCommands({ sessions }: RecordedRun): readonly ReturnType<typeof commandOf>[] {
  return sessions.flatMap(({ header, records }) => {
    const all = attemptsOf(records).map(({ start }) => [JSON.stringify(start.id), start] as const);
    return [...new Map(all).values()].map((start) => commandOf(start, header.session));
  });
}
