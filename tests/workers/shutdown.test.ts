import assert from 'node:assert/strict';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { temporaryDirectory, workflowDirectory } from '../support/cli.ts';
import { isAlive } from '../support/processes/processes.ts';
import { sharedPostgres } from '../support/remote/postgres.ts';
import { needsPostgres, remoteCli, startClient, startWorker, type Running } from '../support/remote/workers.ts';
import type { Client } from '../support/remote/client.ts';
import { until } from '../support/until.ts';

const server = sharedPostgres();
const LIMITED = needsPostgres();
const STEPS = ['echo $$ >> pids; until [ -e go ]; do sleep 0.1; done', 'echo "on $WHO"'];

/** A program that delays the end of a run's process by three seconds. */
const SLOW_END = `
  const wait = () => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 3000);
  if (process.argv.includes('process')) process.prependListener('disconnect', wait);`;

/** A worker whose run is in its first step. */
async function busyWorker(
  t: TestContext,
  tag: string,
  env: Readonly<Record<string, string>> = {},
): Promise<Readonly<{ cwd: string; worker: Running; client: Client; pids: () => readonly number[] }>> {
  const cwd = workflowDirectory(t, { workflows: { main: { steps: STEPS } } });
  const worker = await startWorker(t, server(), cwd, { flags: ['--tag', tag], env: { WHO: 'first', ...env } });
  const client = startClient(['run', 'main', '--on', server().url, '--tag', tag, '--id', tag, '-q'], cwd);
  const pids = (): readonly number[] =>
    existsSync(join(cwd, 'pids')) ? readFileSync(join(cwd, 'pids'), 'utf8').split('\n').slice(0, -1).map(Number) : [];
  await until(
    () => pids().length === 1,
    () => 'the step runs',
  );
  return { cwd, worker, client, pids };
}

test('after SIGTERM, a worker finishes its run and takes no other', LIMITED, async (t) => {
  const { cwd, worker, client } = await busyWorker(t, 'once');
  worker.child.kill('SIGTERM');
  const line = ['run', 'main', '--on', server().url, '--tag', 'once', '--id', 'later'];
  await remoteCli([...line, '--detach'], cwd);
  writeFileSync(join(cwd, 'go'), '');
  const { code, stderr } = await client.ended;
  assert.deepEqual([code, stderr.split('\n').slice(1)], [0, ['on first', '']]);
  assert.equal((await worker.ended).code, 0);
  const shown = await remoteCli(['runs', 'show', 'later', '--on', server().url], cwd);
  assert.match(shown.stdout, /"state":"queued"/);
});

test('after a second SIGTERM, a worker ends its steps, and another one goes on', LIMITED, async (t) => {
  const slow = temporaryDirectory(t, { 'slow.cjs': SLOW_END });
  const { cwd, worker, client, pids } = await busyWorker(t, 'twice', { NODE_OPTIONS: `--require ${slow}/slow.cjs` });
  await startWorker(t, server(), cwd, { flags: ['--tag', 'twice', '--name', 'second'], env: { WHO: 'second' } });
  worker.child.kill('SIGTERM');
  worker.child.kill('SIGINT');
  assert.equal((await worker.ended).code, 0);
  assert.ok(pids()[0] !== undefined && !isAlive(pids()[0] ?? 0));
  await client.says('cli: the worker of this run was lost; going on after 0 recorded results on second\n');
  writeFileSync(join(cwd, 'go'), '');
  const { code, stderr } = await client.ended;
  assert.deepEqual([code, stderr.split('\n').slice(2)], [0, ['on second', '']]);
  assert.equal(pids().length, 2);
});
