/* How a run ends: which hooks run, in which order, and the result, for each kind of failure. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { execute } from '../../src/backend/execute.ts';
import type { Interruption } from '../../src/backend/command_runner.ts';
import type { RunEvent } from '../../src/backend/run_event.ts';
import { sleepSync } from '../../src/backend/system/sleep.ts';
import { compiled } from '../support/plans.ts';
import { branching, record, summaryOf, type Fate, type Recorded } from '../support/random/recording_port.ts';
import { ci } from '../support/workflow.ts';

const HOOKS = { before_all: 'before', after_all: 'after', error: 'error', finally: 'finally' };

const INTERRUPTED = { code: 130, interruption: { signal: 'SIGINT', forced: false } } as const;
const FORCED = { code: 137, interruption: { signal: 'SIGTERM', forced: true } } as const;
const REFUSED = { kind: 'not started', reason: 'too big' } as const;

/** The failures, the commands that ran with their exit codes, and the result. */
type Row = readonly [what: string, fates: Readonly<Record<string, Fate>>, ran: string, end: string];

const ENDINGS: readonly Row[] = [
  ['nothing fails', {}, 'before 0, one 0, two 0, after 0, finally 0', 'success'],
  ['finally fails', { finally: 9 }, 'before 0, one 0, two 0, after 0, finally 9', 'failure'],
  ['finally cannot be started', { finally: REFUSED }, 'before 0, one 0, two 0, after 0, finally 126', 'failure'],

  ['after_all fails', { after: 4 }, 'before 0, one 0, two 0, after 4, error 0, finally 0', 'failure'],
  [
    'after_all and error fail',
    { after: 4, error: 5 },
    'before 0, one 0, two 0, after 4, error 5, finally 0',
    'failure',
  ],
  [
    'after_all and finally fail',
    { after: 4, finally: 9 },
    'before 0, one 0, two 0, after 4, error 0, finally 9',
    'failure',
  ],
  [
    'after_all, error and finally fail',
    { after: 4, error: 5, finally: 9 },
    'before 0, one 0, two 0, after 4, error 5, finally 9',
    'failure',
  ],
  [
    'after_all cannot be started',
    { after: REFUSED },
    'before 0, one 0, two 0, after 126, error 0, finally 0',
    'failure',
  ],

  ['a step fails', { one: 7 }, 'before 0, one 7, error 0, finally 0', 'failure'],
  ['a step and error fail', { one: 7, error: 5 }, 'before 0, one 7, error 5, finally 0', 'failure'],
  ['a step and finally fail', { one: 7, finally: 9 }, 'before 0, one 7, error 0, finally 9', 'failure'],
  [
    'a step, error and finally fail',
    { one: 7, error: 5, finally: 9 },
    'before 0, one 7, error 5, finally 9',
    'failure',
  ],
  [
    'a step fails, no hook can be started',
    { one: 7, error: REFUSED, finally: REFUSED },
    'before 0, one 7, error 126, finally 126',
    'failure',
  ],
  ['a step cannot be started', { one: REFUSED }, 'before 0, one 126, error 0, finally 0', 'failure'],
  ['a step times out', { one: { kind: 'timed out', limit: 1000 } }, 'before 0, one 124, error 0, finally 0', 'failure'],

  ['before_all fails', { before: 3 }, 'before 3, error 0, finally 0', 'failure'],
  ['before_all and error fail', { before: 3, error: 5 }, 'before 3, error 5, finally 0', 'failure'],
  ['before_all and finally fail', { before: 3, finally: 9 }, 'before 3, error 0, finally 9', 'failure'],
  [
    'before_all, error and finally fail',
    { before: 3, error: 5, finally: 9 },
    'before 3, error 5, finally 9',
    'failure',
  ],

  ['a step is interrupted', { one: INTERRUPTED }, 'before 0, one 130, error 0, finally 0', 'SIGINT'],
  [
    'a step is interrupted, error fails',
    { one: INTERRUPTED, error: 5 },
    'before 0, one 130, error 5, finally 0',
    'SIGINT',
  ],
  [
    'a step is interrupted, finally fails',
    { one: INTERRUPTED, finally: 9 },
    'before 0, one 130, error 0, finally 9',
    'SIGINT',
  ],
  [
    'a step is interrupted, error and finally fail',
    { one: INTERRUPTED, error: 5, finally: 9 },
    'before 0, one 130, error 5, finally 9',
    'SIGINT',
  ],
  ['before_all is interrupted', { before: INTERRUPTED }, 'before 130, error 0, finally 0', 'SIGINT'],
  [
    'after_all is interrupted',
    { after: INTERRUPTED },
    'before 0, one 0, two 0, after 130, error 0, finally 0',
    'SIGINT',
  ],
  ['error is interrupted', { one: 7, error: INTERRUPTED }, 'before 0, one 7, error 130, finally 0', 'SIGINT'],
  ['finally is interrupted', { finally: INTERRUPTED }, 'before 0, one 0, two 0, after 0, finally 130', 'SIGINT'],
  [
    'finally is interrupted after a failure',
    { one: 7, finally: INTERRUPTED },
    'before 0, one 7, error 0, finally 130',
    'SIGINT',
  ],

  ['a second signal arrives in a step', { one: FORCED }, 'before 0, one 137', 'SIGTERM'],
  ['a second signal arrives in before_all', { before: FORCED }, 'before 137', 'SIGTERM'],
  ['a second signal arrives in after_all', { after: FORCED }, 'before 0, one 0, two 0, after 137', 'SIGTERM'],
  ['a second signal arrives in error', { one: INTERRUPTED, error: FORCED }, 'before 0, one 130, error 137', 'SIGTERM'],
  [
    'a second signal arrives in finally',
    { one: INTERRUPTED, finally: FORCED },
    'before 0, one 130, error 0, finally 137',
    'SIGTERM',
  ],
];

