import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as v from 'valibot';
import { cliWithAnnouncements, workflowDirectory } from '../support/cli.ts';
import { check, compile } from '../support/goldens/schemas.ts';
import { refused } from '../support/project.ts';
import { sharedPostgres } from '../support/remote/postgres.ts';
import { needsPostgres, remoteCli, startClient, startWorker } from '../support/remote/workers.ts';

const server = sharedPostgres();
const LIMITED = needsPostgres();

const FILE = {
  error: 'echo error',
  workflows: {
    main: { steps: ['echo one', 'exit 3'] },
    long: { steps: ['echo ready; sleep 60'] },
    発布: { steps: ['true'] },
  },
};

/** The place of each step, and what it has in common with the others. */
const STEP = { file: '.cli/workflow.json', line: 1, duration_ms: 0 };

const Times = v.object({ submitted: v.string(), started: v.string(), ended: v.string() });

test('remote runs can be listed, shown, read and waited for', LIMITED, async (t) => {
  const cwd = workflowDirectory(t, FILE);
  const env = { CLI_ON: server().url };
  await startWorker(t, server(), cwd, { flags: ['--name', 'here'] });
  await remoteCli(['run', 'main', '--on', server().url, '--id', 'bad', '-q'], cwd);
  const list = await remoteCli(['workflow', 'runs', 'list'], cwd, env);
  const entries = v.parse(v.array(v.looseObject({})), JSON.parse(list.stdout));
  check(compile('runs-list'), entries);
  const times = v.parse(Times, entries[0]);
  const { started: start, ended: end } = times;
  const entry = { id: 'bad', workflow: 'main', state: 'failed', worker: 'here', takeovers: 0, ...times, run: 'bad' };
  const took = Date.parse(end) - Date.parse(start);
  assert.deepEqual(entries, [{ ...entry, sessions: 1, start, end, duration_ms: took, step: null }]);
  await remoteCli(['run', '発布', '--on', server().url, '--id', 'wide', '-q'], cwd);
  const table = (await remoteCli(['runs', 'list'], cwd, env)).stdout.split('\n');
  // A wide character has two columns.
  const begins = ['RUN   WORKFLOW  STATE', 'wide  発布      succeeded', 'bad   main      failed', ''];
  assert.deepEqual(
    table.map((row, index) => row.slice(0, begins[index]?.length)),
    begins,
  );
  const shown = await remoteCli(['workflow', 'runs', 'show', 'bad'], cwd, env);
  check(compile('remote-runs-show'), JSON.parse(shown.stdout));
  const Shown = v.looseObject({ ops: v.array(v.looseObject({})), steps: v.array(v.looseObject({})) });
  const { ops, steps, ...rest } = v.parse(Shown, JSON.parse(shown.stdout));
  assert.deepEqual(rest, entry);
  assert.deepEqual(
    steps.map((step) => Object.assign(step, { duration_ms: 0 })),
    [
      { ...STEP, path: 'step_1', name: 'step_1', command: 'echo one', state: 'succeeded', column: 53, exit_code: 0 },
      { ...STEP, path: 'step_2', name: 'step_2', command: 'exit 3', state: 'failed', column: 64, exit_code: 3 },
      { ...STEP, path: 'error', name: 'error', command: 'echo error', state: 'succeeded', column: 10, exit_code: 0 },
    ],
  );
  const text = await remoteCli(['runs', 'show', 'bad', '--format', 'text'], cwd, env);
  assert.equal(
    text.stdout.replaceAll(/\d+(?:\.\d+)? m?s\b|\d+s(?= ago)/g, '<time>'),
    [
      'run bad of workflow main: failed after <time>, <time> ago',
      '  on here',
      '  ✓ step_1 (echo one)  <time>',
      '  ✗ step_2 (exit 3)  exit code 3, <time>',
      '      at .cli/workflow.json:1:64: exit 3',
      '      its output: cli runs logs bad',
      "  ✓ hook 'error'  succeeded, <time>",
      'to continue with exit 3 (finished steps are kept): cli runs resume bad',
      '',
    ].join('\n'),
  );
  assert.deepEqual(
    ops.map(({ op, kind, name, attempt, exit_code }) => ({ op, kind, name, attempt, exit_code })),
    [
      { op: 0, kind: 'step', name: 'step_1', attempt: 1, exit_code: 0 },
      { op: 1, kind: 'step', name: 'step_2', attempt: 1, exit_code: 3 },
      { op: 2, kind: 'hook', name: 'error', attempt: 1, exit_code: 0 },
    ],
  );
  const printed = await remoteCli(['runs', 'logs', 'bad'], cwd, env);
  const waited = await remoteCli(['runs', 'wait', 'bad', '--on', server().url], cwd);
  assert.deepEqual([waited.code, waited.stderr], [1, printed.stdout.replace(/\d+ ms\n/g, '<time>\n')]);
  assert.ok(printed.stdout.startsWith('one\n'), printed.stdout);
  for (const command of ['show', 'logs', 'wait', 'cancel']) {
    const missing = await remoteCli(['runs', command, 'nothing'], cwd, env);
    assert.deepEqual(missing, refused("there is no run 'nothing'"));
  }
  for (const [flag, problem] of [
    ['--last', "'--last' cannot be used with a database"],
    ['bad', "'--report' cannot be used with a database"],
  ] as const) {
    assert.deepEqual(await remoteCli(['runs', 'show', flag, '--report', 'r.html'], cwd, env), refused(problem));
  }
  for (const command of ['show', 'logs']) {
    const unnamed = await remoteCli(['runs', command], cwd, env);
    assert.deepEqual(unnamed, refused('name a run (cli runs --on URL lists them)'));
  }
});

test('runs cancel interrupts a run and waits for its end', LIMITED, async (t) => {
  const cwd = workflowDirectory(t, FILE);
  await startWorker(t, server(), cwd);
  const client = startClient(['workflow', 'run', 'long', '--on', server().url, '--id', 'long', '-q'], cwd);
  await client.says('ready');
  const line = ['workflow', 'runs', 'cancel', 'long', '--on', server().url];
  const Entry = v.object({ run: v.string(), state: v.string() });
  const cancelled = await remoteCli(line, cwd);
  check(compile('remote-runs-show'), JSON.parse(cancelled.stdout));
  assert.deepEqual(v.parse(Entry, JSON.parse(cancelled.stdout)), { run: 'long', state: 'cancelled' });
  assert.equal(cancelled.code, 0);
  assert.equal((await client.ended).signal, 'SIGINT');
  assert.equal((await remoteCli(line, cwd)).code, 1);
});

test('runs resume requires a database', async (t) => {
  const cwd = workflowDirectory(t, FILE);
  assert.deepEqual(
    await cliWithAnnouncements(['runs', 'resume', 'x'], { cwd, env: { CLI_ON: undefined } }),
    refused("'cli runs resume' is for runs on other machines: add --on URL, or use cli resume"),
  );
});
