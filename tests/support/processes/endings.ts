/*
 * Steps with shells of many kinds, for tests that end a step in every way and look for commands that a shell started
 * although its step had been sent SIGTERM, SIGHUP or SIGKILL. ENDINGS is the number of repetitions of each way; if it is
 * set, the processor is kept busy meanwhile.
 */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { availableParallelism } from 'node:os';
import { after, before, type TestContext } from 'node:test';
import { until } from '../until.ts';
import { bench, SETSID, type Bench } from './bench.ts';
import { PROC } from './processes.ts';

const ENDINGS = Number(process.env['ENDINGS'] ?? 2);

/** A command of a subshell that must not run once the main shell has ended: `$$` is the pid of the main shell. */
const CHECK = `{ read -r _ _ state _ <${PROC}/$$/stat && test "$state" != Z; } 2>/dev/null || echo orphan >>after`;

/** Scripts of shells without a trap. `ready` follows what must run first, and `after` must not run. */
export const SCRIPTS = {
  plain: 'READY; sleep 60; AFTER',
  list: 'READY; sleep 60 || AFTER; AFTER',
  subshell: '( READY; sleep 60; AFTER ); AFTER',
  pipeline: '{ READY; sleep 60; AFTER; } | { cat; AFTER; }; AFTER',
  nested: `sh -c 'bash -c "READY; sleep 60; AFTER"; AFTER'; AFTER`,
  session: `${SETSID} sh -c 'READY; sleep 60; AFTER'; AFTER`,
  'job control': `${SETSID} sh -c 'set -m; READY; sleep 60; AFTER'; AFTER`,
  'short commands': 'READY; while sleep 0.02; do :; done; AFTER',
  'short subshells': `READY; while ( sleep 0.02; ${CHECK} ); do :; done; AFTER`,
};

/** Scripts of shells with a trap, which must run. */
const TRAPS = {
  trap: `trap 'TRAPPED; exit 3' TERM HUP; READY; while :; do sleep 0.05; done`,
  'trap that goes on': `trap 'TRAPPED' TERM HUP; READY; sleep 60; echo went on >>log`,
};

const SHELLS = ['bash', 'sh'];

/** The names of the shells that run some scripts. */
function names(scripts: Readonly<Record<string, string>>): string[] {
  return SHELLS.flatMap((shell) => Object.keys(scripts).map((name) => `${name} in ${shell}`));
}

/** A command that runs each script in each shell, at the same time, and a last one in the shell of the step itself. */
function command(scripts: Readonly<Record<string, string>>, first = ':'): string {
  const lines = SHELLS.flatMap((shell) =>
    Object.entries(scripts).map(([name, script]) => {
      const text = script
        .replaceAll('READY', `echo ${name} in ${shell} >>ready`)
        .replaceAll('AFTER', `echo ${name} in ${shell} >>after`)
        .replaceAll('TRAPPED', `echo ${name} in ${shell} >>trapped`);
      return `${shell} -c '${text.replaceAll("'", `'\\''`)}' &`;
    }),
  );
  // A second execution of the step, in a resume, ends at once.
  return ['[ ! -e ready ] || exit 0', first, ...lines, 'sleep 60; echo step >>after'].join('\n');
}

export const ALL = { ...SCRIPTS, ...TRAPS };
export const STEP = command(ALL);
export const IGNORING = command(SCRIPTS, "trap '' TERM HUP INT");

const lines = (subject: Bench, name: string): string[] => subject.read(name).split('\n').slice(0, -1);

/** Waits until all shells of a step have begun their commands. */
export function isReady(subject: Bench, scripts: Readonly<Record<string, string>> = ALL): Promise<void> {
  const expected = names(scripts).toSorted();
  const ready = (): string[] => lines(subject, 'ready').toSorted();
  return until(
    () => ready().join() === expected.join(),
    () => `${expected.join(', ')} are ready, not ${ready().join(', ')}`,
    Math.random() * 40,
  );
}

/** Sends SIGTERM twice, as two signals: those less than 300 ms apart count as one. */
export async function terminateTwice(pid: number): Promise<void> {
  process.kill(pid, 'SIGTERM');
  const sent = performance.now();
  await until(
    () => performance.now() - sent > 400,
    () => 'time passes',
  );
  process.kill(pid, 'SIGTERM');
}

/** A way to end a step: its workflow, and a function that ends the step and returns when the run has ended. */
export type Way = Readonly<{ steps: readonly unknown[]; end: (subject: Bench) => Promise<void>; traps: boolean }>;

/** Ends a step once. Returns the commands that should not have run, and the traps that should have. */
async function findExceptions(t: TestContext, { steps, traps, end }: Way): Promise<string[]> {
  const subject = bench(t, { workflows: { x: { steps } } });
  await end(subject);
  const began = new Set(lines(subject, 'ready'));
  const trapped = lines(subject, 'trapped');
  const missed = traps ? names(TRAPS).filter((name) => began.has(name) && !trapped.includes(name)) : [];
  return [...lines(subject, 'after'), ...missed.map((name) => `no ${name}`)];
}

/** Ends a step repeatedly, and fails if a shell without a trap has started another command. */
export async function testEnding(t: TestContext, way: Way): Promise<void> {
  const exceptions: Record<string, number> = {};
  let failed = 0;
  for (let left = ENDINGS; left > 0; left -= 1) {
    const found = new Set(await findExceptions(t, way));
    for (const each of found) exceptions[each] = (exceptions[each] ?? 0) + 1;
    failed += Number(found.size > 0);
  }
  t.diagnostic(`exceptions in ${failed} of ${ENDINGS} endings`);
  assert.deepEqual(exceptions, {});
}

/** Keeps the processor busy during the tests of a suite, if ENDINGS is set. */
export function keepBusy(): void {
  const burners: ReturnType<typeof spawn>[] = [];
  before(() => {
    if (process.env['ENDINGS'] === undefined) return;
    for (let left = 2 * availableParallelism(); left > 0; left -= 1) {
      burners.push(spawn('nice', ['-n', '5', 'sh', '-c', 'while :; do :; done'], { stdio: 'ignore' }));
    }
  });
  after(async () => {
    for (const burner of burners) {
      const ended = once(burner, 'exit');
      burner.kill('SIGKILL');
      await ended;
    }
  });
}
