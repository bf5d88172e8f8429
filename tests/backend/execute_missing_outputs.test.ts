/* References to steps without outputs: commands that start, commands that fail without a start, and the messages. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { record, type Recorded } from '../support/random/recording_port.ts';
import { ci } from '../support/workflow.ts';

const GIVEN = { kind: 'exited', code: 0, outputs: { ok: true, values: [['ID', '']] } } as const;
const GIVE = { name: 'give', run: 'give', outputs: { ID: '$' } };
const SKIPPED = { ...GIVE, if: 'UNSET' };
const REASON =
  "${steps.give.ID} has no value, because step 'give' did not run; to use a text instead, write ${steps.give.ID:-text}";

/** Each step of an outcome with its exit code, its attempts, and the reason why it could not start. */
function steps({ outcome }: Recorded): unknown[] {
  return outcome.steps.map(({ op, exit, exitCode, attempts }) => {
    return [op.name, exitCode, attempts, ...(exit.kind === 'not started' ? [exit.reason] : [])];
  });
}

const NOT_STARTED = [['use', 126, 0, REASON]];

const USES = [
  ['in its command', { name: 'use', run: 'use ${steps.give.ID}' }],
  ['in its `with`', { name: 'use', run: 'use', with: { A: 'a', B: 'b ${steps.give.ID}' } }],
  ['in its condition', { name: 'use', run: 'use', if: 'test -n "${steps.give.ID}"' }],
  ['in the variable of its condition', { name: 'use', run: 'use', if: 'A', with: { A: '${steps.give.ID}' } }],
  ['in a word of its condition', { name: 'use', run: 'use', if: 'test -n "$A"', with: { A: '${steps.give.ID}' } }],
] as const;

describe('references to a skipped step', () => {
  for (const [where, use] of USES) {
    test(`a step that refers to a skipped step ${where} fails without being started`, async () => {
      const recorded = await record(ci([SKIPPED, use, 'later'], { error: 'error', finally: 'finally' }));
      assert.deepEqual(recorded.ran, ['error', 'finally']);
      assert.deepEqual(steps(recorded), NOT_STARTED);
      assert.deepEqual(recorded.seen.slice(0, 3), ['skipped if UNSET', `started ${use.run}`, `ended ${use.run}`]);
      assert.equal(recorded.outcome.success, false);
    });
  }
});

test('the reason names the failure of a step with allow_failure', async () => {
  const file = ci([
    { ...GIVE, allow_failure: true },
    { name: 'use', run: 'use ${steps.give.ID}' },
  ]);
  const recorded = await record(file, { give: 1 });
  assert.deepEqual(steps(recorded), [
    ['give', 1, 1],
    ['use', 126, 0, REASON.replace('did not run', 'failed')],
  ]);
});

test('a condition that does not hold is tested first: what it guards needs no value', async () => {
  const use = { run: 'use ${steps.give.ID}', if: 'exit 1', with: { A: '${steps.give.ID}' } };
  const call = { workflow: 'called', if: 'ALSO_UNSET', with: { A: '${steps.give.ID}' } };
  const file = { workflows: { ci: { steps: [SKIPPED, use, call, 'later'] }, called: { steps: ['never'] } } };
  const recorded = await record(file, { 'exit 1': 1 });
  assert.deepEqual(recorded.ran, ['exit 1', 'later']);
  assert.equal(recorded.outcome.success, true);
});

test('a failure without a start is allowed by allow_failure, and never retried', async () => {
  const retry = { max_attempts: 3, delay: '1s' };
  const use = { name: 'use', run: 'use ${steps.give.ID}', allow_failure: true, retry };
  const recorded = await record(ci([SKIPPED, use, 'later']));
  assert.deepEqual(recorded.ran, ['later']);
  assert.deepEqual(steps(recorded), [...NOT_STARTED, ['step_3', 0, 1]]);
  assert.equal(recorded.outcome.success, true);
});

test('a value overridden by a parameter is not needed', async () => {
  const use = { name: 'use', run: 'use', with: { A: '${steps.give.ID}' } };
  const recorded = await record(ci([SKIPPED, use]), {}, { params: [['A', 'own']] });
  assert.deepEqual(recorded.ran, ['use']);
});

test('a fallback is used for a step without outputs, and not for an empty output', async () => {
  const use = 'use ${steps.give.ID:-a b} ${steps.give.ID:-} $A';
  const file = (give: object): object => ci([give, { run: use, with: { A: 'x${steps.give.ID:-c}' } }]);
  const environment = async (give: object): Promise<unknown> => {
    const { ran, requests } = await record(file(give), { give: GIVEN });
    return [ran.at(-1), Object.fromEntries(requests.at(-1)?.environment ?? [])];
  };
  const rewritten = 'use "${CLI_OUTPUT_1}" "${CLI_OUTPUT_2}" $A';
  assert.deepEqual(await environment(SKIPPED), [
    rewritten,
    { BASE: 'base', A: 'xc', CLI_OUTPUT_1: 'a b', CLI_OUTPUT_2: '' },
  ]);
  assert.deepEqual(await environment(GIVE), [rewritten, { BASE: 'base', A: 'x', CLI_OUTPUT_1: '', CLI_OUTPUT_2: '' }]);
});

