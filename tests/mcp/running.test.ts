/* Runs that go on: waiting, progress, cancellation, and the end of the server. */
import assert from 'node:assert/strict';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { cli, workflowDirectory } from '../support/cli.ts';
import { connectHost, type Host, type HostSettings } from '../support/mcp/agent.ts';
import { HANDSHAKE, toolCall, Wire } from '../support/mcp/lines.ts';
import { endedRun, isGone, recordedRuns, runOf } from '../support/mcp/runs.ts';
import { connectHere } from '../support/mcp/served.ts';
import { until } from '../support/until.ts';

/** A step that waits for a file, or for the end of the test, which removes the directory. bash may ignore a SIGINT in it. */
const WAIT = 'trap "exit 130" INT; echo ready; touch ready; until [ -e go ] || ! [ -d .cli ]; do sleep 0.1; done';

const FILE = {
  agents: 'allow',
  error: 'touch error.txt',
  workflows: {
    quick: { steps: ['true', 'true', 'true'] },
    slow: { steps: ['true', WAIT, 'touch after.txt'] },
    again: { steps: [{ run: 'touch tried; exit 1', retry: { max_attempts: 9, delay: '60s' } }] },
    asks: { agents: 'ask', steps: ['touch after.txt'] },
  },
};

async function slowHost(t: TestContext, settings: HostSettings = {}): Promise<Host> {
  return connectHere(t, workflowDirectory(t, FILE), settings);
}

const exists = async (host: Host, name: string): Promise<void> =>
  until(
    () => existsSync(join(host.cwd, name)),
    () => name,
  );

test('a run that is allowed starts at once, and every command that ends is notified', async (t) => {
  const host = await slowHost(t);
  const seen: number[] = [];
  const called = await host.call(
    'run_workflow',
    { workflow: 'quick' },
    { onprogress: ({ progress }) => seen.push(progress) },
  );
  assert.deepEqual(called, {
    content: { run: runOf(called), workflow: 'quick', state: 'succeeded', done: 3 },
    isError: false,
  });
  assert.deepEqual(seen, [1, 2, 3]);
  assert.deepEqual(recordedRuns(host.cwd), [{ run: runOf(called), agents: ['allowed'] }]);
});

test('a call answers when its time is up; get_run waits for the end, and shows the running step', async (t) => {
  const host = await slowHost(t);
  const started = await host.call('run_workflow', { workflow: 'slow', wait_s: 0 });
  const run = runOf(started);
  assert.deepEqual(started, { content: { run, workflow: 'slow', state: 'starting', done: 0 }, isError: false });
  await exists(host, 'ready');
  assert.deepEqual(await host.call('get_run', { run }), {
    content: { run, workflow: 'slow', state: 'running', done: 1, step: 'step_2', output: 'ready' },
    isError: false,
  });
  const ended = host.call('get_run', { run, wait_s: 50 });
  writeFileSync(join(host.cwd, 'go'), '');
  assert.deepEqual((await ended).content, { run, workflow: 'slow', state: 'succeeded', done: 3 });
});

test('cancel_run interrupts a run of an agent, whose hooks run, and no other run', async (t) => {
  const host = await slowHost(t);
  const run = runOf(await host.call('run_workflow', { workflow: 'slow', wait_s: 0 }));
  await exists(host, 'ready');
  const cancelled = await host.call('cancel_run', { run });
  assert.deepEqual(
    [Object(cancelled.content).state, existsSync(join(host.cwd, 'error.txt')), existsSync(join(host.cwd, 'after.txt'))],
    ['interrupted', true, false],
  );
  const short = run.slice(-5);
  assert.deepEqual((await host.call('get_run', { run: short })).content, cancelled.content);
  assert.equal(Object((await host.call('resume_run', { run: short, wait_s: 0 })).content).error, undefined);
  await host.call('cancel_run', { run: short });
  assert.deepEqual(await host.call('cancel_run', { run: short }), {
    content: { error: 'ended', message: `run ${run} is not running` },
    isError: true,
  });
  assert.equal(Object((await host.call('cancel_run', { run: '../runs' })).content).error, 'unknown');
  await cli(['run', 'quick'], { cwd: host.cwd, env: { CLI_NO_JOURNAL: undefined } });
  const { run: typed } = recordedRuns(host.cwd).at(-1) ?? {};
  assert.deepEqual(await host.call('cancel_run', { run: typed }), {
    content: { error: 'denied', message: `no agent has started run ${typed}` },
    isError: true,
  });
});

/** Calls a tool, and withdraws the call once a file is there. */
async function withdraw(host: Host, workflow: string, file: string): Promise<void> {
  const controller = new AbortController();
  const call = host.call('run_workflow', { workflow, wait_s: 50 }, { signal: controller.signal });
  const refused = assert.rejects(call);
  await exists(host, file);
  controller.abort();
  await refused;
}

