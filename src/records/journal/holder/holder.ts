import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';
import { hasProc } from '../../../backend/process/table/system_table.ts';
import { trySystemCall } from '../../../backend/system/try_system_call.ts';
import type { SessionHeader } from '../record.ts';
import { readBoot, readStart } from './system_identity.ts';

/** The identity of a process, by which another process can find it. */
export type Holder = Pick<SessionHeader, 'pid' | 'started' | 'boot' | 'space' | 'host' | 'uid'>;

/** Whether a process is alive. `unclear`: this process cannot see it. */
export type HolderState = 'alive' | 'dead' | 'unclear';

/** The start time of a process: null if the system does not report it, undefined if there is no such process. */
export type StartOf = (pid: number) => string | null | undefined;

/**
 * The identity of this process. Without /proc, `started` is a time at which it runs, in ISO 8601, and no program is asked
 * for the boot.
 */
export function thisProcess(): Holder {
  const { pid } = process;
  return {
    pid,
    started: startInProc(pid) ?? new Date(Date.now() - process.uptime() * 1000).toISOString(),
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
 * processes are dead. A boot is that of one machine, whatever its host name is.
 *
 * Without /proc, the recorded process is the one with its pid that had started by then, in the same second or before.
 */
export function livenessOf(holder: Holder, here: Holder, startOf: StartOf): HolderState {
  const isSameBoot = holder.boot !== null && holder.boot === here.boot;
  if (!isSameBoot && holder.host !== here.host) return 'unclear';
  if (isOtherBoot(holder, here)) return 'dead';
  const { started } = holder;
  const isTimed = isTime(started);
  if (isSameBoot && !isTimed && (holder.space === null || holder.space !== here.space || started === null))
    return 'unclear';
  const now = startOf(holder.pid);
  if (now === undefined) return 'dead';
  if (isTimed) return !isTime(now) ? 'unclear' : now.slice(0, SECOND) <= started.slice(0, SECOND) ? 'alive' : 'dead';
  if (!isSameBoot) return 'unclear';
  return now === started ? 'alive' : 'dead';
}

/** The length of a time up to its second, in ISO 8601. */
const SECOND = '2026-11-28T16:22:57'.length;

/** Whether a start time is not one of /proc, which is a number. */
function isTime(started: string | null): started is string {
  return started?.includes('T') === true;
}

/** Whether two boots of a machine differ. The time of a boot changes with the clock, and so is no proof. */
function isOtherBoot({ boot }: Holder, here: Holder): boolean {
  if (boot === null || here.boot === null || boot === here.boot) return false;
  return !/^\d+$/.test(boot) || !/^\d+$/.test(here.boot);
}

/** Whether the machine of a process is this one, and was restarted since. */
export function isRestarted(holder: Holder): boolean {
  const here = seenFor(holder, thisProcess());
  return holder.host === here.host && isOtherBoot(holder, here);
}

/** This process, with its boot if that of another process is known. */
function seenFor(holder: Holder, here: Holder): Holder {
  return here.boot === null && holder.boot !== null ? { ...here, boot: readBoot() } : here;
}

/** The state of a process as seen from this one. */
export function stateOf(holder: Holder, here = thisProcess()): HolderState {
  return livenessOf(holder, seenFor(holder, here), startOf);
}

/** Interrupts a process as Ctrl-C does, if it is certainly the recorded one, of this user on this machine. */
export function interruptHolder(holder: Holder): boolean {
  const here = thisProcess();
  if (holder.uid !== here.uid || stateOf(holder, here) !== 'alive') return false;
  return trySystemCall(() => process.kill(holder.pid, 'SIGINT')) === true;
}

/** Returns the state of a process. */
export type HolderStateOf = (holder: Holder) => HolderState;

/** Returns a function for the states of processes as seen from this one. */
export function holderStates(): HolderStateOf {
  let here: Holder | undefined;
  return (holder) => {
    here = seenFor(holder, here ?? thisProcess());
    return livenessOf(holder, here, startOf);
  };
}

/** The start time of a process, from /proc or `ps`: null if it is unknown, undefined if there is no such process. */
export function startOf(pid: number): string | null | undefined {
  const start = startInProc(pid);
  if (start !== null) return start;
  if (!isThere(pid)) return undefined;
  return hasProc() ? null : readStart(pid);
}

/** The start time of a process, in clock ticks since boot: field 22 of `stat` in proc(5). */
function startInProc(pid: number): string | null | undefined {
  const stat = readOrNull(() => readFileSync(`/proc/${pid}/stat`, 'latin1'));
  if (stat === null) return null;
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
