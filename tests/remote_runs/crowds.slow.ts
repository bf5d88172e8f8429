import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { workflowDirectory } from '../support/cli.ts';
import { databaseUrl, query } from '../support/remote/database.ts';
import { sharedPostgres } from '../support/remote/postgres.ts';
import { needsPostgres, remoteCli, start, startWorker } from '../support/remote/workers.ts';

const server = sharedPostgres();
const LIMITED = needsPostgres();
const FILE = { workflows: { main: { steps: ['echo "$CLI_REMOTE_RUN" >> ran; echo "$CLI_REMOTE_RUN"'] } } };

test('five workers started together on an empty database all become ready', LIMITED, async (t) => {
  const cwd = workflowDirectory(t, FILE);
  await query(server().url, 'CREATE DATABASE five');
  const five = { ...server(), url: databaseUrl(server().url, 'five') };
  const workers = await Promise.all(
    [1, 2, 3, 4, 5].map((n) => startWorker(t, five, cwd, { flags: ['--name', `w${n}`] })),
  );
  assert.deepEqual(
    workers.map(({ stderr }) => stderr()),
    [1, 2, 3, 4, 5].map((n) => `cli: worker 'w${n}' is ready: it takes runs without a tag\n`),
  );
  const ids = ['a', 'b', 'c', 'd', 'e'];
  const line = (id: string): string[] => ['workflow', 'run', 'main', '--on', five.url, '--id', id, '--detach'];
  for (const id of ids) assert.equal((await remoteCli(line(id), cwd)).code, 0);
  for (const id of ids) assert.equal((await remoteCli(['runs', 'wait', id, '--on', five.url], cwd)).code, 0);
  assert.deepEqual(readFileSync(join(cwd, 'ran'), 'utf8').trim().split('\n').toSorted(), ids);
});

test('a run submitted by eight clients starts once', LIMITED, async (t) => {
  const cwd = workflowDirectory(t, FILE);
  for (const [id, flags] of [
    ['plain', []],
    ['locked', ['--lock', 'key']],
  ] as const) {
    const line = ['workflow', 'run', 'main', '--on', server().url, '--id', id, ...flags, '--detach'];
    const all = await Promise.all(Array.from({ length: 8 }, () => start(t, line, cwd).ended));
    const queued = `cli: run ${id} is queued${flags.length > 0 ? ", under the lock 'key'" : ''}\n`;
    for (const { code, stdout } of all) assert.deepEqual([code, stdout], [0, `{"run":"${id}"}\n`]);
    const others = Array.from({ length: 7 }, () => `cli: run ${id} exists already; it is not started again\n`);
    assert.deepEqual(all.map(({ stderr }) => stderr).toSorted(), [queued, ...others].toSorted());
  }
  await startWorker(t, server(), cwd);
  for (const id of ['plain', 'locked']) {
    assert.equal((await remoteCli(['runs', 'wait', id, '--on', server().url], cwd)).code, 0);
  }
  assert.deepEqual(readFileSync(join(cwd, 'ran'), 'utf8').trim().split('\n').toSorted(), ['locked', 'plain']);
});

test('runs start by priority, and in order of submission for the same priority', LIMITED, async (t) => {
  const cwd = workflowDirectory(t, FILE);
  const runs = { usual: [], low: ['--priority', '9'], high: ['--priority', '0'], next: ['--priority', '5'] };
  for (const [id, flags] of Object.entries(runs)) {
    const line = ['workflow', 'run', 'main', '--on', server().url, '--id', id, '--tag', 'one', ...flags, '--detach'];
    assert.equal((await remoteCli(line, cwd)).code, 0);
  }
  await startWorker(t, server(), cwd, { flags: ['--tag', 'one'] });
  assert.equal((await remoteCli(['runs', 'wait', 'low', '--on', server().url], cwd)).code, 0);
  assert.equal(readFileSync(join(cwd, 'ran'), 'utf8'), 'high\nusual\nnext\nlow\n');
});
