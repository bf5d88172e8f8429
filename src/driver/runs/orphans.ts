import { GRACE_PERIOD } from '../../backend/process/grace_period.ts';
import { endProcesses, findByVariables } from '../../backend/process/leftovers.ts';
import { delay } from '../../backend/system/sleep.ts';
import type { RecordedRun } from '../../journal/journal.ts';

/**
 * The processes left by commands of a run whose end was not recorded, and their descendants. Processes left by finished
 * steps are intended, such as servers, and not included. They are found by an environment variable, which only Linux
 * shows.
 */
export function findOrphans({ sessions }: RecordedRun): readonly number[] {
  const marks = new Set<string>();
  for (const { header, records } of sessions) {
    for (const record of records) {
      if (record.kind === 'start') marks.add(`${header.marker}=${record.n}`);
      else if (record.kind === 'end') marks.delete(`${header.marker}=${record.n}`);
    }
  }
  return marks.size === 0 ? [] : findByVariables((variables) => variables.some((variable) => marks.has(variable)));
}

/** Waits until a run has no orphans. */
export async function waitForOrphans(run: RecordedRun): Promise<void> {
  while (findOrphans(run).length > 0) await delay(100);
}

/** Terminates the orphans of a run with SIGTERM, and after the grace period with SIGKILL. */
export function endOrphans(run: RecordedRun): Promise<void> {
  return endProcesses(() => findOrphans(run), GRACE_PERIOD);
}
