import assert from 'node:assert/strict';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { workflowDirectory } from '../../support/cli.ts';
import { isAlive } from '../../support/processes/processes.ts';
import { createProxy, type Proxy } from '../../support/remote/proxy.ts';
import { ownPostgres } from '../../support/remote/postgres.ts';
import { needsPostgres, start, startWorker, type Running } from '../../support/remote/workers.ts';
import { until } from '../../support/until.ts';

const server = ownPostgres();
const LIMITED = { ...needsPostgres(), timeout: 120_000 };

/** The lease of the workers in tests, in seconds. */
const LEASE = 5;

/** The ways to lose a worker, and the time limits for the takeover, in milliseconds. */
const LOSSES: Readonly<Record<string, readonly [lose: (worker: Running, network: Proxy) => unknown, limit: number]>> = {
  killed: [({ child }) => child.kill('SIGKILL'), 6000],
  suspended: [({ child }) => child.kill('SIGSTOP'), (LEASE + 6) * 1000],
  'cut off': [(_, network) => network.cut(), (LEASE + 6) * 1000],
};

for (const [how, [lose, limit]] of Object.entries(LOSSES)) {
  test(`a run is taken over in time after its worker was ${how}`, LIMITED, async (t) => {
    const step = 'trap "" TERM; echo $$ >> pids; until [ -e go ]; do sleep 0.1; done';
    const cwd = workflowDirectory(t, { workflows: { main: { steps: [step] } } });
    const path = join(cwd, 'pids');
    const pids = (): readonly number[] =>
      existsSync(path) ? readFileSync(path, 'utf8').split('\n').slice(0, -1).map(Number) : [];
    const flags = ['--tag', how.replace(' ', '-')];
    const network = await createProxy(t, server().url);
    const first = await startWorker(t, { ...server(), url: network.url }, cwd, { flags, lease: LEASE });
    const client = start(t, ['workflow', 'run', 'main', '--on', server().url, ...flags, '-q'], cwd);
    await until(
      () => pids().length === 1,
      () => client.stderr(),
    );
    await startWorker(t, server(), cwd, { flags, lease: LEASE });
    // Workers look for lost ones once they have been connected for three seconds.
    await delay(3500);
    lose(first, network);
    const lost = performance.now();
    if (how === 'killed') {
      await until(
        () => !isAlive(pids()[0] ?? 0),
        () => 'the step has ended',
      );
      const ended = performance.now() - lost;
      t.diagnostic(`the step ended after ${Math.round(ended)} ms`);
      assert.ok(ended <= 1000, `the step ended after ${ended} ms`);
    }
    await until(
      () => pids().length === 2,
      () => client.stderr(),
    );
    const taken = performance.now() - lost;
    t.diagnostic(`the run was taken over after ${Math.round(taken)} ms`);
    assert.ok(taken <= limit, `taken over after ${taken} ms`);
    writeFileSync(join(cwd, 'go'), '');
    assert.equal((await client.ended).code, 0);
  });
}
