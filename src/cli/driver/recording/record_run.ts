import { resolve } from 'node:path';
import { NO_JOURNAL, type RunJournal } from '../../../backend/run_journal.ts';
import type { Outcome } from '../../../backend/run_event.ts';
import { beginRun } from '../../../records/journal/directory/begin_run.ts';
import { stateDirectory, type Trust } from '../../../records/journal/directory/entries.ts';
import { type RunsDirectory, readingProblem } from '../../../records/journal/directory/runs_directory.ts';
import type { Session, Journal } from '../../../records/journal/journal.ts';
import type { SessionHeader } from '../../../records/journal/record.ts';
import { bootQuestion } from '../../../records/journal/holder/system_identity.ts';
import { SessionRecorder } from '../../../records/journal/session_recorder.ts';
import { createHeader } from '../../../records/journal/session_header.ts';
import { CALLER_DIRECTORY } from '../../../base/caller_reference.ts';
import type { Options } from '../../command_line/parse_command_line.ts';
import type { Io } from '../../output/io.ts';
import { failure, type Result } from '../../../base/result.ts';
import type { Prepared } from '../prepare_run.ts';
import { withAgent, type ExpectedRun } from './expected_run.ts';
import { directoryJournal } from '../../../records/journal/directory/directory_journal.ts';

/** The journal of the current directory. With `--trust` or `CLI_TRUST_RECORDS`, no record in it is foreign. */
export function openJournal(io: Io, options: Options): Result<Journal> {
  const directory = runsDirectory(io);
  const problem = readingProblem(directory);
  if (problem !== undefined) return failure(problem);
  return { ok: true, value: directoryJournal(directory.path, trustOf(io, options)) };
}

/** The recording of a session. `run` is null if nothing is recorded. */
export type Recording = Readonly<{
  run: string | null;
  session: number;
  journal: RunJournal;
  finish: (outcome: Outcome) => void;
  /** Whether the record is complete, so that the run can be resumed. */
  isComplete: () => boolean;
  /** Whether `resume` needs `--trust`. */
  isForeign: boolean;
  /** The runs in the directory before this one; null for a resume. */
  earlier: readonly string[] | null;
}>;

/**
 * The selected part of a run, and its first and last step as named on the command line. `decided` are the checks that are
 * decided before the first command: these do not hold.
 */
export type SelectedPart = Readonly<{ known: RunJournal['known']; whole: boolean }> &
  Readonly<{ from: string | null; until: string | null; decided?: readonly number[] }>;

/** The whole workflow. */
export const WHOLE: SelectedPart = { known: () => undefined, whole: true, from: null, until: null };

/** The directory in which runs are recorded. */
export function runsDirectory(io: Io): RunsDirectory {
  return { path: resolve(runsPlace(io)), isNamed: Boolean(io.env['CLI_RUNS_DIR']) };
}

/** The same directory as it is named: absolute, or relative to the directory of the default file. */
export function runsPlace({ env }: Io): string {
  return env['CLI_RUNS_DIR'] || '.cli/runs';
}

/** The records that count as this user's. */
export function trustOf({ env }: Io, { trust }: Pick<Options, 'trust'> = { trust: false }): Trust {
  return { entries: stateDirectory(env, 'runs'), all: trust || Boolean(env['CLI_TRUST_RECORDS']) };
}

/** The field of a session's header with the directory in which the tool was started. */
export function callerOf({ env }: Pick<Io, 'env'>): Pick<SessionHeader, 'caller'> {
  const caller = env[CALLER_DIRECTORY];
  return caller === undefined ? {} : { caller };
}

/** Whether the user has turned the journal off. */
export function isUnrecorded({ env }: Pick<Io, 'env'>, { noJournal }: Pick<Options, 'noJournal'>): boolean {
  return noJournal || Boolean(env['CLI_NO_JOURNAL']);
}

/** The error for a run that must be recorded. */
export const UNRECORDED = 'runs are not recorded here: CLI_NO_JOURNAL is set';

/** The number of this user's records that remain after a run. */
const KEPT_RUNS = 100;

/** Of this many new runs in a directory, one removes entries of the distant past. */
const SELDOM = 32;

