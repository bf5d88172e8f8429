import { closeSync, openSync, readSync } from 'node:fs';
import { join } from 'node:path';
import { trySystemCall } from '../../backend/system/try_system_call.ts';
import { whenReady } from '../../backend/system/sleep.ts';
import { writeBytes } from '../../backend/system/write.ts';
import { enterDirectoryOfRuns } from './enter_directory.ts';
import { findRun } from '../../driver/runs/find_run.ts';
import { runsDirectory } from '../../driver/runs/record_run.ts';
import { recordedCommands, selectCommands } from '../../driver/runs/recorded_commands.ts';
import { directoryJournal } from '../../journal/directory/directory_journal.ts';
import { logDirectory, logName } from '../../journal/directory/log_names.ts';
import type { Options } from '../../command_line/parse.ts';
import { EXIT, refuse, printStderr, type Io } from '../../output/io.ts';

/** The size of a read, in bytes. */
const CHUNK = 65_536;

/** `workflow runs logs`: prints the output of a run's commands from their logs, unchanged. */
export async function runsLogs(io: Io, options: Options): Promise<number> {
  const url = options.values.get('on') ?? io.env['CLI_ON'];
  if (url) return (await import('../remote/runs_on.ts')).runsOn(io, 'logs', url, options);
  const { words, switches, ...rest } = options;
  enterDirectoryOfRuns(io, { words, switches, ...rest });
  const [text, step, ...others] = switches.has('last') ? [undefined, ...words] : words;
  if (others.length > 0) return refuse(io, [`unexpected argument '${others[0]}'`]);
  const runs = runsDirectory(io);
  const found = findRun(directoryJournal(runs), text);
  if (!found.ok) return refuse(io, found.problems);
  const selected = selectCommands(found.value.id, recordedCommands(found.value), step);
  if (!selected.ok) return refuse(io, selected.problems);
  const directory = logDirectory(runs, found.value.id);
  let isAny = false;
  for (const { session, n } of selected.value) {
    const descriptor = trySystemCall(() => openSync(join(directory, logName(session, n)), 'r'));
    if (typeof descriptor === 'string') continue;
    isAny = true;
    const problem = copy(descriptor, io.stdout);
    closeSync(descriptor);
    if (problem === undefined) continue;
    printStderr(io, [`cannot write the logs to standard output: ${problem}`], 'cli: ');
    return EXIT.notWritten;
  }
  const what = step === undefined ? `run ${found.value.id}` : `step '${step}' of run ${found.value.id}`;
  return isAny ? EXIT.ok : refuse(io, [`${what} has no logs; run and resume keep them with --logs`]);
}

/** Copies a file to a descriptor. Returns the system's message on failure. */
function copy(from: number, to: number): string | undefined {
  const buffer = Buffer.allocUnsafe(CHUNK);
  for (;;) {
    const read = whenReady(() => readSync(from, buffer));
    if (read === 0) return undefined;
    const problem = writeBytes(to, buffer.subarray(0, read));
    if (problem !== undefined) return problem;
  }
}
