import { closeSync, fstatSync, ftruncateSync, openSync, statSync } from 'node:fs';
import { extname } from 'node:path';
import type { RunEvent, Outcome } from '../../backend/execute.ts';
import { write } from '../../backend/system/write.ts';
import { trySystemCall } from '../../backend/system/try_system_call.ts';
import { documentPieces } from '../../output/document.ts';
import { say, type Io } from '../../output/io.ts';
import type { Prepared } from '../../driver/prepare.ts';
import { Recorder, type Report } from './recorder.ts';

/** A report in the making; `write` tells whether it could be written. */
export type ReportFile = Readonly<{ tell: (event: RunEvent) => void; write: (outcome: Outcome) => boolean }>;

/**
 * Opens the file of a report and empties it, before the first step: that a path is wrong should not be found out at
 * the end. Undefined if it cannot be; that has been said then.
 *
 * All of it is written when the run has ended. If the tool is killed before, the file is empty, and so it is if it
 * could not be written whole.
 */
export async function openReport(io: Io, prepared: Prepared, path: string): Promise<ReportFile | undefined> {
  const refuse = (problem: string): undefined => say(io, [`cannot write the report ${path}: ${problem}`], 'cli: ');
  const text = await formOf(path);
  const opened = open(path, prepared.path);
  if (typeof opened === 'string') return refuse(opened);
  const recording = new Recorder(prepared);
  return {
    tell: (event) => recording.follow(event),
    write: (outcome) => {
      const problem = trySystemCall(() => writeInto(opened, path, text(recording.report(outcome))));
      if (problem !== undefined) refuse(problem);
      return problem === undefined;
    },
  };
}

/** What makes the text of a report, by the ending of its file. It is loaded now: a step may replace the tool's files. */
async function formOf(path: string): Promise<(report: Report) => Iterable<string>> {
  switch (extname(path).toLowerCase()) {
    case '.xml':
      return (await import('./junit.ts')).junit;
    case '.html':
      return (await import('./html.ts')).html;
    default:
      return (report) => documentPieces(report, '  ');
  }
}

/** Gives a descriptor, or why there is none. */
function open(path: string, workflowFile: string): number | string {
  return trySystemCall(() => {
    const opened = openSync(path, 'a');
    const [report, source] = [fstatSync(opened), statSync(workflowFile, { throwIfNoEntry: false })];
    // A word too few on the command line must not cost somebody the workflow file.
    if (report.ino === source?.ino && report.dev === source.dev) return 'it is the workflow file';
    empty(opened);
    return opened;
  });
}

function writeInto(opened: number, path: string, text: Iterable<string>): string | undefined {
  // A step may have deleted the file, as one that cleans up the folder for what it builds does.
  const target = fstatSync(opened).nlink === 0 ? openSync(path, 'a') : opened;
  empty(target);
  const problem = write(target, text);
  if (problem !== undefined) empty(target);
  closeSync(target);
  return problem;
}

/** A device or a pipe cannot be emptied, and need not. */
function empty(descriptor: number): void {
  if (fstatSync(descriptor).isFile()) ftruncateSync(descriptor);
}
