import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { shellWord } from '../../base/shell_word.ts';
import { LAST_LINES } from '../../base/truncate.ts';
import { removedName } from '../../backend/outputs/logs/stored_logs.ts';
import { logDirectory, logName } from '../../records/journal/directory/file_names.ts';
import { readLogEnd } from '../../records/journal/directory/run_files.ts';
import type { RecordedRun } from '../../records/journal/journal.ts';
import type { CommandNumber } from './reports/recorded_report.ts';

/** The bytes of a log that are read from its end. */
const BYTES = 2 ** 22;

/** The lines before the first failure that are shown, and those from it on. */
const [BEFORE, FROM] = [2, 10];

/**
 * A line that most likely reports a failure: of TAP, of test runners (go, jest, pytest, mocha, `node --test`), an error of
 * a compiler, an exception. Passed and expected failures are none.
 */
const FAILURE =
  /^\s*(?:not ok\b|[✖✗✘×●] |(?:-+ )?FAIL(?:ED|URE)?\b|ERROR\b|panic:|Traceback \()|\bFAILED$|(?:^|[\s:])(?:[Ff]atal|[Ee]rror|[A-Z]\w*(?:Error|Exception))(?: ?\[\w+\])?(?::| TS\d)/;
const NO_FAILURE = /^\s*(?:ok\b|[✓✔]|PASS)|# (?:TODO|SKIP)/i;

/** The text in place of a log that may contain secrets. */
export const NOT_MASKED = 'not masked: the run was killed';

/** The text in place of a log that was removed. */
export const REMOVED = 'no longer stored: the logs of a project have at most 256 MiB';

/** A control sequence that selects a colour or a style: SGR (ECMA-48, 8.3.117). */
const COLOUR = new RegExp(String.raw`\x1B\[[\d;:]*m`, 'g');

/** The lines around the first one that reports a failure, whose number is `line`. */
type FirstFailure = Readonly<{ line: number; lines: readonly string[] }>;

/**
 * The last lines of the log of a command and the path of the log, or a text in place of it. `failure`: the first failure, if
 * it is not among these lines. `isWhole`: the log has no others.
 */
export type LastOutput = Readonly<
  { path: string; lines: readonly string[]; isWhole: boolean; failure: FirstFailure | undefined } | { problem: string }
>;

/** The command that prints all stored output of a step. */
export function logCommand(run: string, step: string): string {
  return `cli runs logs ${run} ${shellWord(step)}`;
}

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

/** The output of a command that was stored last; undefined without a log. */
export function lastOutput(runs: string, run: RecordedRun, command: CommandNumber): LastOutput | undefined {
  if (isLogRemoved(runs, run.id, command)) return { problem: REMOVED };
  const end = readLogEnd(runs, run.id, command, BYTES);
  if (end === undefined) return undefined;
  if (isUnmasked(run, command)) return { problem: NOT_MASKED };
  const text = end.text.replaceAll(COLOUR, '').replace(/\r?\n$/, '');
  const all = text === '' ? [] : text.split(/\r?\n/);
  const lines = all.slice(-LAST_LINES);
  const earlier = all.slice(0, all.length - lines.length);
  const isWhole = earlier.length === 0 && !end.cut;
  // The number of a line in a part of the log is not known.
  const failure = end.cut ? undefined : firstFailure(earlier);
  return { path: logPath(runs, run.id, command), lines, isWhole, failure };
}

function firstFailure(lines: readonly string[]): FirstFailure | undefined {
  const first = lines.findIndex((line) => FAILURE.test(line) && !NO_FAILURE.test(line));
  if (first === -1) return undefined;
  return { line: first + 1, lines: lines.slice(Math.max(0, first - BEFORE), first + FROM) };
}
