/*
 * Kills workers and the processes of their runs at random moments. Each step must have run in the end, and no step may
 * begin after its result was recorded. KILLS is the number of kills; FUZZ_SEED repeats a series, as far as time allows.
 */
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import * as v from 'valibot';
import { workflowDirectory } from '../../support/cli.ts';
import { isAlive } from '../../support/processes/processes.ts';
import { random, SEED, type Random } from '../../support/random/random.ts';
import { ownPostgres } from '../../support/remote/postgres.ts';
import { needsPostgres, remoteCli, start, startWorker, type Running } from '../../support/remote/workers.ts';
import { until } from '../../support/until.ts';

const KILLS = Number(process.env['KILLS'] ?? 50);
const server = ownPostgres();

/** Writes its begin with the time, the worker and the process of the run; and its end. */
function step(name: string, more: object = {}): object {
  const begin = `echo "${name} $(date +%s%3N) $WHO $PPID" >> begins`;
  return { name, run: `${begin}; sleep 0.2; echo ${name} >> ends`, ...more };
}

const NAMES = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i', 'j'];
const [SEQUENTIAL, GROUPED] = [NAMES.slice(0, 7), NAMES.slice(7)];
const FILE = {
  before_all: 'sleep 0.01',
  finally: 'sleep 0.01',
  workflows: {
    main: {
      steps: [
        ...SEQUENTIAL.map((name, index) => step(name, index % 3 === 1 ? { if: 'sleep 0.01' } : {})),
        { name: 'group', parallel: GROUPED.map((name) => step(name)) },
        step('last'),
      ],
    },
  },
};

type Begin = Readonly<{ name: string; time: number; worker: string; runner: number }>;

const linesOf = (path: string): readonly string[] =>
  existsSync(path) ? readFileSync(path, 'utf8').split('\n').slice(0, -1) : [];

function beginsIn(cwd: string): readonly Begin[] {
  return linesOf(join(cwd, 'begins')).map((line) => {
    const [name = '', time, worker = '', runner] = line.split(' ');
    return { name, time: Number(time), worker, runner: Number(runner) };
  });
}

/** A pair of workers for the runs of one tag, in which killed ones are replaced. */
class Pair {
  readonly #t: TestContext;
  readonly #tag: string;
  readonly #cwd: string;
  readonly #workers = new Map<string, Running>();
  /** Workers whose run has lost its process: after three such deaths, a run is broken. */
  readonly #spared = new Set<string>();
  #started = 0;

  constructor(t: TestContext, tag: string, cwd: string) {
    [this.#t, this.#tag, this.#cwd] = [t, tag, cwd];
  }

  async add(): Promise<void> {
    this.#started += 1;
    const name = `${this.#tag}-${this.#started}`;
    const flags = ['--name', name, '--tag', this.#tag];
    this.#workers.set(name, await startWorker(this.#t, server(), this.#cwd, { flags, env: { WHO: name } }));
  }

  /** Kills a worker, the process of a run, or both at once. Returns what it has killed. */
  async kill(choices: Random, last: Begin | undefined): Promise<string> {
    const running = last !== undefined && this.#workers.has(last.worker) && isAlive(last.runner) ? last : undefined;
    const kind = running === undefined ? 'worker' : choices.pick(['worker', 'worker', 'process', 'both'] as const);
    if (running !== undefined && kind === 'process' && !this.#spared.has(running.worker)) {
      this.#spared.add(running.worker);
      process.kill(running.runner, 'SIGKILL');
      return `process under ${running.worker}`;
    }
    const name =
      running !== undefined && choices.chance(0.7) ? running.worker : choices.pick([...this.#workers.keys()]);
    const worker = this.#workers.get(name);
    this.#workers.delete(name);
    const added = this.add();
    if (running !== undefined && kind === 'both' && name === running.worker) {
      worker?.child.kill('SIGSTOP');
      process.kill(running.runner, 'SIGKILL');
    }
    worker?.child.kill('SIGKILL');
    await added;
    return `${kind === 'both' ? 'both' : 'worker'} ${name}`;
  }

  async end(): Promise<void> {
    for (const { child } of this.#workers.values()) child.kill('SIGTERM');
    await Promise.all([...this.#workers.values()].map(({ ended }) => ended));
  }
}

const Shown = v.object({
  ops: v.array(v.object({ kind: v.string(), name: v.string(), ended: v.string() })),
  takeovers: v.number(),
});

/** Kills during runs of one tag, until `kills` are done. Returns the number of runs and of takeovers. */
async function killRuns(t: TestContext, tag: string, kills: number, choices: Random): Promise<[number, number]> {
  let [done, runs, takeovers] = [0, 0, 0];
  while (done < kills) {
    runs += 1;
    const cwd = workflowDirectory(t, FILE);
    const pair = new Pair(t, tag, cwd);
    await Promise.all([pair.add(), pair.add()]);
    const id = `${tag}-${runs}`;
    const client = start(t, ['workflow', 'run', 'main', '--on', server().url, '--tag', tag, '--id', id, '-q'], cwd);
    await until(
      () => beginsIn(cwd).length > 0,
      () => client.stderr(),
    );
    const history: string[] = [];
    for (; done < kills; done += 1) {
      const state = await Promise.race([client.ended, delay(choices.below(4000), 'running')]);
      if (state !== 'running') break;
      history.push(await pair.kill(choices, beginsIn(cwd).at(-1)));
    }
    const { code, stderr } = await client.ended;
    const about = `${id}, after ${history.join(', ')}: ${stderr}`;
    assert.equal(code, 0, about);
    takeovers += await checkRun(cwd, id, about);
    await pair.end();
  }
  return [runs, takeovers];
}

/** Compares the records of a run with the effects of its steps. Returns the number of takeovers. */
async function checkRun(cwd: string, id: string, about: string): Promise<number> {
  const { stdout } = await remoteCli(['workflow', 'runs', 'show', id, '--on', server().url], cwd);
  const { ops, takeovers } = v.parse(Shown, JSON.parse(stdout));
  const recorded = ops.filter(({ name }) => [...NAMES, 'last'].includes(name));
  assert.deepEqual(recorded.map(({ name }) => name).toSorted(), [...NAMES, 'last'].toSorted(), about);
  const [begins, ends] = [beginsIn(cwd), new Set(linesOf(join(cwd, 'ends')))];
  for (const { name, ended } of recorded) {
    assert.ok(ends.has(name), `${name} has not ended; ${about}`);
    const late = begins.filter((begin) => begin.name === name && begin.time > Date.parse(ended));
    assert.deepEqual(late, [], `${name} began after its record of ${ended}; ${about}`);
  }
  return takeovers;
}

const LIMITED = { ...needsPostgres(), timeout: 800_000 };

test(`${KILLS} random kills lose no step and repeat no recorded one (seed ${SEED})`, LIMITED, async (t) => {
  const half = Math.ceil(KILLS / 2);
  const [one, two] = await Promise.all([
    killRuns(t, 'one', half, random(SEED)),
    killRuns(t, 'two', KILLS - half, random(SEED + 1)),
  ]);
  t.diagnostic(`${KILLS} kills, ${one[0] + two[0]} runs, ${one[1] + two[1]} takeovers`);
});
