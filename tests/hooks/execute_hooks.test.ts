import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Exit } from '../../src/backend/command_runner.ts';
import { record, type Fate } from '../support/random/recording_port.ts';
import { call, own } from '../support/workflow.ts';

const SIGINT = { signal: 'SIGINT', forced: false } as const;
const FORCED = { signal: 'SIGINT', forced: true } as const;
/** Hooks of the file, of `ci` and of `inner`, which `ci` calls between two commands. */
const NESTED = {
  before_all: 'before',
  after_all: 'after',
  error: 'error',
  finally: 'finally',
  workflows: { ci: own('ci', ['one', call('inner'), 'two']), inner: own('inner', ['a', 'b']) },
};

/** What runs if commands end in some way, from the inside out. */
const CASES: Readonly<Record<string, readonly [fates: Record<string, Fate>, ran: string]>> = {
  'nothing fails': [{}, 'before one a b inner finally two ci finally after finally'],
  'a step fails': [{ a: 1 }, 'before one a inner error inner finally ci error ci finally error finally'],
  'a step before the call fails': [{ one: 1 }, 'before one ci error ci finally error finally'],
  'a step after the call fails': [{ two: 1 }, 'before one a b inner finally two ci error ci finally error finally'],
  'an error hook fails, too': [
    { a: 1, 'inner error': 2 },
    'before one a inner error inner finally ci error ci finally error finally',
  ],
  'a finally fails': [{ 'inner finally': 1 }, 'before one a b inner finally ci error ci finally error finally'],
  'the last finally fails': [{ 'ci finally': 1 }, 'before one a b inner finally two ci finally error finally'],
  'before_all fails': [{ before: 1 }, 'before error finally'],
  'after_all fails': [{ after: 1 }, 'before one a b inner finally two ci finally after error finally'],
  'a signal arrives in a step': [
    { b: { code: 0, interruption: SIGINT } },
    'before one a b inner error inner finally ci error ci finally error finally',
  ],
  'a signal arrives in a finally': [
    { 'inner finally': { code: 0, interruption: SIGINT } },
    'before one a b inner finally ci error ci finally error finally',
  ],
  'a second signal arrives in an error hook': [
    { a: 1, 'inner error': { code: 137, interruption: FORCED } },
    'before one a inner error',
  ],
  'a step cannot be started': [
    { b: { kind: 'not started', reason: 'no shell' } },
    'before one a b inner error inner finally ci error ci finally error finally',
  ],
};

for (const [name, [fates, expected]] of Object.entries(CASES)) {
  test(`hooks run from the inside out: ${name}`, async () => {
    const { ran, outcome } = await record(NESTED, fates);
    assert.equal(ran.join(' '), expected);
    assert.equal(outcome.success, name === 'nothing fails');
  });
}

test('a signal before the first step leaves out the hooks of workflows', async () => {
  assert.deepEqual((await record(NESTED, {}, { before: SIGINT })).ran, ['error', 'finally']);
});

test('an allowed failure does not fail the workflow', async () => {
  const steps = [{ run: 'a', allow_failure: true }];
  const { ran } = await record({ workflows: { ci: own('ci', steps) } }, { a: 1 });
  assert.deepEqual(ran, ['a', 'ci finally']);
});

test('a declined step fails its workflow, and a condition that could not be run does with --strict', async () => {
  const declined = await record({ workflows: { ci: own('ci', [{ run: 'a', confirm: 'Really?' }]) } });
  assert.deepEqual(declined.ran, ['ci error', 'ci finally']);
  const file = { workflows: { ci: own('ci', [{ run: 'a', if: 'test -e x' }]) } };
  const strict = await record(file, { 'test -e x': 127 }, { strict: true });
  assert.deepEqual(strict.ran, ['test -e x', 'ci error', 'ci finally']);
  assert.deepEqual((await record(file, { 'test -e x': 127 })).ran, ['test -e x', 'ci finally']);
});

test('a call that its condition skips has no hooks, and an empty workflow has', async () => {
  const steps = [call('empty', { if: 'UNSET' }), call('empty', { if: 'BASE' })];
  const file = { workflows: { ci: { steps }, empty: own('empty', []) } };
  assert.deepEqual((await record(file)).ran, ['empty finally']);
  assert.deepEqual((await record({ workflows: { ci: own('ci', []) } })).ran, ['ci finally']);
});

test('a call after a failure has no hooks, even if it is empty', async () => {
  const file = {
    workflows: {
      ci: { steps: ['a', call('empty'), call('inner')] },
      empty: own('empty', []),
      inner: own('inner', ['b']),
    },
  };
  assert.deepEqual((await record(file, { a: 1 })).ran, ['a']);
});

/** A call with a reference that may have no value. */
function refused(workflow: string): object {
  return call(workflow, { with: { VALUE: '${steps.give.KEY}' } });
}

test('a call whose values are missing has no hooks; its caller has', async () => {
  const giver = { name: 'give', run: 'give', outputs: { KEY: 'text' }, allow_failure: true };
  const file = (inner: object): object => ({
    workflows: {
      ci: own('ci', [call('outer')]),
      outer: own('outer', [giver, refused('inner')]),
      inner,
      deep: own('deep', ['b']),
    },
  });
  const hooks = ['outer error', 'outer finally', 'ci error', 'ci finally'];
  for (const steps of [['a'], [], [call('deep'), 'a']]) {
    assert.deepEqual((await record(file(own('inner', steps)), { give: 1 })).ran, ['give', ...hooks]);
  }
  const inputs = own('inner', ['a'], { inputs: { VALUE: { type: 'choice', options: ['x'] } } });
  const chosen = { ...giver, allow_failure: false };
  const given: Exit = { kind: 'exited', code: 0, outputs: { ok: true, values: [['KEY', 'y']] } };
  const invalid = {
    workflows: { ci: own('ci', [call('outer')]), outer: own('outer', [chosen, refused('inner')]), inner: inputs },
  };
  assert.deepEqual((await record(invalid, { give: given })).ran, ['give', ...hooks]);
});

test('an empty call that is refused does not take the hooks of a call that begins at the same place', async () => {
  const giver = { name: 'give', run: 'give', outputs: { KEY: 'text' }, allow_failure: true };
  const file = {
    workflows: {
      ci: { steps: [giver, call('outer')] },
      outer: own('outer', [refused('empty'), 'a']),
      empty: { steps: [] },
    },
  };
  assert.deepEqual((await record(file, { give: 1 })).ran, ['give', 'outer error', 'outer finally']);
});

test('a hook has the variables, the parameters and the directory of its workflow, and outputs or nothing', async () => {
  const giver = { name: 'give', run: 'give', outputs: { KEY: 'text' } };
  const inner = { dir: 'sub', env: { A: 'env', B: 'env' }, finally: 'echo ${steps.give.KEY}', steps: [giver] };
  const file = { workflows: { ci: { steps: [call('inner', { with: { B: 'with', P: 'with' } })] }, inner } };
  const given: Exit = { kind: 'exited', code: 0, outputs: { ok: true, values: [['KEY', 'given']] } };
  for (const [fate, value] of [
    [given, 'given'],
    [1, ''],
  ] as const) {
    const { requests } = await record(file, { give: fate }, { params: [['P', 'param']] });
    const { dir, environment, input } = requests.at(-1) ?? assert.fail();
    const values = ['A', 'B', 'P', 'CLI_OUTPUT_1'].map((name) => environment.get(name));
    assert.deepEqual([dir, input, ...values], ['sub', 'inherit', 'env', 'with', 'param', value]);
  }
});
