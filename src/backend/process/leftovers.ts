import { TreeContext } from './marked_processes.ts';
import type { ProcessTable } from './table/process_table.ts';
import { MarkedTree } from './end_process_tree.ts';
import { systemTable } from './table/system_table.ts';
import { waitForExit } from './wait_for_exit.ts';

/**
 * Whether a process with these variables (`NAME=value`) is left of a run whose process has ended. `isThere` tells whether
 * there is a process.
 */
export type IsLeft = (variables: readonly string[], isThere: (pid: number) => boolean) => boolean;

/**
 * The processes whose variables `isLeft` accepts, and their descendants; `problem` is the reason why they cannot be
 * known. Without /proc, the variables of protected programs are not seen.
 */
export async function findByVariables(
  isLeft: IsLeft,
): Promise<Readonly<{ pids: readonly number[]; problem: string | undefined }>> {
  const table = await systemTable();
  const pids = leftovers(table, isLeft, []).pids();
  return { pids, problem: table.problem };
}

/**
 * Terminates the same processes with SIGTERM, and after `patience` milliseconds with SIGKILL. `known` are the names of
 * variables that are no markers of runs inside of the ended run.
 */
export async function endByVariables(isLeft: IsLeft, known: Iterable<string>, patience: number): Promise<void> {
  const tree = leftovers(await systemTable(), isLeft, known);
  tree.signal('SIGTERM');
  if (!(await waitForExit(tree, performance.now() + patience))) tree.kill();
}

function leftovers(table: ProcessTable, isLeft: IsLeft, known: Iterable<string>): MarkedTree {
  const isThere = (pid: number): boolean => table.find(pid) !== undefined;
  const root = { kind: 'leftovers', isLeft: (variables: readonly string[]) => isLeft(variables, isThere) } as const;
  return new MarkedTree(new TreeContext(table, process.pid, new Set(known)), root);
}
