import { isRestarted } from '../../../records/journal/holder/holder.ts';
import { type Journal, type RecordedRun, FAILED, runState } from '../../../records/journal/journal.ts';
import { findRuns } from '../../../records/journal/run_id.ts';
import { failure, type Result } from '../../../base/result.ts';
import { truncateLine } from '../../../base/truncate.ts';

/**
 * Finds a run by its id or the last five characters of its id. Without a text, finds the newest run of this user, with
 * `hasFailed` the newest one that failed.
 */
export function findRun(journal: Journal, text: string | undefined, hasFailed = false): Result<RecordedRun> {
  const ids = journal.runs();
  if (text === undefined) return findNewest(journal, ids, hasFailed);
  const found = findRuns(ids, text);
  const [id, ...others] = found;
  if (id === undefined) return failure(`no run '${text}' is recorded here`);
  if (others.length > 0) return failure(`several runs end in '${text}': ${found.join(', ')}`);
  const run = journal.read(id);
  return run === undefined ? failure(`run ${id} is not recorded`) : { ok: true, value: run };
}

function findNewest(journal: Journal, ids: readonly string[], hasFailed: boolean): Result<RecordedRun> {
  let isOwn = false;
  for (const id of journal.mayBeOwn(ids).toReversed()) {
    const run = journal.read(id);
    if (run === undefined || run.foreign) continue;
    isOwn = true;
    if (!hasFailed || FAILED.has(runState(run))) return { ok: true, value: run };
  }
  if (isOwn) return failure('no run that is recorded here has failed; the runs: cli runs list');
  if (!ids.some((id) => journal.read(id) !== undefined)) return failure('no run is recorded here');
  return failure('no run of this user on this machine is recorded here; the records here are foreign: cli runs list');
}

/** The error for a foreign record, on which nothing is started. */
export function untrusted(run: string): string {
  const why = `the record of run ${run} was not written by this user on this machine`;
  return `${why}; read it (cli runs show ${run}), then add --trust`;
}

/**
 * Whether the record of a run allows resuming it; the value is a list of warnings. With `takeOver`, a process that is
 * not visible from here counts as dead.
 */
export function checkResumable(run: RecordedRun, takeOver: boolean): Result<readonly string[]> {
  const last = run.sessions.at(-1)?.header;
  const state = runState(run);
  switch (state) {
    case 'running':
    case 'waiting':
      return failure(stillRunning(run.id, last?.pid));
    case 'unclear':
      if (takeOver) return { ok: true, value: warningsOf(run) };
      return failure(
        `run ${run.id} may still be running on ${last?.host} (process ${last?.pid}); nothing was started`,
        'if it is not, add --take-over',
      );
    case 'succeeded':
      return failure(`run ${run.id} has succeeded; nothing was started`);
    case 'lost':
      return failure(`the record of run ${run.id} is incomplete; it cannot be resumed`);
    case 'damaged':
      return failure(describeDamage(run));
    case 'failed':
    case 'interrupted':
    case 'crashed':
    case 'stopped':
      return { ok: true, value: warningsOf(run) };
  }
}

/** The error for a run that is still running. `pid` is undefined for a process that has just started to resume it. */
export function stillRunning(run: string, pid: number | undefined): string {
  return `run ${run} is still running${pid === undefined ? '' : ` (process ${pid})`}; nothing was started`;
}

function warningsOf({ id, sessions }: RecordedRun): readonly string[] {
  const last = sessions.at(-1)?.header;
  if (last === undefined) return [];
  const moved = last.cwd !== process.cwd();
  return [
    ...(moved ? [`run ${id} began in ${last.cwd} and continues in ${process.cwd()}`] : []),
    ...(last.uid === (process.getuid?.() ?? null) ? [] : [`run ${id} belongs to another user (uid ${last.uid})`]),
    ...(isRestarted(last)
      ? ['this machine has been restarted since: the last writes of finished steps may not be on disk']
      : []),
  ];
}

/** The reason why a record cannot be read. */
export function describeDamage({ damage }: RecordedRun): string {
  if (damage === null) throw new Error('a run without damage');
  const place = `${damage.file}:${damage.line}`;
  switch (damage.kind) {
    case 'unreadable':
      return `${damage.file}: ${damage.reason}; the run cannot be resumed`;
    case 'damaged':
      return `${place}: the record is damaged; the run cannot be resumed`;
    case 'newer':
      return `${place}: the record has version ${damage.version}, which needs a newer cli`;
    case 'unknown kind':
      return `${place}: a record of the unknown kind '${truncateLine(damage.name)}', which needs a newer cli`;
  }
}
