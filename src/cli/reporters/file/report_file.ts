import { closeSync, fstatSync, statSync } from 'node:fs';
import { extname } from 'node:path';
import { write } from '../../../backend/system/write.ts';
import { trySystemCall } from '../../../backend/system/try_system_call.ts';
import { documentPieces } from '../../output/document.ts';
import { redactPath } from '../../command_line/redact.ts';
import { printStderr, type Io } from '../../output/io.ts';
import type { ReportedRun, Reporter } from '../reporter_type.ts';
import { openEmptied, openToAppend, truncate } from './open_file.ts';
import { readSurroundings } from './surroundings.ts';
import { makeReport, type Report } from './report.ts';

/**
 * Opens and empties the files of a report before the first step, so that a wrong path does not cost a run. Returns
 * undefined after printing an error.
 *
 * The report is written at the end of the run. A file stays empty if the tool is killed or the report could not be
 * written completely.
 */
export async function openReports(
  io: Io,
  run: ReportedRun,
  paths: readonly string[],
  keepsOutput: boolean,
): Promise<Reporter | undefined> {
  const refuse = (path: string, problem: string): undefined =>
    printStderr(io, [`cannot write the report ${redactPath(path)}: ${problem}`], 'cli: ');
  const files: ReportFile[] = [];
  for (const path of paths) {
    const extension = extname(path);
    if (/^\.[a-z]+$/i.test(extension) && !/^\.(?:json|xml|html)$/i.test(extension))
      return refuse(path, `${extension} is no format of reports: they are .json, .xml (JUnit) or .html`);
    const render = await writerOf(path, run, keepsOutput);
    const opened = openEmptied(() => openReport(path), io, run.prepared.path);
    if (typeof opened === 'string') return refuse(path, opened);
    files.push({ path, opened, render });
  }
  const surroundings = readSurroundings();
  return {
    onEnd: (outcome) => {
      const report = makeReport(run, surroundings, outcome);
      const problems = files.map(({ path, opened, render }) => {
        const problem = trySystemCall(() => writeReport(opened, path, render(report)));
        if (problem !== undefined) refuse(path, problem);
        return problem;
      });
      return problems.some((problem) => problem !== undefined) ? false : undefined;
    },
  };
}

/** An open file, and the writer for its extension. */
type ReportFile = Readonly<{ path: string; opened: number; render: (report: Report) => Iterable<string> }>;

/** The writer for a file extension, loaded before the first step, which may replace the tool's files. */
async function writerOf(path: string, run: ReportedRun, keepsOutput: boolean): Promise<ReportFile['render']> {
  switch (extname(path).toLowerCase()) {
    case '.xml':
      return (await import('./junit_report.ts')).junit;
    case '.html': {
      const { html } = await import('./html_report.ts');
      return (report) => html(keepsOutput ? report : { ...report, note: NO_OUTPUT }, run.prepared.plan);
    }
    default:
      return (report) => documentPieces(report, '  ');
  }
}

/** The note of a page without the output of commands. */
const NO_OUTPUT = 'Without the output of commands. To keep it, add --report-lines 50.';

/** Opens a file for appending. Returns a descriptor or the problem. Opening a pipe without a reader would block. */
export function openReport(path: string): number | string {
  const stats = statSync(path, { throwIfNoEntry: false });
  if (stats?.isFIFO() === true || stats?.isSocket() === true) return 'it is a pipe or a socket';
  return openToAppend(path);
}

/** Replaces the content of a report and closes it. Returns the system's message on failure. */
export function writeReport(opened: number, path: string, text: Iterable<string>): string | undefined {
  // A step may have deleted the file, for example by cleaning the output directory.
  const target = fstatSync(opened).nlink === 0 ? openReport(path) : opened;
  if (typeof target === 'string') return target;
  truncate(target);
  const problem = write(target, text);
  if (problem !== undefined) truncate(target);
  closeSync(target);
  return problem;
}
