/* Steps with `retry`, `allow_failure` or `outputs`: the commands that run, how often, and the outcome. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { record, summaryOf, type Recorded } from '../support/random/recording_port.ts';
import { ci } from '../support/workflow.ts';

const HOOKS = { after_all: 'after', error: 'error', finally: 'finally' };
const RETRY = { max_attempts: 3, delay: '2s' };
const INTERRUPTION = { signal: 'SIGINT', forced: false } as const;
const REFUSED = { kind: 'not started', reason: 'no such directory' } as const;
const LATE = { kind: 'timed out', limit: 1000 } as const;
const BAD_OUTPUT = { kind: 'exited', code: 0, outputs: { ok: false, problems: ['$.a is null'] } } as const;
const GIVEN = { kind: 'exited', code: 0, outputs: { ok: true, values: [['A', 'x y']] } } as const;

/** Each step of an outcome with its exit code, its attempts, and whether it failed. */
function steps({ outcome }: Recorded): string[] {
  return outcome.steps.map(
    ({ op, exitCode, attempts, failed }) => `${op.name} ${exitCode} in ${attempts}${failed ? ', failed' : ''}`,
  );
}

test('a failing step is retried after the delay, until it succeeds', async () => {
  const recorded = await record(ci([{ run: 'one', retry: RETRY }, 'two'], HOOKS), { one: [7, 0, 7] });
  assert.deepEqual(recorded.ran, ['one', 'wait 2000', 'one', 'two', 'after', 'finally']);
  assert.deepEqual(steps(recorded), ['step_1 0 in 2', 'step_2 0 in 1']);
  assert.equal(recorded.outcome.success, true);
  assert.deepEqual(recorded.seen.slice(0, 3), ['started one', 'waiting one', 'ended one']);
});

test('a step that succeeds is not retried', async () => {
  const recorded = await record(ci([{ run: 'one', retry: RETRY }]));
  assert.deepEqual(recorded.ran, ['one']);
  assert.deepEqual(steps(recorded), ['step_1 0 in 1']);
});

test('a step that fails in every attempt fails the run with its last exit code, without a final delay', async () => {
  const recorded = await record(ci([{ run: 'one', retry: RETRY }, 'two'], HOOKS), { one: [7, 8, 9] });
  assert.deepEqual(recorded.ran, ['one', 'wait 2000', 'one', 'wait 2000', 'one', 'error', 'finally']);
  assert.deepEqual(steps(recorded), ['step_1 9 in 3, failed']);
  assert.equal(recorded.outcome.success, false);
});

test('an attempt that times out or cannot be started is retried', async () => {
  const recorded = await record(ci([{ run: 'one', retry: RETRY, timeout: '1m' }]), { one: [LATE, REFUSED, 0] });
  assert.deepEqual(recorded.ran, ['one', 'wait 2000', 'one', 'wait 2000', 'one']);
  assert.deepEqual(steps(recorded), ['step_1 0 in 3']);
  assert.deepEqual(
    recorded.requests.map(({ timeout }) => timeout),
    [60_000, 60_000, 60_000],
  );
});

test('a step that succeeds without its outputs fails, and is not retried', async () => {
  const step = { name: 'one', run: 'one', retry: RETRY, outputs: { A: '$.a' } };
  const recorded = await record(ci([step, 'two'], HOOKS), { one: BAD_OUTPUT });
  assert.deepEqual(recorded.ran, ['one', 'error', 'finally']);
  assert.deepEqual(steps(recorded), ['one 0 in 1, failed']);
});

test('every attempt has the same command and environment', async () => {
  const step = { run: 'one ${steps.a.A}', retry: RETRY, timeout: '1s', with: { B: 'b' } };
  const file = ci([{ name: 'a', run: 'a', outputs: { A: '$' } }, step]);
  const { requests } = await record(file, { a: GIVEN, 'one "${CLI_OUTPUT_1}"': 1 });
  const [, ...attempts] = requests.map(({ command, environment }) => [command, Object.fromEntries(environment)]);
  const attempt = ['one "${CLI_OUTPUT_1}"', { BASE: 'base', B: 'b', CLI_OUTPUT_1: 'x y' }];
  assert.deepEqual(attempts, [attempt, attempt, attempt]);
});

