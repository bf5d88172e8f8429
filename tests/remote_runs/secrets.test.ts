import assert from 'node:assert/strict';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { CanaryFiles, MARK } from '../support/canaries/random_canaries.ts';
import { workflowDirectory } from '../support/cli.ts';
import { random } from '../support/random/random.ts';
import { query } from '../support/remote/database.ts';
import { note, ranIn } from '../support/remote/executions.ts';
import { sharedPostgres } from '../support/remote/postgres.ts';
import { needsPostgres, remoteCli, startWorker } from '../support/remote/workers.ts';

const server = sharedPostgres();
const LIMITED = needsPostgres();

/** All rows of all tables of the database, as text. */
async function dump(url: string): Promise<string> {
  const tables = await query(
    url,
    "SELECT format('%I.%I', table_schema, table_name) AS name FROM information_schema.tables WHERE table_type = 'BASE TABLE' AND table_schema = 'workflow_plan'",
  );
  const rows = await Promise.all(tables.map(({ name }) => query(url, `SELECT t::text AS row FROM ${String(name)} t`)));
  return rows
    .flat()
    .map(({ row }) => String(row))
    .join('\n');
}

test('a worker fetches the secrets of a run, and the database contains no value', LIMITED, async (t) => {
  const cwd = workflowDirectory(t, {
    secrets: { KEY: { command: ['cat', 'key'] } },
    workflows: {
      main: {
        steps: [
          { name: 'give', run: `${note('give')}; echo "<$KEY>"`, secrets: ['KEY'], outputs: { TEXT: 'text' } },
          { name: 'hold', run: `${note('hold')}; test -e fixed` },
          { name: 'use', run: note('"use ${steps.give.TEXT}"'), allow_failure: true },
        ],
      },
    },
  });
  const { url } = server();
  // The variables of the client are not those of the worker.
  const run = async (...words: string[]) =>
    remoteCli(['workflow', ...words, '--on', url], cwd, { KEY: 'of-the-client' });
  await startWorker(t, server(), cwd);
  const unstarted = await run('run', 'main', '--id', 'secret', '-q');
  assert.deepEqual([unstarted.code, unstarted.stdout, ranIn(cwd)], [2, '', '']);
  assert.ok(
    unstarted.stderr.endsWith("cli: secret 'KEY': 'cat' failed with exit code 1\ncli: nothing was started\n"),
    unstarted.stderr,
  );
  assert.equal(JSON.parse((await run('runs', 'show', 'secret')).stdout).state, 'failed');

  writeFileSync(join(cwd, 'key'), 'hush-of-the-worker\n');
  const failed = await run('runs', 'resume', 'secret');
  assert.deepEqual(
    [failed.code, JSON.parse(failed.stdout).steps[0].outputs, ranIn(cwd)],
    [1, { TEXT: '***' }, 'give hold'],
  );

  writeFileSync(join(cwd, 'fixed'), '');
  const resumed = await run('runs', 'resume', 'secret');
  const [give, hold, use] = JSON.parse(resumed.stdout).steps;
  assert.deepEqual([give.kept, hold.exit_code, ranIn(cwd)], [true, 0, 'give hold hold']);
  assert.deepEqual(
    [resumed.code, use.exit_code, use.error],
    [0, 126, '${steps.give.TEXT} has no value, because a secret output is not recorded'],
  );

  const rows = await dump(url);
  assert.ok(rows.includes(note('hold')), rows);
  for (const value of ['hush', 'of-the-client']) {
    const encoded = Buffer.from(value).toString('base64').slice(0, -4);
    assert.deepEqual([rows.includes(value), rows.includes(encoded)], [false, false]);
  }
});

/** Two random files, or one in twenty of CANARIES. */
const FILES = Math.ceil(Number(process.env['CANARIES'] ?? 40) / 20);
const SEED = Number(process.env['FUZZ_SEED'] ?? 1);

test(
  `the database has no secret of ${FILES} random files that a worker runs (from FUZZ_SEED=${SEED})`,
  LIMITED,
  async (t) => {
    const cwd = workflowDirectory(t, {});
    const { url } = server();
    mkdirSync(join(cwd, 'values'));
    await startWorker(t, server(), cwd);
    for (let seed = SEED; seed < SEED + FILES; seed += 1) {
      const { file, files } = new CanaryFiles(random(seed)).create();
      rmSync(join(cwd, 'fixed'), { force: true });
      writeFileSync(join(cwd, '.cli/workflow.json'), JSON.stringify(file));
      for (const [path, content] of Object.entries(files)) writeFileSync(join(cwd, path), content);
      const id = `canary-${seed}`;
      const { code } = await remoteCli(['workflow', 'run', 'ci', '--id', id, '-q', '--on', url], cwd);
      writeFileSync(join(cwd, 'fixed'), '');
      if (code !== 0) await remoteCli(['workflow', 'runs', 'resume', id, '-q', '--on', url], cwd);
      const rows = await dump(url);
      assert.deepEqual([rows.includes(id), rows.includes(MARK)], [true, false], `seed ${seed}`);
    }
  },
);
