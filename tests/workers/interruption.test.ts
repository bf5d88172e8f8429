import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { workflowDirectory } from '../support/cli.ts';
import { sharedPostgres } from '../support/remote/postgres.ts';
import { needsPostgres, start, startWorker } from '../support/remote/workers.ts';

const server = sharedPostgres();
const LIMITED = needsPostgres();
const FILE = {
  error: 'echo error; echo error >> ran',
  workflows: { main: { steps: ['trap "exit 9" INT; echo ready; while :; do sleep 0.05; done', 'echo never >> ran'] } },
};

test('a signal to the client interrupts the run, and its hooks run on the worker', LIMITED, async (t) => {
  const cwd = workflowDirectory(t, FILE);
  await startWorker(t, server(), cwd);
  const client = start(t, ['workflow', 'run', 'main', '--on', server().url, '--id', 'asked', '-q'], cwd);
  await client.says('ready');
  client.child.kill('SIGINT');
  const { code, signal, stdout, stderr } = await client.ended;
  assert.deepEqual({ code, signal }, { code: null, signal: 'SIGINT' }, stderr);
  assert.ok(stderr.includes('cli: asking run asked to stop; again to stop it at once\n'), stderr);
  assert.deepEqual(JSON.parse(stdout), {
    workflow: 'main',
    steps: [{ name: 'step_1', command: FILE.workflows.main.steps[0], exit_code: 9 }],
    error: { command: FILE.error, exit_code: 0 },
    success: false,
    interrupted: 'SIGINT',
  });
  assert.equal(readFileSync(join(cwd, 'ran'), 'utf8'), 'error\n');
});

test('a second signal to the client ends the run at once', LIMITED, async (t) => {
  const steps = ['trap "echo trapped" INT TERM; echo ready; while :; do sleep 0.05; done'];
  const cwd = workflowDirectory(t, { ...FILE, workflows: { main: { steps } } });
  await startWorker(t, server(), cwd);
  const client = start(t, ['workflow', 'run', 'main', '--on', server().url, '-q'], cwd);
  await client.says('ready');
  client.child.kill('SIGINT');
  await client.says('trapped');
  // An earlier signal would count as the first.
  await delay(350);
  client.child.kill('SIGINT');
  const { signal, stdout, stderr } = await client.ended;
  assert.equal(signal, 'SIGINT', stderr);
  assert.deepEqual(JSON.parse(stdout), {
    workflow: 'main',
    steps: [{ name: 'step_1', command: steps[0], exit_code: 137 }],
    success: false,
    interrupted: 'SIGINT',
  });
});

test('a signal to the client cancels a queued run', LIMITED, async (t) => {
  const cwd = workflowDirectory(t, FILE);
  const client = start(t, ['workflow', 'run', 'main', '--on', server().url, '--tag', 'nowhere', '-q'], cwd);
  await client.says('is queued');
  client.child.kill('SIGTERM');
  const { signal, stdout } = await client.ended;
  assert.equal(signal, 'SIGTERM');
  assert.equal(stdout, '{"workflow":"main","steps":[],"success":false,"interrupted":"SIGTERM"}\n');
});
