import assert from 'node:assert/strict';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { workflowDirectory } from '../support/cli.ts';
import { ownPostgres } from '../support/remote/postgres.ts';
import { engineWith, needsPostgres, remoteCli, startClient, startWorker } from '../support/remote/workers.ts';
import { until } from '../support/until.ts';

const server = ownPostgres();
const LIMITED = needsPostgres();

const STEPS = [
  'echo a >> ran',
  'touch held; until [ -e go ]; do sleep 0.1; done; echo b >> ran',
  'echo c >> ran; echo end',
];

for (const how of ['stop', 'crash'] as const) {
  test(`a run, its worker and its client survive a ${how} of the server`, LIMITED, async (t) => {
    const cwd = workflowDirectory(t, { workflows: { main: { steps: STEPS } } });
    const worker = await startWorker(t, server(), cwd);
    const client = startClient(['workflow', 'run', 'main', '--on', server().url, '-q'], cwd);
    await until(
      () => existsSync(join(cwd, 'held')),
      () => 'the second step is running',
    );
    await server()[how]();
    await client.says('cli: the connection to the database is lost; the run continues, trying again\n');
    await worker.says('cli: cannot reach the database ');
    assert.match(worker.stderr(), /^cli: cannot reach the database postgres:.*; trying again$/m);
    // The step ends meanwhile, and the next one waits until its result is stored.
    writeFileSync(join(cwd, 'go'), '');
    await server().start();
    const { code, stderr } = await client.ended;
    assert.equal(code, 0, stderr);
    assert.ok(stderr.includes('cli: the database is back\n'), stderr);
    assert.equal(readFileSync(join(cwd, 'ran'), 'utf8'), 'a\nb\nc\n');
    await worker.says('cli: the database is back\n');
    worker.child.kill('SIGTERM');
    assert.equal((await worker.ended).code, 0);
  });
}

test('a client gives up waiting for an unavailable database, and the run continues', LIMITED, async (t) => {
  const cwd = workflowDirectory(t, { workflows: { main: { steps: STEPS } } });
  await startWorker(t, server(), cwd);
  const line = ['workflow', 'run', 'main', '--on', server().url, '--id', 'left', '-q'];
  const client = startClient(line, cwd, engineWith(t, { patience: 4 }));
  await until(
    () => existsSync(join(cwd, 'held')),
    () => 'the second step is running',
  );
  await server().stop();
  const { code, stdout, stderr } = await client.ended;
  await server().start();
  assert.deepEqual({ code, stdout }, { code: 75, stdout: '' });
  assert.ok(stderr.endsWith('cli: to see how it ended: cli runs wait left\n'), stderr);
  writeFileSync(join(cwd, 'go'), '');
  assert.equal((await remoteCli(line, cwd)).code, 0);
  assert.equal(readFileSync(join(cwd, 'ran'), 'utf8'), 'a\nb\nc\n');
});
