import { existsSync } from 'node:fs';

/*
 * The identity of this machine and its processes without /proc, from programs. They are never started before the first
 * step of a run, except for the judgement of another process.
 */

/** Sysctl variables that identify a boot: of macOS, and the time of the boot elsewhere. */
const BOOT = ['kern.bootsessionuuid', 'kern.boottime'] as const;

const ENV = { TZ: 'UTC', LC_ALL: 'C' };

/** Asks for the boot of this machine, if /proc does not tell it. */
export function bootQuestion(): typeof askBoot | undefined {
  return existsSync('/proc/sys/kernel/random/boot_id') ? undefined : askBoot;
}

/** Identifies the boot of this machine, without waiting. `onAnswer` may never be called. */
function askBoot(onAnswer: (boot: string) => void, [name, ...others]: readonly string[] = BOOT): void {
  if (name === undefined) return;
  const { execFile } = process.getBuiltinModule('node:child_process');
  const env = { ...process.env, ...ENV };
  execFile('sysctl', ['-n', name], { env }, (_, stdout) => {
    const boot = bootIn(stdout);
    if (boot === undefined) askBoot(onAnswer, others);
    else onAnswer(boot);
  });
}

/** Identifies the boot of this machine. */
export function readBoot(): string | null {
  for (const name of BOOT) {
    const boot = bootIn(run('sysctl', ['-n', name]));
    if (boot !== undefined) return boot;
  }
  return null;
}

/** The start time of a process in ISO 8601, in whole seconds; undefined if there is no such process, null if unknown. */
export function readStart(pid: number): string | null | undefined {
  // A list without this process is no answer; one with this process alone says that the other one does not exist.
  const lines = run('ps', ['-p', `${process.pid},${pid}`, '-o', 'pid=', '-o', 'stat=', '-o', 'lstart=']).split('\n');
  const rows = lines.map((line) => line.trim().split(/\s+/));
  const [, state = '', ...words] = rows.find(([id]) => id === String(pid)) ?? [];
  if (!rows.some(([id]) => id === String(process.pid))) return null;
  if (words.length === 0 || state.startsWith('Z')) return undefined;
  const time = Date.parse(`${words.join(' ')} UTC`);
  return Number.isNaN(time) ? null : new Date(time).toISOString();
}

/** The time of the boot in `{ sec = 1790000000, usec = 5 } …`, or an identifier. */
function bootIn(text: string): string | undefined {
  return /\bsec = (\d+)/.exec(text)?.[1] ?? /^[\w-]+(?=\s*$)/.exec(text)?.[0];
}

function run(file: string, args: readonly string[]): string {
  const { spawnSync } = process.getBuiltinModule('node:child_process');
  const { stdout } = spawnSync(file, args, { encoding: 'utf8', env: { ...process.env, ...ENV } });
  return stdout ?? '';
}
