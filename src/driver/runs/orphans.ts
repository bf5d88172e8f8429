import { GRACE_PERIOD } from '../../backend/process/grace_period.ts';
import { procTable } from '../../backend/process/process_table.ts';
import { delay } from '../../backend/system/sleep.ts';
import type { RecordedRun } from '../../journal/journal.ts';

/**
 * The processes left by commands of a run whose end was not recorded, and their descendants. Processes left by finished
 * steps are intended, such as servers, and not included. They are found by an environment variable, which only Linux
 * shows.
 */
export function findOrphans({ sessions }: RecordedRun): readonly number[] {
  if (process.platform !== 'linux') return [];
  const marks = new Set<string>();
  for (const { header, records } of sessions) {
    for (const record of records) {
      if (record.kind === 'start') marks.add(`${header.marker}=${record.n}`);
      else if (record.kind === 'end') marks.delete(`${header.marker}=${record.n}`);
    }
  }
  if (marks.size === 0) return [];
  const processes = [...procTable.all()];
  const found = new Set<number>();
  for (const { pid } of processes) if (procTable.variables(pid).some((variable) => marks.has(variable))) found.add(pid);
  // A set that grows during iteration is iterated to its end.
  for (const pid of found) for (const { pid: child, parent } of processes) if (parent === pid) found.add(child);
  return [...found];
}

/** Waits until a run has no orphans. */
export async function waitForOrphans(run: RecordedRun): Promise<void> {
  while (findOrphans(run).length > 0) await delay(100);
}

/** Terminates the orphans of a run with SIGTERM, and after the grace period with SIGKILL. */
export async function endOrphans(run: RecordedRun): Promise<void> {
  for (const pid of findOrphans(run)) {
    send(pid, 'SIGTERM');
    // A stopped process does not handle SIGTERM.
    send(pid, 'SIGCONT');
  }
  for (let waited = 0; waited < GRACE_PERIOD && findOrphans(run).length > 0; waited += 50) await delay(50);
  for (let left = findOrphans(run); left.length > 0; left = findOrphans(run)) {
    for (const pid of left) send(pid, 'SIGKILL');
    await delay(10);
  }
}

function send(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // The process has ended, or belongs to another user.
  }
}
