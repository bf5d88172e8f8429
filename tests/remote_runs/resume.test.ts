import assert from 'node:assert/strict';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import * as v from 'valibot';
import { cliWithAnnouncements, workflowDirectory } from '../support/cli.ts';
import { refused } from '../support/project.ts';
import type { Client } from '../support/remote/client.ts';
import { broken, note, ranIn } from '../support/remote/executions.ts';
import { sharedPostgres } from '../support/remote/postgres.ts';
import { needsPostgres, remoteCli, start, startClient, startWorker } from '../support/remote/workers.ts';
import { until } from '../support/until.ts';

const server = sharedPostgres();
const LIMITED = needsPostgres();

const resumeLine = (id: string): string[] => ['workflow', 'runs', 'resume', id, '--on', server().url];
const runLine = (id: string, ...more: string[]): string[] => {
  return ['workflow', 'run', 'main', '--on', server().url, '--id', id, '-q', ...more];
};

test('the log of a resumed run contains that of its first session', LIMITED, async (t) => {
  const cwd = workflowDirectory(t, {
    workflows: { main: { steps: ['echo one', { name: 'two', run: 'echo two; test -e fixed' }] } },
  });
  await startWorker(t, server(), cwd, { flags: ['--name', 'here'] });
  const first = await remoteCli(['workflow', 'run', 'main', '--on', server().url, '--id', 'log', '--no-ci'], cwd);
  assert.ok(
    first.stderr.endsWith('cli: to continue with two (finished steps are kept): cli runs resume log\n'),
    first.stderr,
  );
  writeFileSync(join(cwd, 'fixed'), '');
  const resumed = await remoteCli(resumeLine('log'), cwd);
  assert.equal(
    resumed.stderr,
    `${first.stderr}${[
      'cli: this run was resumed; going on after 1 recorded results on here',
      "cli: step 'two' of workflow 'main'",
      'two',
      "cli: step 'two' of workflow 'main' succeeded, <time>",
      "cli: workflow 'main' succeeded: 1 step ran, 1 kept, <time>",
      '',
    ].join('\n')}`,
  );
  const again = await remoteCli(resumeLine('log'), cwd);
  assert.deepEqual(
    [again.code, again.stdout, again.stderr],
    [1, '', 'cli: run log has succeeded; only failed, cancelled and broken runs can be resumed\n'],
  );
});

test('a cancelled run can be resumed, whether or not it has started', LIMITED, async (t) => {
  const steps = [note('a'), `${note('b')}; test -e fixed || { echo ready; sleep 60; }`, note('c')];
  const cwd = workflowDirectory(t, { error: note('error'), workflows: { main: { steps } } });
  await startWorker(t, server(), cwd);
  await remoteCli([...runLine('early', '--tag', 'late'), '--detach'], cwd);
  assert.equal((await remoteCli(['runs', 'cancel', 'early', '--on', server().url], cwd)).code, 0);
  const client = start(t, runLine('asked'), cwd);
  await client.says('ready');
  client.child.kill('SIGINT');
  assert.equal((await client.ended).signal, 'SIGINT');
  writeFileSync(join(cwd, 'fixed'), '');
  const resumed = await remoteCli(resumeLine('asked'), cwd);
  assert.equal(resumed.code, 0, resumed.stderr);
  assert.equal(ranIn(cwd), 'a b error b c');
  await startWorker(t, server(), cwd, { flags: ['--tag', 'late'] });
  assert.equal((await remoteCli(resumeLine('early'), cwd)).code, 0);
  assert.equal(ranIn(cwd), 'a b error b c a b c');
});

test('a run that could not start in the environment of its worker can be resumed', LIMITED, async (t) => {
  const main = { env: { TARGET: '${vars.REGION}-1' }, steps: ['echo "$TARGET" >> ran'] };
  const cwd = workflowDirectory(t, { before_all: note('before'), workflows: { main } });
  const first = await startWorker(t, server(), cwd);
  const failed = await remoteCli(runLine('unset'), cwd);
  assert.deepEqual([failed.code, failed.stdout, ranIn(cwd)], [2, '', '']);
  first.child.kill('SIGTERM');
  assert.equal((await first.ended).code, 0);
  await startWorker(t, server(), cwd, { env: { REGION: 'eu' } });
  const resumed = await remoteCli(resumeLine('unset'), cwd);
  assert.equal(resumed.code, 0, resumed.stderr);
  assert.equal(ranIn(cwd), 'before eu-1');
});

test('a broken run is resumed from the step in which its process died', LIMITED, async (t) => {
  const steps = [note('a'), `${note('b')}; test -e fixed || kill -9 $PPID`, note('c')];
  const cwd = workflowDirectory(t, { error: note('error'), workflows: { main: { steps } } });
  await startWorker(t, server(), cwd);
  const client = await remoteCli(runLine('dead'), cwd);
  assert.deepEqual([client.code, client.stdout], [1, '']);
  assert.ok(client.stderr.endsWith('cli: run dead is broken: its process died 3 times: SIGKILL\n'), client.stderr);
  writeFileSync(join(cwd, 'fixed'), '');
  const resumed = await remoteCli(resumeLine('dead'), cwd);
  assert.equal(resumed.code, 0, resumed.stderr);
  assert.equal(ranIn(cwd), 'a b b b b c');
});

