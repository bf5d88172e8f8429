import assert from 'node:assert/strict';
import { test } from 'node:test';
import { execute } from '../../src/backend/execute.ts';
import type { Exit } from '../../src/backend/command_runner.ts';
import { turn } from '../../src/backend/system/sleep.ts';
import { call } from '../support/workflow.ts';
import { compiled } from '../support/plans.ts';
import { branching } from '../support/random/branching.ts';

/** Runs a workflow `ci`. The commands `NAME TURNS CODE` take some turns of the event loop. Returns starts and ends. */
async function timed(workflows: object): Promise<readonly string[]> {
  const log: string[] = [];
  const runner = branching({
    interruption: undefined,
    ready: () => Promise.resolve(),
    wait: () => Promise.resolve(),
    async run({ command: text }): Promise<Exit> {
      const [name = '', turns = '0', exit = '0'] = text.split(' ');
      log.push(name);
      for (let left = Number(turns); left > 0; left -= 1) await turn();
      log.push(`${name} ended`);
      return { kind: 'exited', code: Number(exit) };
    },
  });
  const plan = compiled(JSON.stringify({ workflows }), 'ci');
  await execute(plan, runner, { base: new Map(), strict: false, observe: () => undefined });
  return log;
}

test('fail_fast acts at the failure, before the hooks of the failed member', async () => {
  const parallel = [call('bad'), call('good')];
  const log = await timed({
    ci: { steps: [{ fail_fast: true, parallel }] },
    bad: { error: 'error 40 0', steps: ['bad 4 1'] },
    good: { finally: 'finally 40 0', steps: ['one 20 0', 'two 1 0'] },
  });
  const order = ['one', 'bad', 'bad ended', 'error', 'one ended', 'finally', 'error ended', 'finally ended'];
  assert.deepEqual(log.toSorted(), order.toSorted());
  assert.ok(log.indexOf('error') < log.indexOf('one ended') && log.indexOf('finally') < log.indexOf('error ended'));
});

test('the failure of an inner group ends the steps of the outer one before the hooks of the inner one have ended', async () => {
  for (const failFast of [true, false]) {
    const inner = { fail_fast: failFast, parallel: [call('bad'), 'beside 10 0'] };
    const log = await timed({
      ci: { steps: [{ fail_fast: true, parallel: [inner, call('other')] }] },
      bad: { finally: 'clean 60 0', steps: ['bad 2 1'] },
      other: { finally: 'tidy 1 0', steps: ['one 30 0', 'two 30 0'] },
    });
    assert.ok(!log.includes('two'), log.join(', '));
    assert.ok(log.indexOf('tidy') < log.indexOf('clean ended'), log.join(', '));
  }
});
