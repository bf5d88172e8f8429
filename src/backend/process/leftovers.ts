import { procTable } from './process_table.ts';
import { TreeContext } from './marked_processes.ts';
import { MarkedTree } from './process_tree.ts';
import { waitForExit } from './wait_for_exit.ts';

/** Whether a process with these variables (`NAME=value`) is left of a run whose process has ended. */
type IsLeft = (variables: readonly string[]) => boolean;

/** The processes whose variables `isLeft` accepts, and their descendants. Only Linux shows variables. */
export function findByVariables(isLeft: IsLeft): readonly number[] {
  return process.platform === 'linux' ? leftovers(isLeft, []).pids() : [];
}

/**
 * Terminates the same processes with SIGTERM, and after `patience` milliseconds with SIGKILL. `known` are the names of
 * variables that are no markers of runs inside of the ended run.
 */
export async function endByVariables(isLeft: IsLeft, known: Iterable<string>, patience: number): Promise<void> {
  if (process.platform !== 'linux') return;
  const tree = leftovers(isLeft, known);
  tree.signal('SIGTERM');
  if (!(await waitForExit(tree, performance.now() + patience))) tree.kill();
}

function leftovers(isLeft: IsLeft, known: Iterable<string>): MarkedTree {
  return new MarkedTree(new TreeContext(procTable, process.pid, new Set(known)), { kind: 'leftovers', isLeft });
}