for (const forced of [false, true]) {
  test(`${forced ? 'a second' : 'a'} signal in the delay ends the run ${forced ? 'without hooks' : 'with its hooks'}`, async () => {
    const during = { signal: 'SIGTERM', forced } as const;
    const recorded = await record(ci([{ run: 'one', retry: RETRY }, 'two'], HOOKS), { one: 7 }, { during });
    assert.deepEqual(recorded.ran, ['one', 'wait 2000', ...(forced ? [] : ['error', 'finally'])]);
    assert.deepEqual(steps(recorded), ['step_1 7 in 1, failed']);
    assert.equal(recorded.outcome.interrupted, 'SIGTERM');
    assert.equal(recorded.seen.at(2), 'ended one');
  });
}

test('an interrupted attempt is the last one', async () => {
  const interrupted = { code: 130, interruption: INTERRUPTION };
  const recorded = await record(ci([{ run: 'one', retry: RETRY }], HOOKS), { one: [7, interrupted, 0] });
  assert.deepEqual(recorded.ran, ['one', 'wait 2000', 'one', 'error', 'finally']);
  assert.deepEqual(steps(recorded), ['step_1 130 in 2, failed']);
});

const ALLOWED = [
  ['exits with a code', 7, 'step_1 7 in 1, failed'],
  ['is killed by a signal', 137, 'step_1 137 in 1, failed'],
  ['times out', LATE, 'step_1 124 in 1, failed'],
  ['cannot be started', REFUSED, 'step_1 126 in 1, failed'],
] as const;

for (const [how, fate, step] of ALLOWED) {
  test(`a step with allow_failure that ${how} is recorded as failed, and the run continues`, async () => {
    const recorded = await record(ci([{ run: 'one', allow_failure: true }, 'two'], HOOKS), { one: fate });
    assert.deepEqual(recorded.ran, ['one', 'two', 'after', 'finally']);
    assert.deepEqual(steps(recorded), [step, 'step_2 0 in 1']);
    assert.equal(recorded.outcome.success, true);
  });
}

test('a step with allow_failure uses all its attempts', async () => {
  const step = { run: 'one', allow_failure: true, retry: RETRY };
  const recorded = await record(ci([step, 'two']), { one: 7 });
  assert.deepEqual(recorded.ran, ['one', 'wait 2000', 'one', 'wait 2000', 'one', 'two']);
  assert.deepEqual(steps(recorded), ['step_1 7 in 3, failed', 'step_2 0 in 1']);
});

for (const [how, fate] of [
  ['fails', 7],
  ['has no outputs', BAD_OUTPUT],
] as const) {
  test(`the fallback is used after a step with allow_failure that ${how}`, async () => {
    const step = { name: 'a', run: 'one', allow_failure: true, outputs: { A: '$.a' } };
    const recorded = await record(ci([step, 'two ${steps.a.A:-none}'], HOOKS), { one: fate });
    assert.deepEqual(recorded.ran, ['one', 'two "${CLI_OUTPUT_1}"', 'after', 'finally']);
    assert.equal(recorded.requests[1]?.environment.get('CLI_OUTPUT_1'), 'none');
    assert.equal(recorded.outcome.success, true);
  });
}

test('an interruption in a step with allow_failure ends the run', async () => {
  for (const code of [0, 130]) {
    const fates = { one: { code, interruption: INTERRUPTION } };
    const { outcome, ran } = await record(ci([{ run: 'one', allow_failure: true }, 'two'], HOOKS), fates);
    assert.deepEqual(ran, ['one', 'error', 'finally']);
    const hooks = ['error 0', 'finally 0'];
    assert.deepEqual(summaryOf(outcome), { success: false, interrupted: 'SIGINT', steps: [`step_1 ${code}`], hooks });
  }
});

test('no attempt follows a command that was refused, and none the last one', async () => {
  const giving = { name: 'a', run: 'one', allow_failure: true, outputs: { A: '$.a' } };
  const refused = await record(ci([giving, { run: 'two ${steps.a.A}', retry: RETRY }]), { one: BAD_OUTPUT });
  assert.deepEqual(steps(refused), ['a 0 in 1, failed', 'step_2 126 in 0, failed']);
  assert.deepEqual(refused.more, [false, false]);
  const { more } = await record(ci([{ run: 'one', retry: { max_attempts: 2, delay: '1s' } }]), { one: 7 });
  assert.deepEqual(more, [true, false]);
});
