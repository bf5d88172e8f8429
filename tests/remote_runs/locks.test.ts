import assert from 'node:assert/strict';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import * as v from 'valibot';
import { workflowDirectory } from '../support/cli.ts';
import { check, compile } from '../support/goldens/schemas.ts';
import { query } from '../support/remote/database.ts';
import { sharedPostgres } from '../support/remote/postgres.ts';
import { engineWith, needsPostgres, remoteCli, start, startClient, startWorker } from '../support/remote/workers.ts';
import { until } from '../support/until.ts';

const server = sharedPostgres();
const LIMITED = needsPostgres();

/** Each run waits in its step for a file with its name, and records its start and end. */
const STEP = [
  'echo "+$CLI_REMOTE_RUN" >> ran',
  'until [ -e "$CLI_REMOTE_RUN.go" ]; do sleep 0.1; done',
  'echo "-$CLI_REMOTE_RUN" >> ran',
].join('; ');
const FILE = { workflows: { main: { steps: [STEP] } } };

const ranIn = (cwd: string): string => {
  const path = join(cwd, 'ran');
  return existsSync(path) ? readFileSync(path, 'utf8').replaceAll('\n', ' ').trim() : '';
};

async function reach(cwd: string, ran: string): Promise<void> {
  await until(
    () => ranIn(cwd) === ran,
    () => `${ran}, not ${ranIn(cwd)}`,
  );
}

const Entry = v.looseObject({ run: v.string(), state: v.string() });

async function stateOf(run: string, cwd: string): Promise<unknown> {
  const shown = await remoteCli(['workflow', 'runs', 'show', run, '--on', server().url], cwd);
  const entry = v.parse(Entry, JSON.parse(shown.stdout));
  const others = new Set(['id', 'submitted', 'started', 'ended', 'ops', 'steps']);
  return Object.fromEntries(Object.entries(entry).filter(([name]) => !others.has(name)));
}

test('runs with the same lock run one after the other, on workers with any tag', LIMITED, async (t) => {
  const cwd = workflowDirectory(t, FILE);
  const line = (id: string, ...more: string[]): string[] => {
    return ['workflow', 'run', 'main', '--on', server().url, '--id', id, '--lock', 'prod', '-q', ...more];
  };
  await startWorker(t, server(), cwd, { flags: ['--jobs', '3', '--name', 'linux'] });
  await startWorker(t, server(), cwd, { flags: ['--tag', 'mac', '--name', 'mac'] });
  const first = startClient(line('first'), cwd);
  const queued = "cli: run first is queued, under the lock 'prod'\n";
  await first.says(queued);
  assert.equal(first.stderr(), queued);
  await reach(cwd, '+first');
  const second = startClient(line('second', '--tag', 'mac'), cwd, engineWith(t, { quiet: 1 }));
  await second.says("cli: run second is queued for a worker with the tag 'mac', under the lock 'prod'\n");
  const again = startClient(line('second', '--tag', 'mac'), cwd);
  await again.says('cli: run second exists already; it is not started again\n');
  const unlocked = startClient(['workflow', 'run', 'main', '--on', server().url, '--id', 'free', '-q'], cwd);
  await reach(cwd, '+first +free');
  assert.deepEqual(await stateOf('first', cwd), {
    run: 'first',
    workflow: 'main',
    state: 'running',
    lock: 'prod',
    worker: 'linux',
    takeovers: 0,
  });
  assert.deepEqual(await stateOf('second', cwd), {
    run: 'second',
    workflow: 'main',
    state: 'queued',
    tag: 'mac',
    lock: 'prod',
    takeovers: 0,
  });
  await second.says("cli: run second still waits: 'prod' is held by run first\n");
  const documents = await remoteCli(['workflow', 'runs', 'list', '--on', server().url], cwd);
  check(compile('runs-list'), JSON.parse(documents.stdout));
  const list = await remoteCli(['runs', 'list', '--on', server().url], cwd);
  assert.deepEqual(
    list.stdout.split('\n').map((row) => row.split(/ +/).slice(0, 3).join(' ')),
    ['RUN WORKFLOW STATE', 'free main running', 'second main queued', 'first main running', ''],
  );
  for (const id of ['free', 'first', 'second']) writeFileSync(join(cwd, `${id}.go`), '');
  for (const { ended } of [first, second, again, unlocked]) assert.equal((await ended).code, 0);
  const ran = ranIn(cwd).replace(' -free', '');
  assert.equal(ran, '+first +free -first +second -second');
});

