import type { ProcessEntry, ProcessTable } from './process_table.ts';
import { runProgram } from '../system/run_program.ts';

/** The process table of systems without /proc, from `ps`, which shows parents but no environments. */
export const psTable: ProcessTable = {
  all: () => list('-A').toSorted((one, other) => other.pid - one.pid),
  find: (pid) => list('-p', String(pid))[0],
  // Constant, so that one scan is enough: without environments, more scans would find nothing new.
  generation: () => 'unknown',
  variables: () => [],
  ignores: () => false,
  isInForeground: () => {
    const ps = runProgram('ps', ['-o', 'pgid=', '-o', 'tpgid=', '-p', String(process.pid)]);
    const [group, foreground] = ps.ok ? ps.value.stdout.trim().split(/\s+/) : [];
    return group !== undefined && group === foreground;
  },
};

function list(...selection: readonly string[]): ProcessEntry[] {
  const ps = runProgram('ps', [...selection, '-o', 'pid=,ppid=,pgid=,stat=,lstart=']);
  if (!ps.ok) return [];
  return ps.value.stdout.split('\n').flatMap((line) => {
    const [id, parent, group, state, ...started] = line.trim().split(/\s+/);
    if (state === undefined || state.startsWith('Z') || Number(id) === ps.value.pid) return [];
    const ids = { pid: Number(id), parent: Number(parent), group: Number(group) };
    return [{ ...ids, started: started.join(' '), state: state.charAt(0) }];
  });
}
