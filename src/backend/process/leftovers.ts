import { delay } from '../system/sleep.ts';
import { procTable } from './process_table.ts';

/** The processes whose variables (`NAME=value`) `isLeft` accepts, and their descendants. Only Linux shows variables. */
export function findByVariables(isLeft: (variables: readonly string[]) => boolean): readonly number[] {
  if (process.platform !== 'linux') return [];
  const processes = [...procTable.all()];
  const found = new Set<number>();
  for (const { pid } of processes) if (isLeft(procTable.variables(pid))) found.add(pid);
  // A set that grows during iteration is iterated to its end.
  for (const pid of found) for (const { pid: child, parent } of processes) if (parent === pid) found.add(child);
  return [...found];
}

/** Terminates the processes that `find` returns with SIGTERM, and after `patience` milliseconds with SIGKILL. */
export async function endProcesses(find: () => readonly number[], patience: number): Promise<void> {
  for (const pid of find()) {
    send(pid, 'SIGTERM');
    // A stopped process does not handle SIGTERM.
    send(pid, 'SIGCONT');
  }
  for (let waited = 0; waited < patience && find().length > 0; waited += 50) await delay(50);
  for (let left = find(); left.length > 0; left = find()) {
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
