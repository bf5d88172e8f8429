import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { both } from '../support/export/both.ts';
import { needs } from '../support/needs.ts';
import { step, waitFor } from '../support/processes/bench.ts';
import { LINUX } from '../support/processes/shell.ts';
import { until } from '../support/until.ts';
import { call } from '../support/workflow.ts';

const say = (text: string): string => `echo ${text} >>log`;

/** Workflows of which a hook of the inner one waits for a signal. */
const waitingHook = (hook: string): object => ({
  x: { error: say('x-error'), finally: say('x-finally'), steps: [call('inner'), say('later')] },
  inner: { error: say('error'), finally: say('finally'), [hook]: step('a'), steps: ['false'] },
});

describe('an exported script and a run do the same with hooks of workflows', { ...LINUX, ...needs('python3') }, () => {
  for (const hook of ['error', 'finally']) {
    test(`when a signal arrives in the command of '${hook}'`, async (t) => {
      const logs = await both(t, waitingHook(hook), async ({ pid, ended }, subject) => {
        await subject.logged('a ready');
        process.kill(pid, 'SIGTERM');
        assert.equal((await ended).signal, 'SIGTERM');
      });
      const inner = hook === 'error' ? ['a ready', 'a got SIGTERM', 'finally'] : ['error', 'a ready', 'a got SIGTERM'];
      const expected = [...inner, 'x-error', 'x-finally'];
      assert.deepEqual(logs, [expected, expected]);
    });
  }

  test('when a second signal arrives in the command of a hook', async (t) => {
    const workflows = {
      x: { finally: say('never'), steps: [call('inner')] },
      inner: { error: step('a', 'ignores'), finally: say('never'), steps: ['false'] },
    };
    const logs = await both(t, workflows, async ({ pid, ended }, subject) => {
      await subject.logged('a ready');
      process.kill(pid, 'SIGTERM');
      const sent = performance.now();
      await subject.logged('a got SIGTERM');
      // Signals within 300 ms count as one.
      await until(
        () => performance.now() - sent > 400,
        () => 'time passes',
      );
      process.kill(pid, 'SIGTERM');
      assert.equal((await ended).signal, 'SIGTERM');
    });
    const expected = ['a ready', 'a got SIGTERM'];
    assert.deepEqual(logs, [expected, expected]);
  });

  test('when fail_fast cancels members of nested groups', async (t) => {
    const names = ['a', 'b'];
    const fails = `${names.map((name) => waitFor(`${name} ready`)).join('; ')}; exit 3`;
    const member = (name: string): object => ({
      error: say(`error-${name}`),
      finally: say(`finally-${name}`),
      steps: [step(name), say('later')],
    });
    const inner = { max_parallel: 1, parallel: [call('b'), call('unstarted')] };
    const workflows = {
      x: {
        finally: say('x-finally'),
        steps: [{ fail_fast: true, parallel: [call('bad'), call('a'), call('nested')] }],
      },
      nested: { error: say('error-nested'), finally: say('finally-nested'), steps: [inner, say('later')] },
      bad: { error: say('error-bad'), finally: say('finally-bad'), steps: [fails] },
      unstarted: { finally: say('never'), steps: ['true'] },
      a: member('a'),
      b: member('b'),
    };
    const logs = await both(t, workflows, async ({ ended }) => assert.equal((await ended).code, 1));
    const hooks = ['a', 'b', 'bad', 'nested'].flatMap((name) => [`error-${name}`, `finally-${name}`]);
    const expected = [...names.flatMap((name) => [`${name} got SIGTERM`, `${name} ready`]), ...hooks, 'x-finally'];
    for (const log of logs) {
      assert.deepEqual(log.toSorted(), expected.toSorted());
      assert.equal(log.at(-1), 'x-finally');
      assert.ok(log.indexOf('finally-b') < log.indexOf('error-nested'), log.join(', '));
    }
  });
});