for (const [what, fates, ran, end] of ENDINGS) {
  test(`a run when ${what}: ${ran}`, async () => {
    const recorded = await record(ci(['one', 'two'], HOOKS), fates);
    assert.deepEqual({ ran: withCodes(recorded), end: endOf(recorded) }, { ran, end });
  });
}

test('without other hooks, finally runs after success and after failure', async () => {
  const file = ci(['one', 'two'], { finally: 'finally' });
  assert.equal(withCodes(await record(file)), 'one 0, two 0, finally 0');
  assert.equal(withCodes(await record(file, { one: 7 })), 'one 7, finally 0');
  assert.equal(withCodes(await record(file, { one: INTERRUPTED })), 'one 130, finally 0');
});

test('a workflow without steps runs its hooks, and fails if finally fails', async () => {
  const recorded = await record(ci([], HOOKS), { finally: 1 });
  assert.equal(withCodes(recorded), 'before 0, after 0, finally 1');
  assert.equal(endOf(recorded), 'failure');
});

test('an allowed failure does not run the hooks for failures', async () => {
  const recorded = await record(ci([{ run: 'one', allow_failure: true }, 'two'], HOOKS), { one: 7 });
  assert.equal(withCodes(recorded), 'before 0, one 7, two 0, after 0, finally 0');
  assert.equal(endOf(recorded), 'success');
});

test('after an interruption before the first command, error and finally run', async () => {
  const recorded = await record(ci(['one'], HOOKS), {}, { before: INTERRUPTED.interruption });
  assert.equal(withCodes(recorded), 'error 0, finally 0');
  assert.equal(endOf(recorded), 'SIGINT');
});

test('steps, error and finally read the outputs of steps that ran; the outputs of others are empty', async () => {
  const given = { kind: 'exited', code: 0, outputs: { ok: true, values: [['ID', 'i-1']] } } as const;
  const steps = [
    { name: 'a', run: 'make', outputs: { ID: '$' } },
    'bad',
    { name: 'b', run: 'more', outputs: { ID: '$' } },
  ];
  const hook = 'drop ${steps.a.ID} ${steps.b.ID}';
  const { requests } = await record(ci(steps, { error: hook, finally: hook }), { make: given, bad: 1 });
  const read = requests.map(({ command, environment }) => [
    command,
    environment.get('CLI_OUTPUT_1'),
    environment.get('CLI_OUTPUT_2'),
  ]);
  const drop = ['drop "${CLI_OUTPUT_1}" "${CLI_OUTPUT_2}"', 'i-1', ''];
  assert.deepEqual(read, [['make', undefined, undefined], ['bad', undefined, undefined], drop, drop]);
});

/** Every command that ran, in order, each with its exit code in the outcome. */
function withCodes({ ran, outcome }: Recorded): string {
  const all = [...outcome.steps, ...outcome.hooks].map(({ op, exitCode }) => [op.command, exitCode] as const);
  assert.equal(all.length, ran.length);
  const codes = new Map(all);
  return ran.map((command) => `${command} ${codes.get(command)}`).join(', ');
}

function endOf({ outcome: { success, interrupted } }: Recorded): string {
  assert.ok(!success || interrupted === undefined);
  return interrupted ?? (success ? 'success' : 'failure');
}

/** Runs two steps with hooks. In the announcement of the second step, calls `announce` with a function that interrupts. */
async function interruptAnnouncement(announce: (interrupt: () => void) => void): Promise<void> {
  const ran: string[] = [];
  let interruption: Interruption | undefined;
  const port = branching({
    get interruption() {
      return interruption;
    },
    run({ command }: { readonly command: string }) {
      ran.push(command);
      return Promise.resolve({ kind: 'exited', code: 0 } as const);
    },
    ready: () => Promise.resolve(),
    wait: () => Promise.reject(new Error('nothing is tried again')),
  });
  const plan = compiled(JSON.stringify(ci(['one', 'two'], HOOKS)), 'ci');
  const observe = ({ kind }: RunEvent): void => {
    if (ran.length === 2 && kind === 'started') announce(() => (interruption ??= INTERRUPTED.interruption));
  };
  const outcome = await execute(plan, port, { base: new Map(), strict: false, observe });
  assert.deepEqual(ran, ['before', 'one', 'error', 'finally']);
  assert.deepEqual(summaryOf(outcome), {
    success: false,
    interrupted: 'SIGINT',
    steps: ['step_1 0'],
    hooks: ['before_all 0', 'error 0', 'finally 0'],
  });
}

test('a signal during the announcement of a step prevents its start, and the error hook runs', async () => {
  await interruptAnnouncement((interrupt) => interrupt());
});

test('a signal while the announcement of a step blocks prevents its start', async (t) => {
  await interruptAnnouncement((interrupt) => {
    process.once('SIGUSR2', interrupt);
    t.after(() => process.removeListener('SIGUSR2', interrupt));
    process.kill(process.pid, 'SIGUSR2');
    sleepSync(2);
  });
});
