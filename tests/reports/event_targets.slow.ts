import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { COMMAND_LINE, finish, workflowDirectory } from '../support/cli.ts';
import { quickCli as cli } from '../support/in_process.ts';
import { LINUX } from '../support/processes/shell.ts';
import { eventsIn } from '../support/runs/events.ts';

const STEP = { workflows: { w: { steps: ['touch ran'] } } };

for (const [what, target, problem] of [
  ['standard output', '-', "'--events' needs a file or a descriptor such as fd:3: standard output holds the result"],
  ['standard error', 'fd:2', "'--events' takes a descriptor from fd:3 to fd:15"],
  ['an invalid descriptor', 'fd:x', "'--events' takes a descriptor from fd:3 to fd:15"],
  ['a directory', '.cli', 'cannot write the events to .cli: EISDIR: illegal operation on a directory'],
  ['a file in a missing directory', 'no/e', 'cannot write the events to no/e: its directory does not exist'],
  ['the workflow file', '.cli/workflow.json', 'cannot write the events to .cli/workflow.json: it is the workflow file'],
  ['the report', './r.json', 'cannot write the events to r.json: it is the report'],
] as const) {
  test(`events to ${what} are rejected before anything runs`, async (t) => {
    const cwd = workflowDirectory(t, STEP);
    const refused = await cli(['run', 'w', '--report', 'r.json', '--events', target], { cwd });
    assert.deepEqual(refused, { code: 2, signal: null, stdout: '', stderr: `cli: ${problem}\n` });
    assert.equal(existsSync(join(cwd, 'ran')), false);
    assert.equal(readFileSync(join(cwd, '.cli/workflow.json'), 'utf8'), JSON.stringify(STEP));
  });
}

test('events of a dry run are rejected', async (t) => {
  const { code, stderr } = await cli(['run', 'w', '-n', '--events', 'e'], { cwd: workflowDirectory(t, STEP) });
  assert.deepEqual([code, stderr], [2, "cli: '--events' cannot be used with '--dry-run'\n"]);
});

/** Runs the workflow of a file from a shell line. */
async function shell(t: TestContext, file: object, line: string): Promise<{ cwd: string; stderr: string }> {
  const cwd = workflowDirectory(t, file);
  const { stderr } = await finish('bash', ['-c', line.replaceAll('CLI', COMMAND_LINE)], { cwd });
  return { cwd, stderr };
}

test('a closed descriptor is rejected, even if the runtime uses its number', LINUX, async (t) => {
  for (let number = 3; number <= 15; number += 1) {
    const { cwd, stderr } = await shell(t, STEP, `exec ${number}>&-; CLI run w -q --events fd:${number}`);
    assert.equal(stderr, `cli: cannot write the events to fd:${number}: it is not open for writing\n`);
    assert.equal(existsSync(join(cwd, 'ran')), false);
  }
});

test('a descriptor receives the events, and is not inherited by steps', LINUX, async (t) => {
  const steps = ['ls -l /proc/self/fd >seen', 'echo >&3', 'echo >&15'];
  for (const number of [3, 15]) {
    const file = { workflows: { w: { steps: steps.map((each) => ({ run: each, allow_failure: true })) } } };
    const { cwd } = await shell(t, file, `CLI run w --events fd:${number} ${number}>events 2>/dev/null`);
    assert.equal(eventsIn(cwd).at(-1)?.event, 'run_ended');
    assert.equal(readFileSync(join(cwd, 'seen'), 'utf8').includes('events'), false);
  }
});

test('a pipe receives the events, even if the caller has both of its ends', LINUX, async (t) => {
  const { cwd, stderr } = await shell(t, STEP, 'CLI run w -q --events fd:3 3>&1 | cat >events');
  assert.equal(stderr, '');
  assert.deepEqual(
    eventsIn(cwd).map(({ event }) => event),
    ['run_started', 'op_started', 'op_ended', 'run_ended'],
  );
});

test('a named pipe receives the events', async (t) => {
  const cwd = workflowDirectory(t, STEP);
  execFileSync('mkfifo', [join(cwd, 'pipe')]);
  const line = `cat pipe >events & ${COMMAND_LINE} run w -q --events pipe; wait`;
  await finish('bash', ['-c', line], { cwd });
  assert.equal(eventsIn(cwd).at(-1)?.event, 'run_ended');
});

test('if the reader is gone, the events end with one warning, and the run continues', async (t) => {
  const steps = ['until [ -e gone ]; do sleep 0.1; done', 'true', 'touch last'];
  const line = '{ CLI run w -q --events fd:3 3>&1 >&2 2>stderr.txt; } | { head -n 1 >first; exec <&-; touch gone; }';
  const { cwd } = await shell(t, { workflows: { w: { steps } } }, line);
  assert.equal(
    readFileSync(join(cwd, 'stderr.txt'), 'utf8'),
    'cli: warning: cannot write more events to fd:3: EPIPE: broken pipe\n',
  );
  assert.ok(existsSync(join(cwd, 'last')));
});
