import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import * as v from 'valibot';
import { workflowDirectory } from '../support/cli.ts';
import { quickCli as cli } from '../support/in_process.ts';
import { eventsIn, type Event } from '../support/runs/events.ts';

const Word = v.nullish(v.union([v.string(), v.number(), v.boolean()]));
const Told = v.object({
  op: Word,
  name: Word,
  command: Word,
  status: Word,
  attempt: Word,
  success: Word,
  failed: Word,
  reason: Word,
});

/** A summary of an event. */
function summary(event: Event): string {
  const { op, name, command, status, attempt, success, failed, reason } = v.parse(Told, event);
  const words = [event.event, op, name ?? command, status, attempt, success, failed, reason];
  return words.flatMap((word) => (word === undefined || word === null ? [] : `${word}`)).join(' ');
}

async function run(t: TestContext, file: object, ...words: readonly string[]): Promise<string> {
  const cwd = workflowDirectory(t, file);
  await cli(['run', 'w', '--events', 'events', ...words], { cwd });
  return cwd;
}

const FILE = {
  before_all: 'true',
  error: 'true',
  workflows: {
    w: {
      steps: [
        { name: 'flaky', retry: { max_attempts: 2, delay: '1ms' }, run: 'test -e seen || { touch seen; exit 3; }' },
        { name: 'off', if: 'NEVER', run: 'true' },
        { name: 'call', workflow: 'lib', if: 'false' },
        {
          name: 'both',
          parallel: [
            { name: 'one', run: 'true' },
            { name: 'two', run: 'true' },
          ],
        },
        { name: 'bad', run: 'exit 4' },
        { name: 'never', run: 'true' },
      ],
    },
    lib: { steps: [{ name: 'inner', if: 'true', run: 'true' }] },
  },
};

test('events report a run in order, with the fields of a report', async (t) => {
  const cwd = await run(t, FILE);
  const events = eventsIn(cwd);
  const found = events.map(summary);
  const members = found.splice(found.indexOf('group_started both') + 1, 4);
  assert.deepEqual(members.toSorted(), [
    'op_ended 7 one succeeded',
    'op_ended 8 two succeeded',
    'op_started 7 one',
    'op_started 8 two',
  ]);
  assert.deepEqual(found, [
    'run_started',
    'op_started 0 before_all',
    'op_ended 0 before_all succeeded',
    'op_started 1 flaky',
    'op_retrying 1 flaky 1',
    'op_ended 1 flaky succeeded',
    'op_ended 2 NEVER not met',
    'op_ended 3 off skipped NEVER is not set',
    'op_started 4 false',
    'op_ended 4 false not met',
    'op_ended 5 true skipped condition failed: false',
    'op_ended 6 inner skipped condition failed: false',
    'group_started both',
    'group_ended both false',
    'op_started 9 bad',
    'op_ended 9 bad failed',
    'op_started 11 error',
    'op_ended 11 error succeeded',
    'op_ended 10 never not reached',
    'run_ended false',
  ]);
});

test('kept and unselected steps end at once', async (t) => {
  const steps = [
    { name: 'first', run: 'true' },
    { name: 'second', run: 'test -e go' },
    { name: 'third', run: 'true' },
  ];
  const cwd = workflowDirectory(t, { workflows: { w: { steps } } });
  const env = { CLI_NO_JOURNAL: undefined };
  await cli(['run', 'w'], { cwd, env });
  writeFileSync(join(cwd, 'go'), '');
  await cli(['resume', '--last', '--until', 'second', '--events', 'events'], { cwd, env });
  assert.deepEqual(eventsIn(cwd).map(summary), [
    'run_started',
    'op_ended 0 first kept',
    'op_started 1 second',
    'op_ended 1 second succeeded',
    'op_ended 2 third left out',
    'run_ended true',
  ]);
});

test('a step that a resume keeps behind a new condition has one event', async (t) => {
  const steps = [
    { name: 'first', run: 'true' },
    { name: 'second', run: 'false' },
  ];
  const file = (call: object): string =>
    JSON.stringify({ workflows: { w: { steps: [{ workflow: 'lib', ...call }] }, lib: { steps } } });
  const cwd = workflowDirectory(t, file({}));
  const env = { CLI_NO_JOURNAL: undefined };
  await cli(['run', 'w'], { cwd, env });
  writeFileSync(join(cwd, '.cli/workflow.json'), file({ if: 'false' }));
  await cli(['resume', '--last', '--events', 'events'], { cwd, env });
  assert.deepEqual(eventsIn(cwd).map(summary), [
    'run_started',
    'op_started 0 false',
    'op_ended 0 false not met',
    'op_ended 2 second skipped condition failed: false',
    'op_ended 1 first kept',
    'run_ended true',
  ]);
});

test('an event is written as it happens', async (t) => {
  const steps = [{ name: 'first', run: 'true' }, 'cp events seen'];
  const cwd = await run(t, { workflows: { w: { steps } } });
  assert.deepEqual(eventsIn(cwd, 'seen').map(summary), [
    'run_started',
    'op_started 0 first',
    'op_ended 0 first succeeded',
    'op_started 1 step_2',
  ]);
});

test('secrets are masked in the parameters and in the output of steps', async (t) => {
  const steps = [{ name: 'leak', run: 'echo "$API_TOKEN"' }];
  const cwd = await run(t, { workflows: { w: { steps } } }, 'API_TOKEN:hush-hush', '--report-lines', '5');
  assert.equal(readFileSync(join(cwd, 'events'), 'utf8').includes('hush'), false);
  const [started, , ended] = eventsIn(cwd);
  assert.deepEqual([started?.['params'], ended?.['output']], [{ API_TOKEN: '***' }, ['***']]);
});
