import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { LAST_LINES } from '../../base/truncate.ts';
import { removedName } from '../../backend/outputs/logs/stored_logs.ts';
import { logDirectory, logName } from '../../records/journal/directory/file_names.ts';
import { readLogEnd } from '../../records/journal/directory/run_files.ts';
import type { RecordedRun } from '../../records/journal/journal.ts';
import type { CommandNumber } from './reports/recorded_report.ts';

/** The bytes of a log that are read for its last lines. */
const BYTES = 65_536;

/** The text in place of a log that may contain secrets. */
export const NOT_MASKED = 'not masked: the run was killed';

/** The text in place of a log that was removed. */
export const REMOVED = 'no longer stored: the logs of a project have at most 256 MiB';

/** A control sequence that selects a colour or a style: SGR (ECMA-48, 8.3.117). */
const COLOUR = new RegExp(String.raw`\x1B\[[\d;:]*m`, 'g');

/** The last lines of the log of a command and the path of the log, or a text in place of it; undefined without a log. */
export type LastOutput = Readonly<{ path: string; lines: readonly string[] } | { problem: string }>;

/** The path of the log of a command in the directory of all runs. */
export function logPath(runs: string, run: string, { session, n }: CommandNumber): string {
  return join(logDirectory(runs, run), logName(session, n));
}

/**
 * Whether the log of a command may contain secrets, which are masked at its end: the run was killed before it. Those of
 * agents are masked at once.
 */
export function isUnmasked({ sessions, holder }: RecordedRun, { session, n }: CommandNumber): boolean {
  const found = sessions.find(({ header }) => header.session === session);
  if (found === undefined || found.header.agent !== undefined) return false;
  const isRunning = holder === 'alive' && found === sessions.at(-1);
  return !isRunning && !found.records.some((record) => record.kind === 'end' && record.n === n);
}

/** Whether the log of a command was removed because all logs were too large. */
export function isLogRemoved(runs: string, run: string, command: CommandNumber): boolean {
  return existsSync(removedName(logPath(runs, run, command)));
}

/** The output of a command that was stored last. */
export function lastOutput(runs: string, run: RecordedRun, command: CommandNumber): LastOutput | undefined {
  if (isLogRemoved(runs, run.id, command)) return { problem: REMOVED };
  const end = readLogEnd(runs, run.id, command, BYTES);
  if (end === undefined) return undefined;
  if (isUnmasked(run, command)) return { problem: NOT_MASKED };
  const text = end.text.replaceAll(COLOUR, '').replace(/\r?\n$/, '');
  return { path: logPath(runs, run.id, command), lines: text === '' ? [] : text.split(/\r?\n/).slice(-LAST_LINES) };
}