/**
 * Removes the oldest of this user's records after a new run. Keeps running ones, the newest ones to resume, and foreign
 * records. Returns a line about each removed one that could be resumed.
 */
export async function removeOldRuns(io: Io, { run, earlier }: Recording): Promise<readonly string[]> {
  if (run === null || earlier === null) return [];
  if (earlier.length < KEPT_RUNS && (earlier.length + 1) % SELDOM !== 0) return [];
  const { removeOldest } = await import('../../../records/journal/prune.ts');
  return removeOldest(runsDirectory(io), trustOf(io), [...earlier, run], KEPT_RUNS, Date.now());
}

/** The size of the logs of a session from which on the sizes of all logs are read, in bytes. */
const MANY_LOGS = 262_144;

/** Removes the oldest logs after a session that has stored output of a number of bytes. */
export async function removeOldLogs(io: Io, { run }: Recording, size: number): Promise<void> {
  if (run === null || size < MANY_LOGS) return;
  const { limitLogs } = await import('../../../records/journal/prune.ts');
  limitLogs(runsDirectory(io).path, trustOf(io), run);
}

/** A recording that records nothing. */
export function noRecording(known: RunJournal['known']): Recording {
  const none = { run: null, session: 0, isForeign: false, earlier: null };
  return { ...none, journal: { ...NO_JOURNAL, known }, finish: () => undefined, isComplete: () => false };
}

/** The selected part of a new run, the marker variable of its processes, and the receiver of warnings. */
type NewRun = Readonly<{ part: SelectedPart; marker: string; warn: Warn; expected: ExpectedRun | undefined }>;

type Warn = (message: string) => void;

/**
 * Begins to record a new run. If that is not possible, the run continues without a record after a warning; with
 * `--strict`, or if the run is expected, that is a failure.
 */
export function recordRun(
  io: Io,
  { plan, path }: Prepared,
  options: Options,
  { part, marker, warn, expected }: NewRun,
): Result<Recording> {
  const { known, from, until } = part;
  if (isUnrecorded(io, options))
    return expected === undefined ? { ok: true, value: noRecording(known) } : failure(UNRECORDED);
  const file = options.file === '-' ? null : resolve(path);
  const headerOf = (run: string, key: string | undefined, at: number): SessionHeader => {
    const [cwd, args] = [process.cwd(), options.args.length];
    const header = { run, key, session: 1, plan, at, file, cwd, ...callerOf(io), args, from, until, marker };
    return createHeader({ ...header, ...withAgent(expected) });
  };
  const trust = trustOf(io);
  const begun = beginRun(runsDirectory(io), trust, headerOf, expected?.run);
  if (begun.ok) {
    const { run, session, isOwn, earlier } = begun.value;
    const isForeign = !isOwn && !trust.all;
    return { ok: true, value: recording({ run, session: 1, plan, ...part, isForeign, earlier }, session, warn) };
  }
  const [problem = ''] = begun.problems;
  if (expected !== undefined || options.strict) return failure(`the record of the run cannot be written: ${problem}`);
  warn(`the record of the run cannot be written: ${problem}; this run continues, but cannot be resumed`);
  return { ok: true, value: noRecording(known) };
}

/** Description of a recording. */
type Recorded = Readonly<{
  run: string;
  session: number;
  plan: Prepared['plan'];
  known: RunJournal['known'];
  whole: boolean;
  decided?: readonly number[] | undefined;
}> &
  Pick<Recording, 'isForeign' | 'earlier'>;

/** Records a session that has begun. */
export function recording(
  { run, session: number, plan, known, whole, decided, isForeign, earlier }: Recorded,
  session: Session,
  warn: Warn,
): Recording {
  const options = { plan, session, known, warn, now: Date.now, askBoot: bootQuestion() };
  const recorder = new SessionRecorder({ ...options, ...(decided && { decided }) });
  return {
    run,
    session: number,
    journal: recorder,
    finish: ({ success, interrupted }) => recorder.finish(success, whole, interrupted),
    isComplete: () => recorder.isComplete,
    isForeign,
    earlier,
  };
}
