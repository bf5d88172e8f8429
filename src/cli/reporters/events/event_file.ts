import { readdirSync, readFileSync, readlinkSync, writeSync } from 'node:fs';
import { trySystemCall } from '../../../backend/system/try_system_call.ts';
import { write } from '../../../backend/system/write.ts';
import { redactPath } from '../../command_line/redact.ts';
import { isSameFile } from '../../driver/read_file.ts';
import { printStderr, type Io } from '../../output/io.ts';
import { openEmptied, openToAppend } from '../file/open_file.ts';
import { readSurroundings } from '../file/surroundings.ts';
import type { EventTarget } from '../report_flags.ts';
import type { ReportedRun, Reporter } from '../reporter_type.ts';
import { EventLines } from './event_lines.ts';

/**
 * Opens the file or descriptor of `--events` before the first step; undefined after an error, which has been printed.
 * Opening a named pipe waits for its reader, as in a shell.
 */
export function openEvents(
  io: Io,
  run: ReportedRun,
  target: EventTarget,
  reports: readonly string[],
): Reporter | undefined {
  const name = 'path' in target ? redactPath(target.path) : `fd:${target.descriptor}`;
  const opened = 'path' in target ? openFile(io, run, target.path, reports) : openDescriptor(target.descriptor);
  if (typeof opened === 'string') return printStderr(io, [`cannot write the events to ${name}: ${opened}`], 'cli: ');
  const surroundings = readSurroundings();
  let isOver = false;
  const put = (line: object): void => {
    const problem = isOver ? undefined : write(opened, [`${JSON.stringify(line)}\n`]);
    if (problem === undefined) return;
    isOver = true;
    printStderr(io, [`cannot write more events to ${name}: ${problem}`], 'cli: warning: ');
  };
  const lines = new EventLines(run);
  return {
    begin: () => put(lines.first(surroundings)),
    onEvent: (change) => {
      for (const line of lines.of(change)) put(line);
    },
    onEnd: (outcome, unreached) => {
      for (const line of lines.last(outcome, unreached)) put(line);
    },
  };
}

function openFile(io: Io, { prepared }: ReportedRun, path: string, reports: readonly string[]): number | string {
  const opened = openEmptied(() => openToAppend(path), io, prepared.path);
  if (typeof opened === 'string') return opened;
  return reports.some((report) => isSameFile(opened, report)) ? 'it is the report' : opened;
}

/**
 * A descriptor, or the reason why events cannot be written to it. One that the caller has not opened may be one that the
 * runtime uses.
 */
function openDescriptor(descriptor: number): number | string {
  const probed = trySystemCall(() => writeSync(descriptor, ''));
  return typeof probed === 'string' || isOwnPipe(descriptor) ? 'it is not open for writing' : descriptor;
}

/** Whether a descriptor is an end of a pipe whose other end is also in this process. Known only with /proc. */
function isOwnPipe(descriptor: number): boolean {
  const link = linkOf(String(descriptor));
  if (link?.startsWith('pipe:') !== true) return false;
  const all = trySystemCall(() => readdirSync('/proc/self/fd'));
  return typeof all !== 'string' && all.some((name) => Number(name) > 2 && linkOf(name) === link && isForReading(name));
}

function linkOf(name: string): string | undefined {
  const link = trySystemCall(() => ({ target: readlinkSync(`/proc/self/fd/${name}`) }));
  return typeof link === 'string' ? undefined : link.target;
}

/** Whether a descriptor is read-only, according to the access mode in its flags, an octal number. */
function isForReading(name: string): boolean {
  const info = trySystemCall(() => ({ text: readFileSync(`/proc/self/fdinfo/${name}`, 'utf8') }));
  return typeof info !== 'string' && /^flags:\s*[0-7]*[04]$/m.test(info.text);
}
