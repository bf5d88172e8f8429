import { openSync } from 'node:fs';
import { write } from '../../backend/system/write.ts';
import { redactPath } from '../../command_line/redact.ts';
import { isSameFile } from '../../driver/read_file.ts';
import { printStderr, type Io } from '../../output/io.ts';
import { openEmptied } from '../file/open_file.ts';
import { readSurroundings } from '../file/surroundings.ts';
import type { Prepared } from '../../driver/prepare.ts';
import type { FailureText } from '../failure_text.ts';
import type { OpResults } from '../op_results.ts';
import type { Reporter } from '../reporter.ts';
import { descriptorProblem } from './descriptor.ts';
import { EventLines } from './event_lines.ts';

/** The target of the events: a file, or a descriptor that the caller has opened. */
export type EventTarget = Readonly<{ path: string } | { descriptor: number }>;

/** A run with `--events`. */
export type ObservedRun = Readonly<{ prepared: Prepared; text: FailureText; reports: readonly string[] }>;

/** An open target. `reporter` begins to write. */
export type EventFile = Readonly<{ reporter: (results: OpResults) => Reporter }>;

/**
 * Opens the file or descriptor of `--events` before the first step; undefined after an error, which has been printed.
 * Opening a named pipe waits for its reader, as in a shell.
 */
export function openEvents(io: Io, target: EventTarget, run: ObservedRun): EventFile | undefined {
  const name = 'path' in target ? redactPath(target.path) : `fd:${target.descriptor}`;
  const opened = 'path' in target ? openFile(io, target.path, run) : openDescriptor(target.descriptor);
  if (typeof opened === 'string') return printStderr(io, [`cannot write the events to ${name}: ${opened}`], 'cli: ');
  const surroundings = readSurroundings();
  let isOver = false;
  const put = (line: object): void => {
    const problem = isOver ? undefined : write(opened, [`${JSON.stringify(line)}\n`]);
    if (problem === undefined) return;
    isOver = true;
    printStderr(io, [`cannot write more events to ${name}: ${problem}`], 'cli: warning: ');
  };
  return {
    reporter: (results) => {
      const lines = new EventLines(run.prepared, run.text, results.start);
      put(lines.first(surroundings));
      return {
        onEvent: (change) => {
          for (const line of lines.of(change)) put(line);
        },
        onEnd: (outcome, unreached) => {
          for (const line of lines.last(outcome, unreached)) put(line);
        },
      };
    },
  };
}

function openFile(io: Io, path: string, { prepared, reports }: ObservedRun): number | string {
  const opened = openEmptied(() => openSync(path, 'a'), io, prepared.path);
  if (typeof opened === 'string') return opened;
  return reports.some((report) => isSameFile(opened, report)) ? 'it is the report' : opened;
}

function openDescriptor(descriptor: number): number | string {
  return descriptorProblem(descriptor) ?? descriptor;
}
