// Measures whole processes against each other. They run in turn (A B C A B C …), so that drifts in the machine's speed
// affect all of them, and the result is the median of the ratios per round. The time is CPU time, user and system:
// unlike wall time, it hardly depends on other programs.
import { spawnSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { resolve } from 'node:path';

const env = {
  ...process.env,
  CLI_NO_JOURNAL: '1',
  CLI_LOGS: '0',
  MISE_TRUSTED_CONFIG_PATHS: '/',
  TURBO_TELEMETRY_DISABLED: '1',
  DO_NOT_TRACK: '1',
};
// The first alone adds 40 ms to each start of Node 20. CI changes the output of some tools.
for (const name of ['NODE_EXTRA_CA_CERTS', 'NODE_OPTIONS', 'CI', 'FORCE_COLOR']) delete env[name];

const RUN = resolve('benchmark/run.py');

/** A process to measure: a command, its directory, and the paths to remove before each run. */
export const task = (name, command, { cwd, remove, ownEnv } = {}) => ({ name, command, cwd, remove, ownEnv });

/** The CPU time in ms and the memory in MiB of a task. Throws if the task fails, since its figures would be invalid. */
function measure({ name, command, cwd, remove, ownEnv }) {
  if (remove !== undefined) rmSync(remove, { recursive: true, force: true });
  const options = { cwd, env: { ...env, ...ownEnv }, encoding: 'utf8' };
  const { stdout, stderr } = spawnSync('python3', ['-ISE', RUN, ...command], options);
  const [ms, kib, code] = stdout.split(' ').map(Number);
  if (code !== 0) throw new Error(`${name} ended with ${code ?? stderr}: ${command.join(' ')}`);
  return { ms, mib: kib / 1024 };
}

export const median = (numbers) => numbers.toSorted((one, other) => one - other)[numbers.length >> 1];

/**
 * Measures tasks against the first one.
 *
 * Returns for each task its times in ms and their median, the median, minimum and maximum of its ratios, and its memory in
 * MiB.
 */
export function compare(tasks, rounds) {
  const measured = tasks.map(() => []);
  for (let round = 0; round <= rounds; round += 1) {
    // The first round warms the disk caches and does not count.
    for (const [index, each] of tasks.entries()) {
      const result = measure(each);
      if (round > 0) measured[index].push(result);
    }
  }
  return tasks.map(({ name }, index) => {
    const times = measured[index].map(({ ms }) => ms);
    const ratios = times.map((ms, round) => ms / measured[0][round].ms);
    return {
      name,
      times,
      ms: median(times),
      ratio: median(ratios),
      least: Math.min(...ratios),
      most: Math.max(...ratios),
      mib: median(measured[index].map(({ mib }) => mib)),
    };
  });
}
