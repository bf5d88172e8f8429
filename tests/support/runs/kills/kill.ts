import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, readdirSync, readlinkSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Random } from '../../random/random.ts';
import { until } from '../../until.ts';

type Blow = Readonly<{ signal: NodeJS.Signals; isForGroup: boolean }>;

/** Signals to a runner, or to its process group, which its steps belong to, with a pause between two of them. */
export type Kill = Readonly<{ name: string; blows: readonly Blow[]; pause: number }>;

const ALONE: Blow = { signal: 'SIGKILL', isForGroup: false };
const GROUP: Blow = { signal: 'SIGKILL', isForGroup: true };
const TERM: Blow = { signal: 'SIGTERM', isForGroup: false };

/** Longer than the time in which two signals count as one. */
const SECOND = 320;

function kill(name: string, pause: number, ...blows: readonly Blow[]): Kill {
  return { name, blows, pause };
}

export function randomKill(random: Random): Kill {
  const others = [
    kill('SIGTERM', 0, TERM),
    kill('SIGTERM of the group', 0, { ...TERM, isForGroup: true }),
    kill('SIGINT of the group', 0, { signal: 'SIGINT', isForGroup: true }),
    kill('SIGHUP', 0, { signal: 'SIGHUP', isForGroup: false }),
    kill('two signals', SECOND, TERM, TERM),
    kill('SIGTERM, SIGKILL', random.below(40), TERM, ALONE),
    kill('SIGTERM, SIGKILL of the group', random.below(40), TERM, GROUP),
  ];
  if (random.chance(0.3)) return kill('SIGKILL', 0, ALONE);
  return random.chance(0.45) ? kill('SIGKILL of the group', 0, GROUP) : random.pick(others);
}

/** The moment of a kill: after so many lines of effects and milliseconds. */
export type Moment = Readonly<{ lines: number; milliseconds: number }>;

/** Kills start-ups by time, and steps by their effects, which depend less on the load of the machine. */
export function randomMoment(random: Random): Moment {
  if (random.chance(0.2)) return { lines: 0, milliseconds: random.below(200) };
  return { lines: 1 + random.below(14), milliseconds: random.below(30) };
}

/** Kills a process at a moment, and waits for its end. Returns whether each signal found it alive. */
export async function killAt(
  child: ChildProcess,
  { blows, pause }: Kill,
  moment: Moment,
  effects: string,
): Promise<boolean[]> {
  const ended = once(child, 'exit');
  const isAlive = (): boolean => child.exitCode === null && child.signalCode === null;
  const enough = sizeOf(effects) + moment.lines * LINE;
  if (moment.lines > 0)
    await until(
      () => !isAlive() || sizeOf(effects) >= enough,
      () => 'the run goes on',
      2,
    );
  if (isAlive()) await Promise.race([ended, delay(moment.milliseconds)]);
  const hits: boolean[] = [];
  for (const [index, { signal, isForGroup }] of blows.entries()) {
    if (index > 0 && isAlive()) await Promise.race([ended, delay(pause)]);
    const { pid } = child;
    hits.push(isAlive() && pid !== undefined && process.kill(isForGroup ? -pid : pid, signal));
  }
  await until(
    () => !isAlive(),
    () => 'the run ends',
  );
  return hits;
}

/** The usual length of a line of effects. */
const LINE = 42;

function sizeOf(file: string): number {
  return existsSync(file) ? statSync(file).size : 0;
}

/** The processes that work in a directory, with their command lines. */
export function processesIn(directory: string): ReadonlyMap<number, string> {
  const found = new Map<number, string>();
  for (const name of readdirSync('/proc').filter((each) => /^\d+$/.test(each))) {
    try {
      if (readlinkSync(join('/proc', name, 'cwd')) !== directory) continue;
      found.set(Number(name), readFileSync(join('/proc', name, 'cmdline'), 'utf8').replaceAll('\0', ' '));
    } catch {
      // The process has ended, or belongs to another user.
    }
  }
  return found;
}

/** Kills the processes that work in a directory, so that the directory can be removed. */
export async function endProcessesIn(directory: string): Promise<void> {
  await until(
    () => {
      const found = [...processesIn(directory).keys()];
      for (const pid of found) {
        try {
          process.kill(pid, 'SIGKILL');
        } catch {
          // It has ended since.
        }
      }
      return found.length === 0;
    },
    () => `no process works in ${directory}`,
  );
}
