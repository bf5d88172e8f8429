import assert from 'node:assert/strict';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { workflowDirectory } from '../../support/cli.ts';
import { isAlive } from '../../support/processes/processes.ts';
import { needsPostgres, sharedPostgres, start, startWorker } from '../../support/remote/workers.ts';
import { until } from '../../support/until.ts';

const server = sharedPostgres();
const LIMITED = { ...needsPostgres(), timeout: 120_000 };

/** The lease of the workers in tests, in seconds. */
const LEASE = 5;

/** Signals that a worker does not survive or react to, with the time limits for the takeover, in milliseconds. */
const SIGNALS = { SIGKILL: 6000, SIGSTOP: (LEASE + 6) * 1000 } as const;

for (const signal of ['SIGKILL', 'SIGSTOP'] as const) {
  test(`a run is taken over in time after ${signal} to its worker`, LIMITED, async (t) => {
    const step = 'trap "" TERM; echo $$ >> pids; until [ -e go ]; do sleep 0.05; done';
    const cwd = workflowDirectory(t, { workflows: { main: { steps: [step] } } });
    const path = join(cwd, 'pids');
    const pids = (): readonly number[] =>
      existsSync(path) ? readFileSync(path, 'utf8').split('\n').slice(0, -1).map(Number) : [];
    const first = await startWorker(t, server(), cwd, { flags: ['--tag', signal] });
    const client = start(t, ['workflow', 'run', 'main', '--on', server().url, '--tag', signal, '-q'], cwd);
    await until(
      () => pids().length === 1,
      () => client.stderr(),
    );
    await startWorker(t, server(), cwd, { flags: ['--tag', signal] });
    // Workers look for lost ones once they have been connected for three seconds.
    await delay(3500);
    first.child.kill(signal);
    const lost = performance.now();
    if (signal === 'SIGKILL') {
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
    assert.ok(taken <= SIGNALS[signal], `taken over after ${taken} ms`);
    writeFileSync(join(cwd, 'go'), '');
    assert.equal((await client.ended).code, 0);
  });
}
