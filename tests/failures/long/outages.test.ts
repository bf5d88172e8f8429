import assert from 'node:assert/strict';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { workflowDirectory } from '../../support/cli.ts';
import { ownPostgres } from '../../support/remote/postgres.ts';
import { needsPostgres, remoteCli, start, startWorker } from '../../support/remote/workers.ts';
import { until } from '../../support/until.ts';

const server = ownPostgres();
const LIMITED = { ...needsPostgres(), timeout: 300_000 };

/** The length of an outage, and the time in which runs must go on after it; in milliseconds. */
const [OUTAGE, LIMIT] = [30_000, 60_000];

const STEPS = [
  'echo a >> ran',
  'touch held; until [ -e go ]; do sleep 0.1; done; echo b >> ran',
  'echo c >> ran',
  'echo d >> ran',
];

const OUTAGES: Readonly<Record<string, readonly [begin: () => unknown, end: () => unknown]>> = {
  stopped: [() => server().stop(), () => server().start()],
  crashed: [() => server().crash(), () => server().start()],
  suspended: [() => server().pause(), () => server().resume()],
};

for (const [what, [begin, end]] of Object.entries(OUTAGES)) {
  test(`a run goes on within a minute after its server was ${what} for half a minute`, LIMITED, async (t) => {
    const cwd = workflowDirectory(t, { workflows: { main: { steps: STEPS } } });
    for (const name of ['one', 'two']) await startWorker(t, server(), cwd, { flags: ['--name', name] });
    const client = start(t, ['workflow', 'run', 'main', '--on', server().url, '--id', what, '-q'], cwd);
    await until(
      () => existsSync(join(cwd, 'held')),
      () => 'the second step runs',
    );
    await begin();
    writeFileSync(join(cwd, 'go'), '');
    await client.says('cli: the connection to the database is lost; the run continues, trying again\n');
    await delay(OUTAGE);
    await end();
    const back = performance.now();
    const { code, stderr } = await client.ended;
    const milliseconds = performance.now() - back;
    assert.equal(code, 0, stderr);
    assert.ok(milliseconds <= LIMIT, `${milliseconds} ms`);
    t.diagnostic(`goes on and ends ${Math.round(milliseconds)} ms after`);
    assert.equal(readFileSync(join(cwd, 'ran'), 'utf8'), 'a\nb\nc\nd\n');
    const { stdout } = await remoteCli(['workflow', 'runs', 'show', what, '--on', server().url], cwd);
    assert.match(stdout, /"takeovers":0/);
  });
}
