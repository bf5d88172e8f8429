import { existsSync } from 'node:fs';
import { isAbsolute, join } from 'node:path';
import { trySystemCall } from '../../../backend/system/try_system_call.ts';
import { redactPath } from '../../command_line/redact.ts';
import { describeDamage } from '../../driver/recording/find_run.ts';
import { commandsInFlight } from '../../driver/recording/recorded_commands.ts';
import { runsDirectory } from '../../driver/recording/record_run.ts';
import { readPlan } from '../../../records/journal/directory/run_files.ts';
import type { RecordedPlan } from '../../../records/journal/directory/recorded_plan.ts';
import { attemptsOf } from '../../../records/journal/fold_history.ts';
import { endOf, type RecordedRun, runState, waitOf } from '../../../records/journal/journal.ts';
import type { SessionContent } from '../../../records/journal/session_file.ts';
import { printDocument } from '../../output/document.ts';
import type { Options } from '../../command_line/parse_command_line.ts';
import { EXIT, refuse, type Io } from '../../output/io.ts';
import { recordedReport, withKnownStatus } from '../../run_data/reports/recorded_report.ts';
import type { RecordedOp, RecordedReport } from '../../run_data/reports/recorded_report.ts';
import { shownParams, type SessionEntry } from '../../run_data/reports/session_entry.ts';
import { listedOps, stepEntry } from '../../run_data/reports/step_entry.ts';
import { lastOutput, logCommand, logPath } from '../../run_data/last_output.ts';
import { isBad } from '../../reporters/file/report.ts';
import { prefersText } from './prefers_text.ts';
import { createRunNames } from './run_names.ts';
import { openRun } from './open_run.ts';

/** `workflow runs show`: prints the record of a run. Unknown values are null. */
export async function runsShow(io: Io, options: Options): Promise<number> {
  const { report: paths } = options;
  if (paths.some((path) => !/\.html$/i.test(path)))
    return refuse(io, [`the report of a recorded run is a file *.html`]);
  const opened = openRun(io, options);
  if (!opened.ok) return refuse(io, opened.problems);
  const { run, journal, startDirectory } = opened.value;
  const header = run.sessions.at(-1)?.header;
  const params = shownParams(header);
  const { path: runs } = runsDirectory(io);
  const state = runState(run);
  const planOf = (session: number): RecordedPlan | undefined => readPlan(runs, run.id, session);
  const report = header === undefined ? undefined : recordedReport(run, state, params, planOf);
  const left = await leftRunning(run);
  const document = {
    id: run.id,
    workflow: header?.workflow ?? null,
    state,
    ...waitOf(run),
    left_running: left.length === 0 ? undefined : left,
    foreign: run.foreign ? true : undefined,
    problem: run.damage === null ? undefined : describeDamage(run),
    file: header?.file ?? null,
    cwd: header?.cwd ?? null,
    params,
    sessions: run.sessions.map((each, index) => sessionEntry(each, report?.sessions[index])),
    steps: report === undefined ? [] : listedOps(report).map((op) => shownStep(runs, run, op)),
  };
  for (const path of report === undefined ? [] : paths) {
    const target = isAbsolute(path) ? path : join(startDirectory, path);
    const problem = await reportRun(target, report);
    if (problem !== undefined) return refuse(io, [`cannot write the report ${redactPath(path)}: ${problem}`]);
  }
  if (!prefersText(io, options)) return printDocument(io, document, options, EXIT.ok);
  const { printRun } = await import('./show/run_text.ts');
  const { shownRun } = await import('./show/run_text.ts');
  return printRun(io, shownRun(run, state, createRunNames(journal.runs())(run.id), runs, left), report);
}

/** The paths of the steps of which processes are left, although the run's process has ended. */
async function leftRunning(run: RecordedRun): Promise<readonly string[]> {
  if (run.holder === 'alive' || commandsInFlight(run).size === 0) return [];
  return [...(await (await import('../../driver/recording/orphans.ts')).findOrphans(run)).steps];
}

/** A step with its log; a failed one with the last lines, and the first failure if it is not among them. */
function shownStep(runs: string, run: RecordedRun, op: RecordedOp): object {
  const [entry, command] = [stepEntry(op), op.commands.at(-1)];
  const log = command === undefined ? undefined : logPath(runs, run.id, command);
  if (command === undefined || log === undefined || !existsSync(log)) return { ...entry, log: null, last_lines: null };
  const output = isBad(op) ? lastOutput(runs, run, command) : undefined;
  if (output === undefined || 'problem' in output) return { ...entry, log, last_lines: null };
  const { lines, failure } = output;
  return { ...entry, log, last_lines: lines, first_failure: failure, log_command: logCommand(run.id, entry.path) };
}

/** Writes the report of a recorded run to a file. Returns the problem, if any. */
async function reportRun(path: string, report: RecordedReport | undefined): Promise<string | undefined> {
  const { html } = await import('../../reporters/file/html_report.ts');
  const { openReport, writeReport } = await import('../../reporters/file/report_file.ts');
  if (report === undefined) return undefined;
  const { isPlanned: _, sessions: _sessions, ...others } = report;
  const text = html({ ...others, ops: report.ops.map(withKnownStatus) });
  return trySystemCall(() => {
    const opened = openReport(path);
    return typeof opened === 'string' ? opened : writeReport(opened, path, text);
  });
}

function sessionEntry({ header, records }: SessionContent, entry: SessionEntry | undefined): object {
  const ended = endOf({ records });
  return {
    session: header.session,
    start: header.at,
    end: ended?.at ?? null,
    success: ended?.success ?? null,
    interrupted: ended?.interrupted ?? null,
    state: entry?.state,
    reason: entry?.reason,
    user: entry?.user,
    uid: header.uid,
    host: header.host,
    params: entry?.params,
    agent: header.agent,
    ops: attemptsOf(records).map(({ start: { what, name, print, attempt }, end }) => ({
      kind: what,
      name,
      command: print.command,
      attempt,
      exit_code: end?.exit ?? null,
      duration_ms: end?.ms ?? null,
    })),
  };
}