test('a run can be cancelled while it waits for its lock', LIMITED, async (t) => {
  const cwd = workflowDirectory(t, FILE);
  const line = (id: string): string[] => {
    return ['workflow', 'run', 'main', '--on', server().url, '--id', id, '--lock', 'stage', '-q'];
  };
  await startWorker(t, server(), cwd, { flags: ['--jobs', '3'] });
  const holder = startClient(line('holder'), cwd);
  await reach(cwd, '+holder');
  const waiting = start(t, line('waiting'), cwd);
  await waiting.says('is queued');
  waiting.child.kill('SIGTERM');
  const { signal, stdout } = await waiting.ended;
  assert.equal(signal, 'SIGTERM');
  assert.equal(stdout, '{"workflow":"main","steps":[],"success":false,"interrupted":"SIGTERM"}\n');
  await remoteCli([...line('asked'), '--detach'], cwd);
  const cancelled = await remoteCli(['workflow', 'runs', 'cancel', 'asked', '--on', server().url], cwd);
  assert.equal(v.parse(Entry, JSON.parse(cancelled.stdout)).state, 'cancelled');
  const followed = await remoteCli(['workflow', 'runs', 'wait', 'asked', '--on', server().url], cwd);
  assert.deepEqual(
    [followed.signal, followed.stdout],
    ['SIGINT', '{"workflow":"main","steps":[],"success":false,"interrupted":"SIGINT"}\n'],
  );
  const next = startClient(line('next'), cwd);
  for (const id of ['holder', 'next']) writeFileSync(join(cwd, `${id}.go`), '');
  assert.equal((await holder.ended).code, 0);
  assert.equal((await next.ended).code, 0);
  assert.equal(ranIn(cwd), '+holder -holder +next -next');
});

test('a lock survives the loss of a waiting worker, and of the worker of its run', LIMITED, async (t) => {
  const cwd = workflowDirectory(t, FILE);
  const line = (id: string, ...more: string[]): string[] => {
    return ['workflow', 'run', 'main', '--on', server().url, '--id', id, '--lock', 'db', '-q', ...more];
  };
  const workers = [
    await startWorker(t, server(), cwd, { flags: ['--name', 'a', '--tag', 'x'] }),
    await startWorker(t, server(), cwd, { flags: ['--name', 'b', '--tag', 'x'] }),
  ];
  const first = startClient(line('one', '--tag', 'x'), cwd);
  await reach(cwd, '+one');
  const second = startClient(line('two', '--tag', 'x'), cwd);
  await second.says('is queued');
  // No other worker has the tag, so the lock and the run are lost with these workers.
  for (const { child } of workers) child.kill('SIGKILL');
  await startWorker(t, server(), cwd, { flags: ['--name', 'c', '--tag', 'x', '--jobs', '2'] });
  await first.says('going on after 0 recorded results on c\n');
  await reach(cwd, '+one +one');
  writeFileSync(join(cwd, 'one.go'), '');
  writeFileSync(join(cwd, 'two.go'), '');
  assert.equal((await first.ended).code, 0);
  assert.equal((await second.ended).code, 0);
  // The first process of the step ended with its worker, or continued to its end.
  assert.equal(ranIn(cwd).replace('-one -one', '-one'), '+one +one -one +two -two');
});

test('the locks of a stopped worker are taken over', LIMITED, async (t) => {
  const cwd = workflowDirectory(t, FILE);
  const keeper = await startWorker(t, server(), cwd, { flags: ['--tag', 'unused'] });
  const client = startClient(
    ['workflow', 'run', 'main', '--on', server().url, '--id', 'kept', '--lock', 'k', '-q'],
    cwd,
  );
  const queued = "SELECT FROM workflow_plan.workflow_status WHERE workflow_uuid = 'kept' AND status = 'ENQUEUED'";
  await until(
    async () => (await query(server().url, queued)).length > 0,
    () => `the run has its lock: ${client.stderr()}`,
    100,
  );
  const other = await startWorker(t, server(), cwd);
  await reach(cwd, '+kept');
  keeper.child.kill('SIGTERM');
  assert.equal((await keeper.ended).code, 0);
  writeFileSync(join(cwd, 'kept.go'), '');
  assert.equal((await client.ended).code, 0);
  other.child.kill('SIGTERM');
  assert.equal((await other.ended).code, 0);
});

test(
  'a run waits for a queued run with its lock, although the queue of locks has let it through',
  LIMITED,
  async (t) => {
    const cwd = workflowDirectory(t, FILE);
    const line = (id: string, ...more: string[]): string[] => {
      return ['workflow', 'run', 'main', '--on', server().url, '--id', id, '--lock', 'gap', '-q', ...more];
    };
    await startWorker(t, server(), cwd, { flags: ['--jobs', '2'] });
    const first = startClient(line('ahead', '--tag', 'later'), cwd);
    const rows = 'workflow_plan.workflow_status';
    await until(
      async () => (await query(server().url, `SELECT FROM ${rows} WHERE workflow_uuid = 'ahead'`)).length > 0,
      () => `the run has its lock: ${first.stderr()}`,
    );
    // As in the gap of a takeover, nothing in the queue holds the lock.
    await query(server().url, `UPDATE ${rows} SET status = 'SUCCESS' WHERE workflow_uuid = 'ahead/lock'`);
    const second = startClient(line('behind'), cwd, engineWith(t, { quiet: 3 }));
    await second.says("cli: run behind still waits: 'gap' is held by run ahead\n");
    const admitted = `SELECT FROM ${rows} WHERE workflow_uuid = 'behind/lock' AND status = 'PENDING'`;
    assert.equal((await query(server().url, admitted)).length, 1);
    await startWorker(t, server(), cwd, { flags: ['--tag', 'later'] });
    await reach(cwd, '+ahead');
    for (const id of ['ahead', 'behind']) writeFileSync(join(cwd, `${id}.go`), '');
    for (const { ended } of [first, second]) assert.equal((await ended).code, 0);
    assert.equal(ranIn(cwd), '+ahead -ahead +behind -behind');
  },
);
