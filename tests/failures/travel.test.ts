import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { COMMAND, temporaryDirectory, workflowDirectory } from '../support/cli.ts';
import { query } from '../support/remote/database.ts';
import { sharedPostgres } from '../support/remote/postgres.ts';
import { ENGINE, needsPostgres, remoteCli, startWorker } from '../support/remote/workers.ts';

const server = sharedPostgres();
const LIMITED = needsPostgres();

test('a worker takes no plan of another format', LIMITED, async (t) => {
  const cwd = workflowDirectory(t, { workflows: { main: { steps: ['echo "$CLI_REMOTE_RUN" >> ran'] } } });
  const { url } = server();
  const line = ['workflow', 'run', 'main', '--on', url, '-q', '--id'];
  await remoteCli([...line, 'other', '--detach'], cwd);
  const renamed = `UPDATE workflow_plan.workflow_status SET application_version = 'plan-999'
    WHERE workflow_uuid = 'other' AND application_version <> 'plan-999' RETURNING application_version`;
  assert.equal((await query(url, renamed)).length, 1);
  await startWorker(t, server(), cwd);
  assert.equal((await remoteCli([...line, 'own'], cwd)).code, 0);
  assert.equal(readFileSync(join(cwd, 'ran'), 'utf8'), 'own\n');
  const { stdout } = await remoteCli(['workflow', 'runs', 'show', 'other', '--on', url], cwd);
  assert.match(stdout, /"state":"queued"/);
});

test('8 MiB of output that is no text arrive byte for byte', LIMITED, async (t) => {
  const bytes = Buffer.from(Array.from({ length: 8 * 2 ** 20 }, (_, index) => (index * 7 + (index >> 8)) % 256));
  const cwd = workflowDirectory(t, { workflows: { main: { steps: ['cat bytes'] } } });
  const directory = temporaryDirectory(t);
  writeFileSync(join(directory, 'bytes'), bytes);
  await startWorker(t, server(), directory);
  const printed = await stderrOf(['workflow', 'run', 'main', '--on', server().url, '--id', 'bytes', '-q'], cwd);
  const first = 'cli: run bytes is queued\n';
  assert.equal(printed.subarray(0, first.length).toString(), first);
  assert.ok(printed.subarray(first.length).equals(bytes), `${printed.length} bytes`);
});

/** The bytes that cli writes to standard error. */
async function stderrOf(args: readonly string[], cwd: string): Promise<Buffer> {
  const path = join(cwd, 'stderr');
  const descriptor = openSync(path, 'w');
  const [file, ...words] = COMMAND;
  const env = { ...process.env, CLI_ENGINE: ENGINE };
  const child = spawn(file, [...words, ...args], { cwd, env, stdio: ['ignore', 'ignore', descriptor] });
  closeSync(descriptor);
  await once(child, 'close');
  return readFileSync(path);
}

/** The prefix of every secret. */
const MARK = 'S3cr3t';

/** Workflows with secrets that a run would store, by the name that the refusal mentions. */
const REFUSED = {
  GLOBAL_TOKEN: { file: { env: { GLOBAL_TOKEN: MARK }, workflows: { main: { steps: ['true'] } } }, params: [] },
  DB_PASSWORD: { file: { workflows: { main: { env: { DB_PASSWORD: MARK }, steps: ['true'] } } }, params: [] },
  API_KEY: { file: { workflows: { main: { steps: [{ run: 'true', with: { API_KEY: MARK } }] } } }, params: [] },
  CALLED_SECRET: {
    file: {
      workflows: {
        main: { steps: [{ workflow: 'called', with: { CALLED_SECRET: MARK } }] },
        called: { steps: ['true'] },
      },
    },
    params: [],
  },
  PIN: {
    file: { workflows: { main: { inputs: { PIN: { secret: true } }, steps: ['test "$PIN"'] } } },
    params: [`PIN:${MARK}`],
  },
  RELEASE_JWT: { file: { workflows: { main: { steps: ['test "$RELEASE_JWT"'] } } }, params: [`RELEASE_JWT:${MARK}`] },
} as const;

test('no table holds a secret after runs with secrets in all places', LIMITED, async (t) => {
  const { url } = server();
  const used = workflowDirectory(t, {
    env: { COPY_TOKEN: '${vars.WORKER_TOKEN}' },
    dotenv: '.env',
    workflows: {
      main: {
        inputs: { PIN: { secret: true } },
        steps: ['test "$COPY_TOKEN" = "$WORKER_TOKEN"', 'test "$DOTENV_TOKEN" && test "$PIN"'],
      },
    },
  });
  writeFileSync(join(used, '.env'), `DOTENV_TOKEN=${MARK}\nPIN=${MARK}\n`);
  const env = { WORKER_TOKEN: MARK };
  await startWorker(t, server(), used, { env });
  const run = ['workflow', 'run', 'main', '--on', url, '--debug'];
  const { code, stderr } = await remoteCli(run, used, env);
  assert.equal(code, 0, stderr);
  for (const [name, { file, params }] of Object.entries(REFUSED)) {
    const refusal = `cli: '${name}' looks like a secret and would be stored in the database; set it in the worker's environment\n`;
    const result = await remoteCli([...run, ...params], workflowDirectory(t, file));
    assert.equal(result.code, 2);
    assert.ok(result.stderr.endsWith(refusal), result.stderr);
    assert.equal(result.stdout, '');
  }
  const stored = await storedTexts(url);
  assert.ok(
    stored.some((text) => text.includes('COPY_TOKEN')),
    'the plan is among the texts',
  );
  assert.ok(
    stored.some((text) => text.includes('gets COPY_TOKEN (global env)')),
    'the output is among the texts',
  );
  assert.deepEqual(
    stored.filter((text) => text.includes(MARK)),
    [],
  );
});

/** All rows of all tables as texts, and the output of runs, which is stored in another encoding. */
async function storedTexts(url: string): Promise<readonly string[]> {
  const tables = await query(url, "SELECT tablename AS name FROM pg_tables WHERE schemaname = 'workflow_plan'");
  const rows = await Promise.all(
    tables.map(({ name }) => query(url, `SELECT each::text AS text FROM workflow_plan."${String(name)}" AS each`)),
  );
  const texts = rows.flat().map(({ text }) => String(text));
  const pieces = await query(url, 'SELECT value FROM workflow_plan.streams');
  const output = pieces.map(({ value }) => Buffer.from(String(JSON.parse(String(value))), 'base64').toString());
  return [...texts, ...output];
}
