import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';
import { trySystemCall } from '../../backend/system/try_system_call.ts';
import type { SessionHeader } from './record.ts';

/** The identity of a process, by which another process can find it. */
export type Holder = Pick<SessionHeader, 'pid' | 'started' | 'boot' | 'space' | 'host' | 'uid'>;

/** Whether a process is alive. `unclear`: this process cannot see it. */
export type HolderState = 'alive' | 'dead' | 'unclear';

/** The start time of a process: null if the system does not report it, undefined if there is no such process. */
export type StartOf = (pid: number) => string | null | undefined;

/** The identity of this process. Without /proc, a later process with the same pid cannot be distinguished. */
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
 * Whether the process of a session is alive, as seen from `here`. A stopped process is alive, a zombie is not.
 *
 * Within one boot and pid namespace, the pid and the start time decide. After a reboot of the host, all its earlier
 * processes are dead.
 */
export function livenessOf(holder: Holder, here: Holder, startOf: StartOf): HolderState {
  const isSameHost = holder.host === here.host;
  if (holder.boot === null || here.boot === null) {
    return isSameHost && startOf(holder.pid) === undefined ? 'dead' : 'unclear';
  }
  if (holder.boot !== here.boot) return isSameHost ? 'dead' : 'unclear';
  if (holder.space === null || holder.space !== here.space || holder.started === null) return 'unclear';
  return startOf(holder.pid) === holder.started ? 'alive' : 'dead';
}

/** Interrupts a process as Ctrl-C does, if it is certainly the recorded one, of this user on this machine. */
export function interruptHolder(holder: Holder): boolean {
  const here = thisProcess();
  if (holder.uid !== here.uid || livenessOf(holder, here, startOf) !== 'alive') return false;
  return trySystemCall(() => process.kill(holder.pid, 'SIGINT')) === true;
}

/** Returns the state of a process. */
export type HolderStateOf = (holder: Holder) => HolderState;

/** Returns a function for the states of processes as seen from this one. */
export function holderStates(): HolderStateOf {
  let here: Holder | undefined;
  return (holder) => livenessOf(holder, (here ??= thisProcess()), startOf);
}

/** The start time of a process, in clock ticks since boot: field 22 of `stat` in proc(5). */
export function startOf(pid: number): string | null | undefined {
  const stat = readOrNull(() => readFileSync(`/proc/${pid}/stat`, 'latin1'));
  if (stat === null) return isThere(pid) ? null : undefined;
  // Field 2 is the command name in parentheses, and may contain spaces and parentheses.
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
