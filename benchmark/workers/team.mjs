import { spawn } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';

const CLI = resolve('dist/cli.cjs');
const env = { ...process.env, CLI_ENGINE: resolve('packages/postgres'), CLI_NO_JOURNAL: '1' };
// This variable alone adds 40 ms to each start of Node 20.
for (const name of ['NODE_EXTRA_CA_CERTS', 'NODE_OPTIONS', 'CI', 'CLI_ON']) delete env[name];

/** Starts the tool. `ended` settles with its exit code. */
export function cli(args, cwd) {
  const child = spawn(process.execPath, [CLI, ...args], { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] });
  child.stdout.resume();
  let said = '';
  child.stderr.on('data', (chunk) => (said = `${said}${chunk}`.slice(-4096)));
  return { child, said: () => said, ended: new Promise((done) => void child.once('close', done)) };
}

/** The same for a process that must succeed. */
export async function succeed(args, cwd) {
  const { ended, said } = cli(args, cwd);
  const code = await ended;
  if (code !== 0) throw new Error(`cli ${args.join(' ')} ended with ${code}: ${said()}`);
}

/** A new directory with a workflow `main`. */
export function workflow(root, name, steps) {
  const cwd = `${root}/${name}`;
  mkdirSync(`${cwd}/.cli`, { recursive: true });
  writeFileSync(`${cwd}/.cli/workflow.json`, JSON.stringify({ workflows: { main: { steps } } }));
  return cwd;
}

/** Waits until a function returns something else than undefined. */
export async function until(found, limit = 30_000) {
  const deadline = performance.now() + limit;
  for (;;) {
    const value = await found();
    if (value !== undefined) return value;
    if (performance.now() > deadline) throw new Error(`still waiting for ${found}`);
    await new Promise((done) => void setTimeout(done, 10));
  }
}

/** The lines of a file, or none if it is not there. */
export function linesOf(path) {
  try {
    return readFileSync(path, 'utf8').split('\n').slice(0, -1);
  } catch {
    return [];
  }
}

/** The workers of a benchmark. */
export function createTeam(url, root) {
  let workers = [];
  const startOne = async (name) => {
    const worker = { name, ...cli(['worker', '--on', url, '--name', name], root) };
    await until(() => {
      if (worker.child.exitCode !== null) throw new Error(`a worker ended: ${worker.said()}`);
      return worker.said().includes(' is ready') || undefined;
    }, 60_000);
    return worker;
  };
  return {
    /** Starts so many more workers. */
    start: async (count) => {
      const names = Array.from({ length: count }, (_, index) => `w${workers.length + index + 1}`);
      workers.push(...(await Promise.all(names.map(startOne))));
    },
    /** Removes a worker from the team: the caller kills it. */
    lose: (name) => {
      const lost = workers.find((worker) => worker.name === name);
      workers = workers.filter((worker) => worker !== lost);
      return lost;
    },
    pids: () => workers.map(({ child }) => child.pid),
    end: async () => {
      for (const { child } of workers) child.kill('SIGTERM');
      await Promise.all(workers.map(({ ended }) => ended));
      workers = [];
    },
  };
}
