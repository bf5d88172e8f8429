import assert from 'node:assert/strict';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { workflowDirectory } from '../support/cli.ts';
import { SETSID } from '../support/processes/bench.ts';
import { isAlive } from '../support/processes/processes.ts';
import { sharedPostgres } from '../support/remote/postgres.ts';
import { needsPostgres, remoteCli, startClient, startWorker, type Running } from '../support/remote/workers.ts';
import type { Client } from '../support/remote/client.ts';
import { until } from '../support/until.ts';

const server = sharedPostgres();
const LIMITED = {
  ...needsPostgres(),
  ...(process.platform !== 'linux' && { skip: 'other systems do not show the variables of processes' }),
};

/**
 * A step that waits, ignores SIGTERM and records its processes, and the command once it no longer waits. Its shell does
 * not report a `sleep` that was killed before it.
 */
const STEP = 'exec 2>/dev/null; trap "" TERM; echo "$PPID $$" >> pids; until [ -e go ]; do sleep 0.1; done; echo gone';

/** The processes of each execution of the step: the runner and the shell. */
function pidsIn(cwd: string): readonly (readonly [runner: number, shell: number])[] {
  const path = join(cwd, 'pids');
  const lines = existsSync(path) ? readFileSync(path, 'utf8').split('\n').slice(0, -1) : [];
  return lines.map((line) => {
    const [runner = 0, shell = 0] = line.split(' ').map(Number);
    return [runner, shell];
  });
}

async function untilExecuted(cwd: string, times: number): Promise<readonly [runner: number, shell: number]> {
  await until(
    () => pidsIn(cwd).length >= times,
    () => `the step has begun ${times} times`,
  );
  return pidsIn(cwd)[times - 1] ?? [0, 0];
}

/** A run whose step waits, on a worker in a new directory. */
async function waitingRun(
  t: TestContext,
  id: string,
): Promise<Readonly<{ cwd: string; worker: Running; client: Client }>> {
  const cwd = workflowDirectory(t, { workflows: { main: { steps: [STEP] } } });
  const worker = await startWorker(t, server(), cwd, { flags: ['--tag', id] });
  const client = startClient(['workflow', 'run', 'main', '--on', server().url, '--tag', id, '--id', id, '-q'], cwd);
  return { cwd, worker, client };
}

/** Kills a worker and the process of its run, so that neither can end the step. */
function killBoth(worker: Running, runner: number): void {
  worker.child.kill('SIGSTOP');
  process.kill(runner, 'SIGKILL');
  worker.child.kill('SIGKILL');
}

test(
  'a starting worker first terminates leftover processes of a killed worker and its killed run',
  LIMITED,
  async (t) => {
    const { cwd, worker, client } = await waitingRun(t, 'start');
    const [runner, shell] = await untilExecuted(cwd, 1);
    killBoth(worker, runner);
    await worker.ended;
    assert.ok(isAlive(shell));
    await startWorker(t, server(), cwd, { flags: ['--tag', 'start'] });
    assert.ok(!isAlive(shell));
    writeFileSync(join(cwd, 'go'), '');
    assert.equal((await client.ended).code, 0);
    assert.equal(pidsIn(cwd).length, 2);
  },
);

test('a takeover on the same machine terminates leftover processes before the step runs again', LIMITED, async (t) => {
  const { cwd, worker, client } = await waitingRun(t, 'takeover');
  const [runner, shell] = await untilExecuted(cwd, 1);
  await startWorker(t, server(), cwd, { flags: ['--tag', 'takeover'] });
  killBoth(worker, runner);
  await untilExecuted(cwd, 2);
  assert.ok(!isAlive(shell));
  writeFileSync(join(cwd, 'go'), '');
  assert.equal((await client.ended).code, 0);
});

test('a run process that is killed alone restarts without its leftover processes', LIMITED, async (t) => {
  const { cwd, client } = await waitingRun(t, 'alone');
  const [runner, shell] = await untilExecuted(cwd, 1);
  process.kill(runner, 'SIGKILL');
  await untilExecuted(cwd, 2);
  assert.ok(!isAlive(shell));
  writeFileSync(join(cwd, 'go'), '');
  const { code, stderr } = await client.ended;
  assert.deepEqual(
    [code, stderr.split('\n').slice(1)],
    [0, ['cli: the process of this run died (SIGKILL); going on after 0 recorded results', 'gone', '']],
  );
});

test('processes left running by a finished run are kept', LIMITED, async (t) => {
  const steps = [`${SETSID} sleep 60 > /dev/null 2>&1 & echo $!`];
  const cwd = workflowDirectory(t, { workflows: { main: { steps } } });
  await startWorker(t, server(), cwd);
  const { stderr } = await remoteCli(['workflow', 'run', 'main', '--on', server().url, '--id', 'over', '-q'], cwd);
  const service = Number(stderr.split('\n')[1]);
  t.after(() => process.kill(service, 'SIGKILL'));
  await startWorker(t, server(), cwd);
  assert.ok(isAlive(service), stderr);
});
