import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';
import type { SessionHeader } from './record.ts';

/** A process, as another one can find it again. */
export type Holder = Pick<SessionHeader, 'pid' | 'started' | 'boot' | 'space' | 'host' | 'uid'>;

/** Whether a process still lives; unclear if it cannot be seen from here. */
export type Liveness = 'alive' | 'dead' | 'unclear';

/** What the system says of a process: when it started; null if it does not say; undefined if there is none. */
export type StartOf = (pid: number) => string | null | undefined;

/** This process. Where there is no /proc, nothing tells it from a later one with its pid. */
export function thisProcess(): Holder {
  const { pid } = process;
  return {
    pid,
    started: startOf(pid) ?? null,
    boot: readOrNull(() => readFileSync('/proc/sys/kernel/random/boot_id', 'latin1').trim()),
    space: readOrNull(() => readlinkSync('/proc/self/ns/pid')),
    host: hostname(),
    uid: process.getuid?.() ?? null,
  };
}

/**
 * Whether the process of a session still lives, as seen from `here`. A stopped one does, a zombie does not.
 *
 * Under one boot and pid namespace, the pid and the start time decide. A host that was started again has no process
 * from before.
 */
export function livenessOf(holder: Holder, here: Holder, startOf: StartOf): Liveness {
  const isSameHost = holder.host === here.host;
  if (holder.boot === null || here.boot === null) {
    return isSameHost && startOf(holder.pid) === undefined ? 'dead' : 'unclear';
  }
  if (holder.boot !== here.boot) return isSameHost ? 'dead' : 'unclear';
  if (holder.space === null || holder.space !== here.space || holder.started === null) return 'unclear';
  return startOf(holder.pid) === holder.started ? 'alive' : 'dead';
}

/** Reads when a process started, in the unit of the system: of field 22 of proc(5)'s `stat`. */
export function startOf(pid: number): string | null | undefined {
  const stat = readOrNull(() => readFileSync(`/proc/${pid}/stat`, 'latin1'));
  if (stat === null) return isThere(pid) ? null : undefined;
  // The second field is the command's name in brackets and may itself hold spaces and brackets.
  const fields = stat.replace(/^.*\) /s, '').split(' ');
  return fields[0] === 'Z' || fields[0] === 'X' ? undefined : fields[19];
}

function isThere(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}

function readOrNull(read: () => string): string | null {
  try {
    return read();
  } catch {
    // Not Linux, or the process has ended.
    return null;
  }
}
