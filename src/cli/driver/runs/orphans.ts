import { GRACE_PERIOD } from '../../../backend/process/wait_for_exit.ts';
import { endByVariables, findByVariables } from '../../../backend/process/leftovers.ts';
import { delay } from '../../../backend/system/sleep.ts';
import { trySystemCall } from '../../../backend/system/try_system_call.ts';
import type { RecordedRun } from '../../../records/journal/journal.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * The processes left by commands of a run whose end was not recorded, and their descendants. Processes left by finished
 * steps are intended, such as servers, and not included. They are found by an environment variable. `problem` is the reason
 * why they cannot be known. `isOfBackground`: only those of steps in the background.
 */
export async function findOrphans(run: RecordedRun, isOfBackground = false): ReturnType<typeof findByVariables> {
  const marks = marksInFlight(run, isOfBackground);
  if (marks.size === 0) return { pids: [], problem: undefined };
  return findByVariables((variables) => variables.some((variable) => marks.has(variable)));
}

/** The variables (`NAME=value`) that mark the commands of a run whose end was not recorded. */
function marksInFlight({ sessions }: RecordedRun, isOfBackground = false): ReadonlySet<string> {
  const marks = new Set<string>();
  for (const { header, records } of sessions) {
    for (const record of records) {
      if (record.kind === 'start' && (!isOfBackground || record.background === true))
        marks.add(`${header.marker}=${record.n}`);
      else if (record.kind === 'end') marks.delete(`${header.marker}=${record.n}`);
    }
  }
  return marks;
}

/**
 * Waits until a run has no orphans. They are continued first: a run that was killed while it ended its processes leaves
 * them stopped.
 */
export async function waitForOrphans(run: RecordedRun): Promise<void> {
  const first = await findOrphans(run);
  for (const pid of first.pids) trySystemCall(() => process.kill(pid, 'SIGCONT'));
  for (let left = first; left.pids.length > 0; left = await findOrphans(run)) await delay(100);
}

/**
 * Terminates the orphans of a run with SIGTERM, and after the grace period with SIGKILL. `own` is the environment of this
 * process. `isOfBackground`: only those of steps in the background.
 */
export function endOrphans(run: RecordedRun, own: Environment, isOfBackground = false): Promise<void> {
  const marks = marksInFlight(run, isOfBackground);
  const known = [...Object.keys(own), ...run.sessions.map(({ header }) => header.marker)];
  return endByVariables((variables) => variables.some((variable) => marks.has(variable)), known, GRACE_PERIOD);
}