for (const [workflow, file] of [
  ['slow', 'ready'],
  ['again', 'tried'],
] as const) {
  test(`a call that is withdrawn interrupts its run, here of workflow ${workflow}`, async (t) => {
    const host = await slowHost(t);
    await withdraw(host, workflow, file);
    const [recorded] = recordedRuns(host.cwd);
    const { content } = await host.call('get_run', { run: recorded?.run, wait_s: 50 });
    assert.equal(Object(content).state, 'interrupted');
    assert.deepEqual([existsSync(join(host.cwd, 'error.txt')), existsSync(join(host.cwd, 'after.txt'))], [true, false]);
  });
}

test('a call that is withdrawn while a person is asked starts nothing; one of get_run leaves the run alone', async (t) => {
  const controller = new AbortController();
  const answer = async (): Promise<{ action: 'accept'; content: { run: boolean } }> => {
    controller.abort();
    return { action: 'accept', content: { run: true } };
  };
  const host = await slowHost(t, { era: '2025-11-25', answer });
  await assert.rejects(host.call('run_workflow', { workflow: 'asks' }, { signal: controller.signal }));
  const run = runOf(await host.call('run_workflow', { workflow: 'slow', wait_s: 0 }));
  await exists(host, 'ready');
  const waiting = new AbortController();
  const call = assert.rejects(host.call('get_run', { run, wait_s: 50 }, { signal: waiting.signal }));
  waiting.abort();
  await call;
  assert.equal(Object((await host.call('get_run', { run })).content).state, 'running');
  assert.equal(recordedRuns(host.cwd).length, 1);
});

test('eight runs go on at once; a further one is refused, and nothing of it is recorded', async (t) => {
  const host = await slowHost(t);
  const calls = Array.from({ length: 40 }, () => host.call('run_workflow', { workflow: 'slow', wait_s: 0 }));
  const results = (await Promise.all(calls)).map(({ content }) => Object(content));
  const started = results.filter(({ state }) => state === 'starting');
  assert.equal(started.length, 8);
  assert.equal(new Set(started.map(({ run }) => run)).size, 8);
  assert.deepEqual([...new Set(results.filter(({ run }) => run === undefined).map(({ error }) => error))], ['busy']);
  writeFileSync(join(host.cwd, 'go'), '');
  for (const { run } of started)
    assert.equal(Object((await host.call('get_run', { run, wait_s: 50 })).content).state, 'succeeded');
  assert.equal(recordedRuns(host.cwd).length, 8);
  assert.equal((await host.call('run_workflow', { workflow: 'quick' })).isError, false);
});

test('four questions at once are answered one by one, and each approves its own run', async (t) => {
  for (const era of ['2026-07-28', '2025-11-25'] as const) {
    const host = await connectHere(t, workflowDirectory(t, FILE), {
      era,
      answer: () => ({ action: 'accept', content: { run: true } }),
    });
    const results = await Promise.all([1, 2, 3, 4].map(() => host.call('run_workflow', { workflow: 'asks' })));
    assert.deepEqual(
      results.map(({ content }) => Object(content).state),
      ['succeeded', 'succeeded', 'succeeded', 'succeeded'],
    );
    assert.equal(new Set(results.map(runOf)).size, 4);
  }
});

for (const end of ['the host closes the connection', 'the server is killed'] as const) {
  test(`a run goes on if ${end}`, async (t) => {
    const host = await connectHost(t, workflowDirectory(t, FILE));
    const run = runOf(await host.call('run_workflow', { workflow: 'slow', wait_s: 0 }));
    await exists(host, 'ready');
    const { pid } = host;
    if (end === 'the server is killed') process.kill(pid, 'SIGKILL');
    else await host.client.close();
    await until(
      () => isGone(pid),
      () => 'the end of the server',
    );
    writeFileSync(join(host.cwd, 'go'), '');
    assert.equal(await endedRun(host.cwd, run), 'succeeded');
    assert.ok(existsSync(join(host.cwd, 'after.txt')));
  });
}

test('a run goes on if the host is killed: nothing reads the answers of the server, which ends with 0', async (t) => {
  const wire = new Wire(t, workflowDirectory(t, FILE));
  wire.send(...HANDSHAKE, toolCall(1, 'run_workflow', { workflow: 'slow', wait_s: 50 }));
  await until(
    () => existsSync(join(wire.cwd, 'ready')),
    () => 'ready',
  );
  wire.child.stdout.destroy();
  wire.child.stdin.destroy();
  assert.deepEqual(await wire.ended, [0, null]);
  writeFileSync(join(wire.cwd, 'go'), '');
  const [{ run } = { run: '' }] = recordedRuns(wire.cwd);
  assert.equal(await endedRun(wire.cwd, run), 'succeeded');
});

test('without a journal, nothing starts', async (t) => {
  for (const [env, expected] of [
    [{ CLI_NO_JOURNAL: '1' }, 'runs are not recorded here: CLI_NO_JOURNAL is set'],
    [{ CLI_RUNS_DIR: '/dev/null/runs' }, undefined],
  ] as const) {
    const host = await slowHost(t, { env });
    const { content, isError } = await host.call('run_workflow', { workflow: 'asks' });
    assert.deepEqual([isError, existsSync(join(host.cwd, 'after.txt'))], [true, false]);
    if (expected !== undefined) assert.deepEqual(content, { error: 'invalid', message: expected });
  }
});
