import { closeSync, fstatSync, ftruncateSync, openSync, statSync } from 'node:fs';
import { extname } from 'node:path';
import type { RunEvent, Outcome } from '../../backend/execute.ts';
import { write } from '../../backend/system/write.ts';
import { trySystemCall } from '../../backend/system/try_system_call.ts';
import { documentPieces } from '../../output/document.ts';
import { say, type Io } from '../../output/io.ts';
import type { Prepared } from '../../driver/prepare.ts';
import { Recorder, type Report } from './recorder.ts';

/** An open report file; `write` returns false after an error, which has been printed. */
export type ReportFile = Readonly<{ onEvent: (event: RunEvent) => void; write: (outcome: Outcome) => boolean }>;

/**
 * Opens and empties the file of a report before the first step, so that a wrong path does not cost a run. Undefined
 * after an error, which has been printed.
 *
 * The report is written at the end of the run. The file stays empty if the tool is killed, or if not all could be
 * written.
 */
export async function openReport(io: Io, prepared: Prepared, path: string): Promise<ReportFile | undefined> {
  const refuse = (problem: string): undefined => say(io, [`cannot write the report ${path}: ${problem}`], 'cli: ');
  const text = await writerOf(path);
  const opened = open(path, prepared.path);
  if (typeof opened === 'string') return refuse(opened);
  const recorder = new Recorder(prepared);
  return {
    onEvent: (event) => recorder.onEvent(event),
    write: (outcome) => {
      const problem = trySystemCall(() => writeInto(opened, path, text(recorder.report(outcome))));
      if (problem !== undefined) refuse(problem);
      return problem === undefined;
    },
  };
}

/** The writer for a file extension, loaded before the first step, which may replace the tool's files. */
async function writerOf(path: string): Promise<(report: Report) => Iterable<string>> {
  switch (extname(path).toLowerCase()) {
    case '.xml':
      return (await import('./junit.ts')).junit;
    case '.html':
      return (await import('./html.ts')).html;
    default:
      return (report) => documentPieces(report, '  ');
  }
}

/** Opens the file; returns a descriptor or the problem. */
function open(path: string, workflowFile: string): number | string {
  return trySystemCall(() => {
    const opened = openSync(path, 'a');
    const [report, source] = [fstatSync(opened), statSync(workflowFile, { throwIfNoEntry: false })];
    // A missing word on the command line must not destroy the workflow file.
    if (report.ino === source?.ino && report.dev === source.dev) return 'it is the workflow file';
    empty(opened);
    return opened;
  });
}

function writeInto(opened: number, path: string, text: Iterable<string>): string | undefined {
  // A step may have deleted the file, for example by cleaning the output directory.
  const target = fstatSync(opened).nlink === 0 ? openSync(path, 'a') : opened;
  empty(target);
  const problem = write(target, text);
  if (problem !== undefined) empty(target);
  closeSync(target);
  return problem;
}

/** Truncates a regular file. */
function empty(descriptor: number): void {
  if (fstatSync(descriptor).isFile()) ftruncateSync(descriptor);
}
