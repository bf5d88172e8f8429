// The cases of `npm run bench:workers`. Times are in milliseconds. Steps write theirs with `date`, into files with
// absolute paths: the workers run in another directory.
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { resolve } from 'node:path';
import { PLAN_FORMAT } from '../../build/src/ir/plan.js';
import { cli, linesOf, succeed, until, workflow } from './team.mjs';

const NOW = 'date +%s%3N';
const STATUS = 'workflow_plan.workflow_status';
const STEPS_OF_SHORT_RUN = 10;

const delay = (ms) => new Promise((done) => void setTimeout(done, ms));
const median = (numbers) => numbers.toSorted((one, other) => one - other)[numbers.length >> 1];
const summary = (numbers) => ({ median: median(numbers), worst: Math.max(...numbers), count: numbers.length });
const trues = (count) => Array.from({ length: count }, () => 'true');

/** The time of a step that runs `true`: locally, on a worker, and the differences. */
export async function operation({ url, root }, rounds, count) {
  const times = `${root}/operation/times`;
  const cwd = workflow(root, 'operation', [`${NOW} >> ${times}`, ...trues(count), `${NOW} >> ${times}`]);
  const perStep = async (flags) => {
    rmSync(times, { force: true });
    await succeed(['workflow', 'run', 'main', '-q', ...flags], cwd);
    const [first, last] = linesOf(times).map(Number);
    return (last - first) / (count + 1);
  };
  const [local, remote] = [[], []];
  for (let round = 0; round < rounds; round += 1) {
    local.push(await perStep([]));
    remote.push(await perStep(['--on', url]));
  }
  const differences = remote.map((ms, round) => ms - local[round]);
  return { local: median(local), remote: median(remote), ...summary(differences) };
}

/** A function that submits runs of a workflow, as `cli run --detach` does, without the start of a process for each. */
async function submitter({ db, url }, cwd, template) {
  const { engine } = createRequire(import.meta.url)(resolve('packages/postgres/dist/index.cjs'));
  await succeed(['workflow', 'run', 'main', '--on', url, '--id', template, '--detach'], cwd);
  const inputs = await db.value('SELECT inputs FROM workflow_plan.workflow_input WHERE workflow_uuid = $1', [template]);
  const [run] = JSON.parse(inputs).json;
  const printer = { say: () => undefined, log: () => undefined, document: () => undefined };
  return (id) => {
    const settings = { url, format: PLAN_FORMAT, id, run, tag: null, lock: null, priority: 5, detach: true };
    return engine.submit(settings, printer);
  };
}

/** Waits for the ends of runs whose ids begin with a prefix. */
async function untilEnded(db, prefix, count) {
  const sql = `SELECT count(*) FROM ${STATUS} WHERE workflow_uuid LIKE $1 AND status = 'SUCCESS'`;
  await until(async () => Number(await db.value(sql, [`${prefix}%`])) === count || undefined, 120_000);
}

/** From the submission of a run to its dequeueing by an idle worker, and to its first step. */
export async function latencies(bench, count) {
  const { db, root } = bench;
  const times = `${root}/latencies/times`;
  const cwd = workflow(root, 'latencies', [`echo "$CLI_REMOTE_RUN $(${NOW})" >> ${times}`]);
  const submit = await submitter(bench, cwd, 'latency-0');
  for (let index = 1; index <= count; index += 1) {
    await submit(`latency-${index}`);
    await untilEnded(db, 'latency-', index + 1);
    // The polls of the worker fall on other moments of each run.
    await delay((index * 137) % 500);
  }
  const rows = await db.rows(
    `SELECT workflow_uuid AS id, created_at AS submitted, started_at_epoch_ms AS dequeued FROM ${STATUS}
     WHERE workflow_uuid LIKE 'latency-%' AND workflow_uuid <> 'latency-0'`,
  );
  const began = new Map(linesOf(times).map((line) => line.split(' ')));
  return {
    dequeue: summary(rows.map(({ submitted, dequeued }) => dequeued - submitted)),
    firstStep: summary(rows.map(({ id, submitted }) => began.get(id) - submitted)),
  };
}

