import { procTable } from '../../backend/process/process_table.ts';
import { delay } from '../../backend/system/sleep.ts';
import type { RecordedRun } from '../../journal/journal.ts';

/** How long processes may take to end after SIGTERM, in milliseconds. */
const PATIENCE = 5000;

/**
 * The processes that commands of a run have left behind whose end nobody saw, and their descendants. Those of finished
 * steps are servers that are meant to stay. Only Linux shows the variables by which they are found.
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
  // A set that grows is walked to its end.
  for (const pid of found) for (const { pid: child, parent } of processes) if (parent === pid) found.add(child);
  return [...found];
}

/** Waits until a run has left no processes. */
export async function waitForOrphans(run: RecordedRun): Promise<void> {
  while (findOrphans(run).length > 0) await delay(100);
}

/** Ends the processes that a run has left: with SIGTERM, and with SIGKILL those that are still there after 5 seconds. */
export async function endOrphans(run: RecordedRun): Promise<void> {
  for (const pid of findOrphans(run)) {
    send(pid, 'SIGTERM');
    // A stopped process cannot react.
    send(pid, 'SIGCONT');
  }
  for (let waited = 0; waited < PATIENCE && findOrphans(run).length > 0; waited += 50) await delay(50);
  for (let left = findOrphans(run); left.length > 0; left = findOrphans(run)) {
    for (const pid of left) send(pid, 'SIGKILL');
    await delay(10);
  }
}

function send(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // It has ended since, or belongs to another user.
  }
}
