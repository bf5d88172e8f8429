import assert from 'node:assert/strict';
import { test } from 'node:test';
import { execute } from '../../src/backend/execute.ts';
import { compiled } from '../support/plans.ts';
import { branching } from '../support/random/branching.ts';
import { call, own } from '../support/workflow.ts';

const RUNNER = branching({
  interruption: undefined,
  ready: () => Promise.resolve(),
  wait: () => Promise.resolve(),
  run: () => Promise.resolve({ kind: 'exited', code: 0 }),
});

/** The CPU time for compiling and running a workflow with a number of hooks that run, in microseconds. */
async function timeOf(file: object, count: number): Promise<number> {
  const start = process.cpuUsage();
  const plan = compiled(JSON.stringify(file), 'ci');
  const { hooks } = await execute(plan, RUNNER, { base: new Map(), strict: false, observe: () => undefined });
  const { user } = process.cpuUsage(start);
  assert.equal(hooks.length, count);
  return user;
}

function wide(count: number): object {
  const names = Array.from({ length: count }, (_, index) => `w${index}`);
  const workflows = Object.fromEntries(names.map((name) => [name, own(name, [])]));
  return { workflows: { ...workflows, ci: { steps: names.map((name) => call(name)) } } };
}

function deep(count: number): object {
  const workflows = Array.from({ length: count }, (_, index) => [
    `w${index}`,
    own(`w${index}`, index === 0 ? [] : [call(`w${index - 1}`)]),
  ]);
  return { workflows: { ...Object.fromEntries(workflows), ci: { steps: [call(`w${count - 1}`)] } } };
}

test('hooks of 10,000 calls take time linear in their number, also if the calls are nested', async () => {
  for (const shape of [wide, deep]) {
    await timeOf(shape(100), 100);
    const [few, many] = [await timeOf(shape(1000), 1000), await timeOf(shape(10_000), 10_000)];
    assert.ok(many < 40 * Math.max(few, 5000), `${shape.name}: 1,000 calls take ${few} µs, 10,000 ${many} µs`);
  }
});