test('a fallback is used where the step is in another workflow; otherwise the reference is an error', async () => {
  const shared = { steps: ['use ${steps.give.ID:-none}'] };
  const workflows = {
    ci: { steps: [{ workflow: 'shared' }] },
    other: { steps: [GIVE, { workflow: 'shared' }] },
    shared,
  };
  const { requests } = await record({ workflows });
  assert.equal(requests[0]?.environment.get('CLI_OUTPUT_1'), 'none');
  const unresolved = 'the plan is too large, or a reference is unresolved';
  await assert.rejects(record(ci(['use ${steps.give.ID:-none}'])), { message: unresolved });
  await assert.rejects(record(ci([GIVE, 'use ${steps.give.NAME:-none}'])), { message: unresolved });
});

test('in a hook, a missing output is its fallback or empty, even if the step is in another workflow', async () => {
  const hooks = { error: 'error ${steps.give.ID}${steps.other.X:-none}', finally: 'finally ${steps.other.X}' };
  const other = { steps: [{ name: 'other', run: 'other', outputs: { X: '$' } }] };
  const { requests } = await record({ ...hooks, workflows: { ci: { steps: ['bad', GIVE] }, other } }, { bad: 1 });
  const values = requests.map(({ environment }) => [...environment.values()].slice(1));
  assert.deepEqual(values, [[], ['', 'none'], ['']]);
});

describe('a call with a `with` value that has no value', () => {
  const call = { workflow: 'called', with: { A: '${steps.give.ID}' } };
  const file = (steps: readonly unknown[], own: object = call): object => ({
    workflows: { ci: { steps: [SKIPPED, own, 'later'] }, called: { steps } },
  });

  test('the call fails with its first command, whatever the condition of that command', async () => {
    const recorded = await record(file([{ name: 'use', run: 'one', if: 'exit 1' }, 'two']));
    assert.deepEqual(recorded.ran, []);
    assert.deepEqual(steps(recorded), NOT_STARTED);
  });

  test('the call fails with its first command in a nested call', async () => {
    const inner = { workflow: 'inner', if: 'UNSET' };
    const workflows = {
      ci: { steps: [SKIPPED, call, 'later'] },
      called: { steps: [{ workflow: 'empty', with: { B: '${steps.give.ID}' } }, inner] },
      inner: { steps: [{ name: 'use', run: 'one' }] },
      empty: { steps: [] },
    };
    const recorded = await record({ workflows });
    assert.deepEqual(recorded.ran, []);
    assert.deepEqual(steps(recorded), NOT_STARTED);
    assert.equal(recorded.seen.length, 3);
  });

  test('the call fails with each of its commands up to the first whose failure is not allowed', async () => {
    const recorded = await record(file([{ run: 'one', allow_failure: true }, { name: 'use', run: 'two' }, 'three']));
    assert.deepEqual(recorded.ran, []);
    assert.deepEqual(steps(recorded), [['step_1', 126, 0, REASON], ...NOT_STARTED]);
  });

  test('the call fails before its condition is tested, if the condition names the variable', async () => {
    const recorded = await record(file([{ name: 'use', run: 'one' }], { ...call, if: 'A' }));
    assert.deepEqual(recorded.ran, []);
    assert.deepEqual(steps(recorded), NOT_STARTED);
  });

  test('the call fails after its condition is tested, if the condition does not name the variable', async () => {
    const recorded = await record(file([{ name: 'use', run: 'one' }], { ...call, if: 'exit 0' }));
    assert.deepEqual(recorded.ran, ['exit 0']);
    assert.deepEqual(steps(recorded), NOT_STARTED);
  });

  for (const [how, own] of [
    ['without', call],
    ['with', { ...call, if: 'exit 0' }],
  ] as const) {
    test(`a call without commands fails without an entry, ${how} a condition`, async () => {
      const { outcome, seen } = await record(file([], own));
      assert.deepEqual([outcome.steps, outcome.success], [[], false]);
      assert.equal(seen.at(-1), 'refused step 2');
    });
  }

  test('a call at the very end of a run fails', async () => {
    const workflows = { ci: { steps: [SKIPPED, call] }, called: { steps: [] } };
    const { outcome, seen } = await record({ workflows });
    assert.deepEqual([outcome.success, seen.at(-1)], [false, 'refused step 2']);
  });
});
