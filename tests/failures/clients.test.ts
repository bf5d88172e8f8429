import assert from 'node:assert/strict';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { workflowDirectory } from '../support/cli.ts';
import { query } from '../support/remote/database.ts';
import { sharedPostgres } from '../support/remote/postgres.ts';
import { needsPostgres, remoteCli, start, startWorker } from '../support/remote/workers.ts';
import { until } from '../support/until.ts';

const server = sharedPostgres();
const LIMITED = needsPostgres();

/** A signal within this many milliseconds of another counts as the same. */
const SIGNAL_GAP = 350;

/** Waits until a signal is stored. */
async function untilStored(id: string): Promise<void> {
  const sql = 'SELECT FROM workflow_plan.workflow_status WHERE workflow_uuid = $1';
  await until(
    async () => (await query(server().url, sql, [id])).length > 0,
    () => `${id} is stored`,
    50,
  );
}

test('the third signal ends the client alone, and the worker still interrupts the run', LIMITED, async (t) => {
  const step = 'trap "" INT TERM; echo ready; while :; do sleep 0.05; done';
  const cwd = workflowDirectory(t, { error: 'echo never >> ran', workflows: { main: { steps: [step] } } });
  const worker = await startWorker(t, server(), cwd);
  const client = start(t, ['workflow', 'run', 'main', '--on', server().url, '--id', 'third', '-q'], cwd);
  await client.says('ready');
  // A worker that is suspended delivers no signal.
  worker.child.kill('SIGSTOP');
  client.child.kill('SIGINT');
  await untilStored('third!SIGINT');
  await delay(SIGNAL_GAP);
  client.child.kill('SIGINT');
  await untilStored('third!SIGINT!again');
  await delay(SIGNAL_GAP);
  client.child.kill('SIGTERM');
  assert.deepEqual(await client.ended, {
    code: null,
    signal: 'SIGTERM',
    stdout: '',
    stderr: 'cli: run third is queued\nready\ncli: asking run third to stop; again to stop it at once\n',
  });
  worker.child.kill('SIGCONT');
  const waited = await remoteCli(['workflow', 'runs', 'wait', 'third', '--on', server().url], cwd);
  assert.equal(waited.signal, 'SIGINT', waited.stderr);
  assert.deepEqual(JSON.parse(waited.stdout), {
    workflow: 'main',
    steps: [{ name: 'step_1', command: step, exit_code: 137 }],
    success: false,
    interrupted: 'SIGINT',
  });
  assert.ok(!existsSync(join(cwd, 'ran')));
});

test('a run whose client is killed goes on, and another client can wait for it', LIMITED, async (t) => {
  const steps = ['echo a >> ran; touch held; until [ -e go ]; do sleep 0.1; done', 'echo b >> ran; echo end'];
  const cwd = workflowDirectory(t, { workflows: { main: { steps } } });
  await startWorker(t, server(), cwd);
  const client = start(t, ['workflow', 'run', 'main', '--on', server().url, '--id', 'alone', '-q'], cwd);
  await until(
    () => existsSync(join(cwd, 'held')),
    () => `the first step runs: ${client.stderr()}`,
  );
  client.child.kill('SIGKILL');
  await client.ended;
  writeFileSync(join(cwd, 'go'), '');
  const { code, stdout, stderr } = await remoteCli(['workflow', 'runs', 'wait', 'alone', '--on', server().url], cwd);
  assert.deepEqual({ code, stderr }, { code: 0, stderr: 'end\n' });
  assert.match(stdout, /"success":true\}\n$/);
  assert.equal(readFileSync(join(cwd, 'ran'), 'utf8'), 'a\nb\n');
});