test('a run whose worker was killed in a step with on_crash: fail is resumed from that step', LIMITED, async (t) => {
  const wait = 'test -e fixed || { touch held; until [ -e fixed ]; do sleep 0.1; done; }';
  const once = { name: 'once', run: `${note('once')}; ${wait}`, on_crash: 'fail' };
  const cwd = workflowDirectory(t, {
    error: note('error'),
    workflows: { main: { steps: [note('a'), once, note('b')] } },
  });
  const first = await startWorker(t, server(), cwd);
  const client = startClient(runLine('lost'), cwd);
  await until(
    () => existsSync(join(cwd, 'held')),
    () => `the step runs: ${client.stderr()}`,
  );
  await startWorker(t, server(), cwd, { flags: ['--name', 'second'] });
  first.child.kill('SIGKILL');
  const failed = await client.ended;
  assert.deepEqual([failed.code, ranIn(cwd)], [1, 'a once error'], failed.stderr);
  writeFileSync(join(cwd, 'fixed'), '');
  const resumed = await remoteCli(resumeLine('lost'), cwd);
  assert.equal(resumed.code, 0, resumed.stderr);
  assert.deepEqual(JSON.parse(resumed.stdout), {
    workflow: 'main',
    steps: [
      { name: 'step_1', command: note('a'), exit_code: 0, kept: true },
      { name: 'once', command: once.run, exit_code: 0 },
      { name: 'step_3', command: note('b'), exit_code: 0 },
    ],
    success: true,
  });
  assert.equal(ranIn(cwd), 'a once error once b');
  assert.ok(resumed.stderr.endsWith('cli: this run was resumed; going on after 1 recorded results on second\n'));
});

test('a resumed run continues after a takeover, and can be resumed again', LIMITED, async (t) => {
  const steps = [
    note('a'),
    broken('b'),
    `${note('c')}; [ -e free ] || { touch held; until [ -e free ]; do sleep 0.1; done; }`,
    `${note('d')}; test -e last`,
    `${note('e')} ; echo "fence $CLI_REMOTE_FENCE" >> ran`,
  ];
  const cwd = workflowDirectory(t, { before_all: note('before'), workflows: { main: { steps } } });
  const first = await startWorker(t, server(), cwd);
  assert.equal((await remoteCli(runLine('twice'), cwd)).code, 1);
  writeFileSync(join(cwd, 'fixed'), '');
  const client = startClient(resumeLine('twice'), cwd);
  await until(
    () => existsSync(join(cwd, 'held')),
    () => 'the third step runs',
  );
  await startWorker(t, server(), cwd);
  first.child.kill('SIGKILL');
  await client.says('cli: the worker of this run was lost; going on after');
  writeFileSync(join(cwd, 'free'), '');
  assert.equal((await client.ended).code, 1);
  writeFileSync(join(cwd, 'last'), '');
  const resumed = await remoteCli(resumeLine('twice'), cwd);
  assert.equal(resumed.code, 0, resumed.stderr);
  assert.equal(ranIn(cwd), 'before a b before b c c d before d e fence 3');
  const shown = await remoteCli(['workflow', 'runs', 'show', 'twice', '--on', server().url], cwd);
  const { state, takeovers } = v.parse(
    v.looseObject({ state: v.string(), takeovers: v.number() }),
    JSON.parse(shown.stdout),
  );
  assert.deepEqual({ state, takeovers }, { state: 'succeeded', takeovers: 1 });
});

test('a resumed run waits for its lock', LIMITED, async (t) => {
  const { client, cwd } = await heldLock(t);
  assert.equal((await remoteCli(runLine('later', '--lock', 'prod', '--detach'), cwd)).code, 0);
  const resumed = startClient(resumeLine('first'), cwd);
  await resumed.says("cli: run first is queued, under the lock 'prod'\n");
  const list = await remoteCli(['runs', 'list', '--on', server().url], cwd);
  assert.deepEqual(
    list.stdout
      .split('\n')
      .slice(1, 4)
      .map((row) => row.split(/ +/).slice(0, 3).join(' ')),
    ['later main queued', 'holder hold running', 'first main queued'],
  );
  const second = await remoteCli(resumeLine('first'), cwd);
  assert.deepEqual(
    [second.code, second.stderr],
    [1, 'cli: run first is queued; only failed, cancelled and broken runs can be resumed\n'],
  );
  assert.equal((await remoteCli(['runs', 'cancel', 'first', '--on', server().url], cwd)).code, 0);
  assert.equal((await resumed.ended).signal, 'SIGINT');
  const again = startClient(resumeLine('first'), cwd);
  await again.says('is queued');
  writeFileSync(join(cwd, 'fixed'), '');
  assert.equal((await client.ended).code, 0);
  assert.equal((await again.ended).code, 0);
  assert.equal(ranIn(cwd), 'a b hold a b b');
});

/** A failed run, and another run that holds its lock until the file `fixed` exists. */
async function heldLock(t: TestContext): Promise<Readonly<{ client: Client; cwd: string }>> {
  const hold = `${note('hold')}; until [ -e fixed ]; do sleep 0.1; done`;
  const cwd = workflowDirectory(t, {
    workflows: { main: { steps: [note('a'), broken('b')] }, hold: { steps: [hold] } },
  });
  await startWorker(t, server(), cwd, { flags: ['--jobs', '4'] });
  assert.equal((await remoteCli(runLine('first', '--lock', 'prod'), cwd)).code, 1);
  const client = startClient(
    ['workflow', 'run', 'hold', '--on', server().url, '--id', 'holder', '--lock', 'prod', '-q'],
    cwd,
  );
  await until(
    () => ranIn(cwd).endsWith('hold'),
    () => 'the other run has the lock',
  );
  return { client, cwd };
}

test('resuming a remote run requires a database', async (t) => {
  const cwd = workflowDirectory(t, { workflows: { main: { steps: ['true'] } } });
  assert.deepEqual(
    await cliWithAnnouncements(['runs', 'resume', 'x'], { cwd, env: { CLI_ON: undefined } }),
    refused("'cli runs resume' is for runs on other machines: add --on URL, or use cli resume"),
  );
});
