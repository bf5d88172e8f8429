import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { describe, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import type { ProcessTree } from '../../src/backend/process/end_process_tree.ts';
import { startTimeout } from '../../src/backend/process/timeout.ts';
import { sleepSync } from '../../src/backend/system/sleep.ts';
import { until } from '../support/until.ts';

describe('a time limit', () => {
  test('a time limit uses a monotonic clock', async (t) => {
    const start = performance.now();
    const [day, asked]: [number, number[]] = [86_400_000, []];
    let now = Date.now();
    t.mock.method(Date, 'now', () => (now += day));
    const limit = startTimeout(recording(asked), 200);
    await until(
      () => asked.length > 0,
      () => 'the tree receives a signal',
    );
    assert.equal(await limit.ended(), 'timed out');
    assert.equal(asked.length, 1);
    assert.ok((asked[0] ?? 0) - start >= 199);
  });

  test('time during which cli is blocked by a reader does not count', async () => {
    const asked: number[] = [];
    const exited = once(spawn('true'), 'exit');
    const limit = startTimeout(recording(asked), 200);
    sleepSync(1000);
    await exited;
    assert.equal(await limit.ended(), undefined);
    assert.deepEqual(asked, []);
  });

  test('processes have 5 seconds from the moment at which all have received the signal', async () => {
    let [received, killed] = [0, 0];
    const limit = startTimeout(
      {
        signal: () => {
          sleepSync(2000);
          received = performance.now();
        },
        isEmpty: () => killed > 0,
        killOverdue: () => undefined,
        kill: () => (killed ||= performance.now()),
      },
      10,
    );
    await until(
      () => received > 0,
      () => 'the tree receives a signal',
    );
    assert.equal(await limit.ended(), 'timed out');
    assert.ok(killed - received >= 4999, `${killed - received} ms`);
  });

  test('a limit of 24 hours does not fire at once, and none fires after the end of the command', async () => {
    for (const milliseconds of [86_400_000, 100]) {
      const asked: number[] = [];
      const limit = startTimeout(recording(asked), milliseconds);
      if (milliseconds > 100) await delay(50);
      assert.equal(await limit.ended(), undefined);
      await delay(150);
      assert.deepEqual(asked, []);
    }
  });
});

/** An empty tree that records the time of each signal. */
function recording(asked: number[]): ProcessTree {
  return {
    signal: () => asked.push(performance.now()),
    isEmpty: () => true,
    killOverdue: () => undefined,
    kill: () => assert.fail('killed'),
  };
}
