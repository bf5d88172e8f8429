// Times whole processes against each other: in turn (A B C A B C …), so that a machine whose speed
// drifts does so for all of them, with the median of the ratios round by round.
import { spawnSync } from 'node:child_process';
import { rmSync } from 'node:fs';

const env = { ...process.env, MISE_TRUSTED_CONFIG_PATHS: '/', TURBO_TELEMETRY_DISABLED: '1', DO_NOT_TRACK: '1' };
// The first alone adds 40 ms to each start of Node 20; CI changes what some tools print.
for (const name of ['NODE_EXTRA_CA_CERTS', 'NODE_OPTIONS', 'CI', 'FORCE_COLOR']) delete env[name];

/** A process to be timed: a command, where it runs, and what has to be removed before each run. */
export const task = (name, command, { cwd, remove, ownEnv } = {}) => ({ name, command, cwd, remove, ownEnv });

/** Milliseconds that a task took. Fails if it failed: a tool that did not do its work is not fast. */
function time({ name, command: [file, ...args], cwd, remove, ownEnv }) {
  if (remove !== undefined) rmSync(remove, { recursive: true, force: true });
  const options = { cwd, env: { ...env, ...ownEnv }, stdio: ['ignore', 'ignore', 'ignore'] };
  const start = performance.now();
  const { status, error } = spawnSync(file, args, options);
  const took = performance.now() - start;
  if (status !== 0) throw new Error(`${name} ended with ${error?.message ?? status}: ${[file, ...args].join(' ')}`);
  return took;
}

/** Peak memory of a task in MiB, as the system accounts for a process that has ended. */
function peak({ command, cwd, ownEnv }) {
  const script =
    'import resource,subprocess,sys;n=subprocess.DEVNULL;' +
    'subprocess.run(sys.argv[1:],stdin=n,stdout=n,stderr=n);' +
    'print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)';
  const options = { cwd, env: { ...env, ...ownEnv }, encoding: 'utf8' };
  const { stdout, status } = spawnSync('python3', ['-c', script, ...command], options);
  return status === 0 ? Number(stdout) / 1024 : undefined;
}

const median = (numbers) => numbers.toSorted((one, other) => one - other)[numbers.length >> 1];

/**
 * Measures tasks against the first of them.
 *
 * Gives for each the median in ms, the median, least and largest of its ratios, and its memory in MiB.
 */
export function compare(tasks, rounds) {
  const times = tasks.map(() => []);
  for (let round = 0; round <= rounds; round += 1) {
    // The first round warms the caches of the disk, and does not count.
    for (const [index, each] of tasks.entries()) {
      const taken = time(each);
      if (round > 0) times[index].push(taken);
    }
  }
  return tasks.map((each, index) => {
    const ratios = times[index].map((taken, round) => taken / times[0][round]);
    return {
      name: each.name,
      ms: median(times[index]),
      ratio: median(ratios),
      least: Math.min(...ratios),
      most: Math.max(...ratios),
      mib: peak(each),
    };
  });
}
