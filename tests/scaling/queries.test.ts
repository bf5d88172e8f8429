import assert from 'node:assert/strict';
import { test } from 'node:test';
import { workflowDirectory } from '../support/cli.ts';
import { query } from '../support/remote/database.ts';
import { blocksIn } from '../support/remote/scaling_page.ts';
import { sharedPostgres } from '../support/remote/postgres.ts';
import { needsPostgres, remoteCli, start, startWorker } from '../support/remote/workers.ts';

const server = sharedPostgres();

test('the queries of docs/scaling.md return the described rows', needsPostgres(), async (t) => {
  const queries = blocksIn('Queries', 'sql');
  const [running = '', waiting = '', workers = '', statistics = '', ...others] = queries;
  assert.deepEqual(others, []);
  const ask = (text: string): ReturnType<typeof query> => query(server().url, text);
  const cwd = workflowDirectory(t, {
    workflows: {
      good: { steps: ['true', { name: 'slow', run: 'sleep 0.3' }] },
      bad: { steps: ['exit 3'] },
      long: { steps: ['echo ready; sleep 60'] },
    },
  });
  await startWorker(t, server(), cwd, { flags: ['--name', 'here', '--tag', 'mac', '--untagged', '--jobs', '2'] });
  const line = (name: string, ...more: readonly string[]): string[] => [
    'run',
    name,
    '--on',
    server().url,
    '-q',
    ...more,
  ];
  for (const name of ['good', 'good', 'bad']) await remoteCli(line(name), cwd);
  const client = start(t, line('long', '--id', 'long'), cwd);
  await client.says('ready');
  for (const tag of ['gpu', 'gpu', 'arm']) await remoteCli(line('good', '--tag', tag, '--detach'), cwd);
  // Takeovers before a resume count, too.
  await ask(`UPDATE workflow_plan.workflow_status
    SET attributes = attributes || '{"resumed": {"starts": [], "takeovers": 2, "fence": 3}}' WHERE workflow_uuid = 'long'`);
  const [entry = {}, ...rest] = await ask(running);
  assert.deepEqual(
    [entry['run'], entry['workflow'], entry['worker'], entry['takeovers']],
    ['long', 'long', 'here', '2'],
  );
  assert.ok(entry['started'] instanceof Date);
  assert.deepEqual(rest, []);
  assert.deepEqual(
    (await ask(waiting)).map(({ tag, waits_for, runs }) => ({ tag, waits_for, runs })),
    [
      { tag: 'gpu', waits_for: 'run', runs: '2' },
      { tag: 'arm', waits_for: 'run', runs: '1' },
    ],
  );
  assert.deepEqual(
    (await ask(workers)).map(({ application_name }) => application_name),
    ['workflow-plan worker 2 runs +mac here'],
  );
  const all = await ask(statistics);
  assert.deepEqual(
    all.map(({ workflow, runs, failed }) => ({ workflow, runs, failed })),
    [
      { workflow: 'good', runs: '2', failed: '0' },
      { workflow: 'bad', runs: '1', failed: '1' },
    ],
  );
  for (const { waited, took } of all) assert.ok(Number(waited) >= 0 && Number(took) > 0);
});
