import { readdirSync } from 'node:fs';
import { resolve } from 'node:path';
import { trySystemCall } from '../../backend/system/try_system_call.ts';
import { NO_JOURNAL, type RunJournal } from '../../backend/run_journal.ts';
import type { Outcome } from '../../backend/run_event.ts';
import { beginSession } from '../../journal/directory/begin_session.ts';
import type { Begun, Session } from '../../journal/journal.ts';
import { SessionRecorder } from '../../journal/session_recorder.ts';
import { createRunId, isRunId } from '../../journal/run_id.ts';
import { createHeader, type SessionInfo } from '../../journal/session_header.ts';
import type { Options } from '../../command_line/parse.ts';
import type { Io } from '../../output/io.ts';
import { failure, type Result } from '../../result.ts';
import type { Prepared } from '../prepare.ts';

/** The recording of a session. `run` is null if nothing is recorded. */
export type Recording = Readonly<{
  run: string | null;
  session: number;
  journal: RunJournal;
  finish: (outcome: Outcome) => void;
  /** Whether the record is complete, so that the run can be resumed. */
  isComplete: () => boolean;
}>;

/** The selected part of a run, and its first and last step as named on the command line. */
export type SelectedPart = Readonly<{ known: RunJournal['known']; whole: boolean }> &
  Readonly<{ from: string | null; until: string | null }>;

/** The whole workflow. */
export const WHOLE: SelectedPart = { known: () => undefined, whole: true, from: null, until: null };

/** The directory in which runs are recorded. */
export function runsDirectory({ env }: Io): string {
  return resolve(env['CLI_RUNS_DIR'] || '.cli/runs');
}

/** Whether the user has turned the journal off. */
function isUnrecorded({ env }: Io, { switches }: Options): boolean {
  return switches.has('no-journal') || Boolean(env['CLI_NO_JOURNAL']);
}

/**
 * Maximum number of recorded runs, and the number that remains once it is exceeded. The difference spreads the time of
 * loading the code and removing files over several runs.
 */
const [MAX_RUNS, KEPT_RUNS] = [120, 100];

/** Removes the oldest runs after a new one if there are more than `MAX_RUNS`. Keeps running ones. */
export async function removeOldRuns(io: Io, { run }: Recording): Promise<void> {
  if (run === null) return;
  const directory = runsDirectory(io);
  const names = trySystemCall(() => readdirSync(directory));
  if (typeof names === 'string' || names.filter(isRunId).length <= MAX_RUNS) return;
  (await import('../../journal/prune.ts')).pruneRuns(directory, KEPT_RUNS);
}

/** A recording that records nothing. */
function noRecording(known: RunJournal['known']): Recording {
  return { run: null, session: 0, journal: { ...NO_JOURNAL, known }, finish: () => undefined, isComplete: () => false };
}

/** The selected part of a new run, the marker variable of its processes, and the receiver of warnings. */
type NewRun = Readonly<{ part: SelectedPart; marker: string; warn: Warn }>;

type Warn = (message: string) => void;

/**
 * Begins to record a new run. If that is not possible, the run continues without a record after a warning; with
 * `--strict`, that is a failure.
 */
export function recordRun(
  io: Io,
  { plan, path }: Prepared,
  options: Options,
  { part, marker, warn }: NewRun,
): Result<Recording> {
  const { known, from, until } = part;
  if (isUnrecorded(io, options)) return { ok: true, value: noRecording(known) };
  const file = options.file === '-' ? null : resolve(path);
  const begin = (): Readonly<{ run: string; begun: Begun }> => {
    const now = Date.now();
    const run = createRunId(new Date(now), Math.random);
    const [cwd, args] = [process.cwd(), options.args.length];
    const info: SessionInfo = { run, session: 1, plan, at: now, file, cwd, args, from, until, marker };
    return { run, begun: beginSession(runsDirectory(io), createHeader(info)) };
  };
  // Two runs may begin in the same millisecond and get the same random characters.
  let { run, begun } = begin();
  for (let attempts = 1; begun.kind === 'taken' && attempts < 5; attempts += 1) ({ run, begun } = begin());
  if (begun.kind === 'begun') {
    const recorded = { run, session: 1, plan, known, whole: part.whole };
    return { ok: true, value: recording(recorded, begun.session, warn) };
  }
  const problem = begun.kind === 'failed' ? begun.problem : 'every id is taken';
  if (options.switches.has('strict')) return failure(`the journal cannot be written: ${problem}`);
  warn(`the journal cannot be written: ${problem}; this run continues, but cannot be resumed`);
  return { ok: true, value: noRecording(known) };
}

/** Description of a recording. */
type Recorded = Readonly<{
  run: string;
  session: number;
  plan: Prepared['plan'];
  known: RunJournal['known'];
  whole: boolean;
}>;

/** Records a session that has begun. */
export function recording(
  { run, session: number, plan, known, whole }: Recorded,
  session: Session,
  warn: Warn,
): Recording {
  const recorder = new SessionRecorder({ plan, session, known, warn, now: Date.now });
  return {
    run,
    session: number,
    journal: recorder,
    finish: ({ success, interrupted }) => recorder.finish(success, whole, interrupted),
    isComplete: () => recorder.isComplete,
  };
}
