import type { ProcessTable } from './process_table.ts';
import { runProgram } from '../system/run_program.ts';

/** Systems without /proc: ps, which shows parents, but no environments. */
export const psTable: ProcessTable = {
  list: (pid) => {
    const format = ['-o', 'pid=,ppid=,pgid=,stat=,lstart='];
    const selection = pid === undefined ? ['-A'] : ['-p', String(pid)];
    const ps = runProgram('ps', [...selection, ...format]);
    if (!ps.ok) return [];
    return ps.stdout.split('\n').flatMap((line) => {
      const [id, parent, group, state, ...started] = line.trim().split(/\s+/);
      if (state === undefined || state.startsWith('Z') || Number(id) === ps.pid) return [];
      return [{ pid: Number(id), parent: Number(parent), group: Number(group), started: started.join(' ') }];
    });
  },
  variables: () => [],
  ignoresInterrupt: () => false,
  isInForeground: () => {
    const ps = runProgram('ps', ['-o', 'pgid=', '-o', 'tpgid=', '-p', String(process.pid)]);
    const [group, foreground] = ps.ok ? ps.stdout.trim().split(/\s+/) : [];
    return group !== undefined && group === foreground;
  },
};
