import { readFileSync } from 'node:fs';
import { trySystemCall } from '../../system/try_system_call.ts';
import { procTable, type ProcessTable } from './process_table.ts';

/** Whether /proc shows this process under its own number. It may be absent, or that of another pid namespace. */
export function hasProc(): boolean {
  const found = trySystemCall(() => ({ stat: readFileSync('/proc/self/stat', 'latin1') }));
  return typeof found === 'object' && found.stat.startsWith(`${process.pid} `);
}

/** The process table that this system provides, on every platform: /proc, otherwise `ps`. */
export async function systemTable(): Promise<ProcessTable> {
  return hasProc() ? procTable : (await import('./ps_table.ts')).psTable();
}
