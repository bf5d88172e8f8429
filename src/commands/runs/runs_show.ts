import { isAbsolute, join } from 'node:path';
import { trySystemCall } from '../../backend/system/try_system_call.ts';
import { redactPath } from '../../command_line/redact.ts';
import { describeDamage, findRun } from '../../driver/runs/find_run.ts';
import { enterDirectoryOfRuns } from './enter_directory.ts';
import { openJournal } from '../../driver/runs/open_journal.ts';
import { attemptsOf } from '../../journal/fold_history.ts';
import { startOf, thisProcess } from '../../journal/holder.ts';
import { runState } from '../../journal/run_state.ts';
import type { RecordedRun } from '../../journal/journal.ts';
import type { SessionContent } from '../../journal/session_file.ts';
import { printDocument } from '../../output/document.ts';
import type { Options } from '../../command_line/parse.ts';
import { EXIT, refuse, type Io } from '../../output/io.ts';

/** `workflow runs show`: prints the record of a run. Unknown values are null. */
export async function runsShow(io: Io, options: Options): Promise<number> {
  const url = options.values.get('on') ?? io.env['CLI_ON'];
  if (url) return (await import('../remote/runs_on.ts')).runsOn(io, 'show', url, options);
  const paths = options.lists.get('report') ?? [];
  if (paths.some((path) => !/\.html$/i.test(path)))
    return refuse(io, [`the report of a recorded run is a file *.html`]);
  const startDirectory = enterDirectoryOfRuns(io, options);
  const opened = openJournal(io, options);
  if (!opened.ok) return refuse(io, opened.problems);
  const found = findRun(opened.value, options.switches.has('last') ? undefined : options.words[0]);
  if (!found.ok) return refuse(io, found.problems);
  const run = found.value;
  const header = run.sessions.at(-1)?.header;
  const params = Object.create(null);
  for (const [name, value] of header?.params ?? []) params[name] = value ?? '***';
  const document = {
    id: run.id,
    workflow: header?.workflow ?? null,
    state: runState(run, thisProcess(), startOf),
    foreign: run.foreign ? true : undefined,
    problem: run.damage === null ? undefined : describeDamage(run),
    file: header?.file ?? null,
    cwd: header?.cwd ?? null,
    params,
    sessions: run.sessions.map(sessionEntry),
  };
  for (const path of header === undefined ? [] : paths) {
    const target = isAbsolute(path) ? path : join(startDirectory, path);
    const problem = await reportRun(target, run, params);
    if (problem !== undefined) return refuse(io, [`cannot write the report ${redactPath(path)}: ${problem}`]);
  }
  return printDocument(io, document, options, EXIT.ok);
}

/** Writes the report of a recorded run to a file. Returns the problem, if any. */
async function reportRun(
  path: string,
  run: RecordedRun,
  params: Readonly<Record<string, string>>,
): Promise<string | undefined> {
  const { html } = await import('../../reporters/file/html.ts');
  const { openReport, writeReport } = await import('../../reporters/file/report_file.ts');
  const { recordedReport } = await import('./recorded_report.ts');
  const text = html(recordedReport(run, params));
  return trySystemCall(() => {
    const opened = openReport(path);
    return typeof opened === 'string' ? opened : writeReport(opened, path, text);
  });
}

function sessionEntry({ header, records }: SessionContent): object {
  const finish = records.find((record) => record.kind === 'finish');
  const isOver = finish?.kind === 'finish';
  return {
    session: header.session,
    start: header.at,
    end: isOver ? finish.at : null,
    success: isOver ? finish.success : null,
    interrupted: isOver ? finish.interrupted : null,
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
