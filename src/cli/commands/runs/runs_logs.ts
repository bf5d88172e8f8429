import { closeSync, readSync } from 'node:fs';
import { trySystemCall } from '../../../backend/system/try_system_call.ts';
import { write, writeBytes } from '../../../backend/system/write.ts';
import { runsDirectory } from '../../driver/recording/record_run.ts';
import { recordedCommands, selectCommands, type RecordedCommand } from '../../driver/recording/recorded_commands.ts';
import { type RecordedRun, isResumable } from '../../../records/journal/journal.ts';
import { openLog } from '../../../records/journal/directory/run_files.ts';
import { escapeForTerminal } from '../../output/escape.ts';
import type { Options } from '../../command_line/parse_command_line.ts';
import { isLogRemoved, isUnmasked, NOT_MASKED, REMOVED } from '../../run_data/last_output.ts';
import { EXIT, refuse, printStderr, writeStderr, type Io } from '../../output/io.ts';
import { openRun } from './open_run.ts';
import { isTerminal } from '../../output/terminal.ts';

/** The size of a read, in bytes. */
const CHUNK = 65_536;

const LINE_BREAK = 10;

/** `workflow runs logs`: prints the output of a run's commands from their logs, unchanged unless it is foreign. */
export function runsLogs(io: Io, options: Options): number {
  const { raw } = options;
  const opened = openRun(io, options, true);
  if (!opened.ok) return refuse(io, opened.problems);
  const { run, step } = opened.value;
  const selected = selectCommands(run.id, recordedCommands(run), step);
  if (!selected.ok) return refuse(io, selected.problems);
  const writer = run.foreign && isTerminal(io.stdout) ? escapedWriter(io.stdout) : rawWriter(io.stdout);
  let lastByte: number | undefined = LINE_BREAK;
  const followed: Writer = (bytes) => {
    lastByte = bytes.at(-1);
    return writer(bytes);
  };
  const stored = new Set<number>();
  const { path: runs } = runsDirectory(io);
  const isTitled = step === undefined && selected.value.length > 1;
  let isHidden = false;
  for (const command of selected.value) {
    const { session, n, path } = command;
    const isRemoved = isLogRemoved(runs, run.id, command);
    const descriptor = isRemoved ? REMOVED : openLog(runs, run.id, session, n);
    if (typeof descriptor !== 'string' || isRemoved) stored.add(session);
    if (isRemoved) printStderr(io, [`the output of '${path}' is ${REMOVED}`], 'cli: ');
    if (typeof descriptor === 'string') continue;
    if (!raw && isUnmasked(run, command)) {
      isHidden = true;
      printStderr(io, [`the output of '${path}' is ${NOT_MASKED}; to print it all the same, add --raw`], 'cli: ');
      closeSync(descriptor);
      continue;
    }
    if (lastByte !== LINE_BREAK && isTitled) writeStderr(io, ['\n']);
    if (isTitled) printStderr(io, [`${path}: ${stateOf(command)}`], 'cli: ');
    const problem = copy(descriptor, followed);
    closeSync(descriptor);
    if (problem === undefined) continue;
    printStderr(io, [`cannot write the logs to standard output: ${problem}`], 'cli: ');
    return EXIT.notWritten;
  }
  if (stored.size === 0) return refuse(io, withoutLogs(run, step));
  const missing = new Set(selected.value.map(({ session }) => session).filter((session) => !stored.has(session)));
  if (missing.size > 0) {
    printStderr(io, [`the output of ${nameSessions([...missing])} of this run is not stored`], 'cli: ');
  }
  return isHidden ? EXIT.no : EXIT.ok;
}

function stateOf({ end }: RecordedCommand): string {
  if (end === undefined) return 'its end is not recorded';
  return end.failed ? `failed${end.exit === null ? '' : ` with exit code ${end.exit}`}` : 'succeeded';
}

/** The error for a run or a step without logs, with the ways to keep them. */
function withoutLogs(run: RecordedRun, step: string | undefined): readonly string[] {
  const what = step === undefined ? `run ${run.id}` : `step '${step}' of run ${run.id}`;
  return [
    `${what} has no logs; to keep them, add --logs, write "logs": true in the workflow, or set CLI_LOGS=1`,
    ...(isResumable(run) ? [`to continue the run with logs: cli resume ${run.id} --logs`] : []),
  ];
}

function nameSessions(sessions: readonly number[]): string {
  return `session${sessions.length === 1 ? '' : 's'} ${sessions.join(', ')}`;
}

/** Writes bytes, and returns the system's message on failure. */
type Writer = (bytes: Uint8Array) => string | undefined;

function rawWriter(to: number): Writer {
  return (bytes) => writeBytes(to, bytes);
}

/** A writer for a terminal, which the author of the bytes must not control. */
function escapedWriter(to: number): Writer {
  const decoder = new TextDecoder();
  return (bytes) => {
    const lines = decoder.decode(bytes, { stream: true }).split('\n');
    return write(to, [lines.map(escapeForTerminal).join('\n')]);
  };
}

/** Copies a file. Returns the system's message on failure. */
function copy(from: number, writer: Writer): string | undefined {
  const buffer = Buffer.allocUnsafe(CHUNK);
  for (;;) {
    const read = trySystemCall(() => readSync(from, buffer));
    if (typeof read === 'string') return read;
    if (read === 0) return undefined;
    const problem = writer(buffer.subarray(0, read));
    if (problem !== undefined) return problem;
  }
}
