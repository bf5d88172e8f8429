import assert from 'node:assert/strict';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { workflowDirectory } from '../support/cli.ts';
import { isAlive } from '../support/processes/processes.ts';
import { createProxy } from '../support/remote/proxy.ts';
import { sharedPostgres } from '../support/remote/postgres.ts';
import { needsPostgres, remoteCli, startClient, startWorker } from '../support/remote/workers.ts';
import { until } from '../support/until.ts';

const server = sharedPostgres();
const LIMITED = needsPostgres();

const linesOf = (path: string): readonly string[] =>
  existsSync(path) ? readFileSync(path, 'utf8').split('\n').slice(0, -1) : [];

test('a worker that is cut off from the database loses its run and records nothing afterwards', LIMITED, async (t) => {
  const cwd = workflowDirectory(t, {
    workflows: {
      main: {
        steps: [
          { name: 'slow', run: 'echo "slow $WHO" >> ran; until [ -e go ]; do sleep 0.1; done; echo "end $WHO" >> ran' },
          'echo "after $WHO" >> ran; echo "printed by $WHO"',
        ],
      },
    },
  });
  const ran = (): readonly string[] => linesOf(join(cwd, 'ran'));
  const network = await createProxy(t, server().url);
  const first = await startWorker(t, { ...server(), url: network.url }, cwd, { env: { WHO: 'first' }, lease: 5 });
  const client = startClient(['workflow', 'run', 'main', '--on', server().url, '--id', 'parted', '-q'], cwd);
  await until(
    () => ran().length === 1,
    () => `the first step runs: ${client.stderr()}`,
  );
  network.cut();
  const cut = performance.now();
  await startWorker(t, server(), cwd, { env: { WHO: 'second' }, flags: ['--name', 'second'] });
  await until(
    () => ran().length === 2,
    () => `the step runs again: ${client.stderr()}`,
  );
  t.diagnostic(`taken over after ${Math.round(performance.now() - cut)} ms`);
  await first.says('trying again\n');
  writeFileSync(join(cwd, 'go'), '');
  const { code, stderr } = await client.ended;
  assert.deepEqual(
    { code, stderr },
    {
      code: 0,
      stderr: [
        'cli: run parted is queued',
        'cli: the worker of this run was lost; going on after 0 recorded results on second',
        'printed by second',
        '',
      ].join('\n'),
    },
  );
  await until(
    () => ran().includes('end first'),
    () => `the step of the first worker ends: ${ran().join(', ')}`,
  );
  // All that the first worker has sent meanwhile arrives now.
  network.heal();
  await first.says(
    'cli: this worker was cut off from the database; other workers have taken over run parted\n' +
      'cli: the database is back\n',
  );
  first.child.kill('SIGTERM');
  assert.equal((await first.ended).code, 0);
  assert.deepEqual(ran().toSorted(), ['after second', 'end first', 'end second', 'slow first', 'slow second']);
  const { stdout } = await remoteCli(['workflow', 'runs', 'logs', 'parted', '--on', server().url], cwd);
  assert.equal(stdout, stderr.split('\n').slice(1).join('\n'));
});

test('the processes of a killed worker end, and its run waits for another worker', LIMITED, async (t) => {
  const step = 'trap "" TERM; echo $$ >> pids; until [ -e go ]; do sleep 0.1; done';
  const cwd = workflowDirectory(t, { workflows: { main: { steps: [step] } } });
  const pids = (): readonly number[] => linesOf(join(cwd, 'pids')).map(Number);
  const first = await startWorker(t, server(), cwd);
  const client = startClient(['workflow', 'run', 'main', '--on', server().url, '-q'], cwd);
  await until(
    () => pids().length === 1,
    () => `the step runs: ${client.stderr()}`,
  );
  first.child.kill('SIGKILL');
  await until(
    () => !isAlive(pids()[0] ?? 0),
    () => 'the step has ended',
  );
  await startWorker(t, server(), cwd);
  await until(
    () => pids().length === 2,
    () => `the step runs again: ${client.stderr()}`,
  );
  writeFileSync(join(cwd, 'go'), '');
  assert.equal((await client.ended).code, 0);
});