/** From a line that a step prints to its appearance at the client. */
export async function output({ url, root }, count) {
  const step = `for i in $(seq ${count}); do ${NOW}; sleep 0.23; done`;
  const { child, ended } = cli(
    ['workflow', 'run', 'main', '--on', url, '-q', '--no-ci'],
    workflow(root, 'output', [step]),
  );
  const late = [];
  child.stderr.on('data', (chunk) => {
    for (const [time] of String(chunk).matchAll(/^\d{13}$/gm)) late.push(Date.now() - Number(time));
  });
  await ended;
  if (late.length !== count) throw new Error(`${late.length} lines of ${count}`);
  return summary(late);
}

/** From a signal to the client to its arrival in the step. */
export async function cancel({ url, root }, count) {
  const got = `${root}/cancel/got`;
  const step = `trap '${NOW} > ${got}; exit' INT; echo ready; while :; do sleep 0.01; done`;
  const cwd = workflow(root, 'cancel', [step]);
  const times = [];
  for (let round = 0; round < count; round += 1) {
    rmSync(got, { force: true });
    const { child, ended, said } = cli(['workflow', 'run', 'main', '--on', url, '-q'], cwd);
    await until(() => said().includes('ready') || undefined);
    await delay((round * 71) % 300);
    const sent = Date.now();
    child.kill('SIGINT');
    await ended;
    times.push(Number(readFileSync(got, 'utf8')) - sent);
  }
  return summary(times);
}

/** The memory of a worker and of the process of its run, after ten steps, in MiB: resident, and its own share of it. */
export async function memory({ team, url, root }) {
  const go = `${root}/memory/go`;
  const steps = [...trues(10), `echo ready; until [ -e ${go} ]; do sleep 0.05; done`];
  const { said, ended } = cli(['workflow', 'run', 'main', '--on', url, '-q'], workflow(root, 'memory', steps));
  await until(() => said().includes('ready') || undefined);
  const [worker] = team.pids();
  const [runner] = readFileSync(`/proc/${worker}/task/${worker}/children`, 'utf8').trim().split(' ');
  const measured = { worker: memoryOf(worker), runner: memoryOf(runner) };
  writeFileSync(go, '');
  await ended;
  return { memory: measured };
}

function memoryOf(pid) {
  const text = readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8');
  const field = (name) => Number(new RegExp(`^${name}: +(\\d+) kB`, 'm').exec(text)[1]) / 1024;
  return { rss: field('Rss'), pss: field('Pss') };
}

/** From the `kill -9` of a worker to the repeated start of the step on another one. */
export async function takeover({ team, db, url, root }, count) {
  const [times, go] = ['times', 'go'].map((name) => `${root}/takeover/${name}`);
  const cwd = workflow(root, 'takeover', [`${NOW} >> ${times}; until [ -e ${go} ]; do sleep 0.05; done`]);
  const found = [];
  for (let round = 0; round < count; round += 1) {
    for (const path of [times, go]) rmSync(path, { force: true });
    const id = `takeover-${round}`;
    const { ended } = cli(['workflow', 'run', 'main', '--on', url, '--id', id, '-q'], cwd);
    await until(() => linesOf(times)[0]);
    await team.start(1);
    // Workers look for lost ones once they have been connected for 3 seconds.
    await delay(3500);
    const executor = await db.value(`SELECT executor_id FROM ${STATUS} WHERE workflow_uuid = $1`, [id]);
    const lost = team.lose(executor.split(':')[0]);
    const killed = Date.now();
    lost.child.kill('SIGKILL');
    found.push(Number(await until(() => linesOf(times)[1])) - killed);
    writeFileSync(go, '');
    await ended;
  }
  return summary(found);
}

/** Short runs of `true` steps, which all wait when the first one begins. */
export async function throughput(bench, workers, count) {
  const { db, root } = bench;
  const prefix = `short-${workers}-`;
  const submit = await submitter(bench, workflow(root, `short${workers}`, trues(STEPS_OF_SHORT_RUN)), `${prefix}0`);
  for (let index = 1; index < count; index += 1) await submit(`${prefix}${index}`);
  await untilEnded(db, prefix, count);
  const [{ ms }] = await db.rows(
    `SELECT max(completed_at) - min(started_at_epoch_ms) AS ms FROM ${STATUS} WHERE workflow_uuid LIKE $1`,
    [`${prefix}%`],
  );
  const runs = count / (ms / 1000);
  return { count, runs, steps: runs * STEPS_OF_SHORT_RUN };
}
