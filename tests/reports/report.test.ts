import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { FailureText } from '../../src/cli/reporters/failure_text.ts';
import { Titles } from '../../src/cli/reporters/step_titles.ts';
import { makeReport } from '../../src/cli/reporters/file/report.ts';
import { OpResults } from '../../src/cli/reporters/op_results.ts';
import { at } from '../../src/ir/plan.ts';
import { cli, workflowDirectory, type CommandResult } from '../support/cli.ts';
import { quickCli } from '../support/in_process.ts';
import { compiled } from '../support/plans.ts';
import { reportIn, type ReportDocument } from '../support/goldens/report.ts';
import { LINUX } from '../support/processes/shell.ts';

type Reported = CommandResult & Readonly<{ report: ReportDocument; cwd: string }>;

/** Runs `w` of a file with a report. */
async function reported(t: TestContext, file: object, tool: typeof cli = quickCli): Promise<Reported> {
  const cwd = workflowDirectory(t, file);
  const finished = await tool(['workflow', 'run', 'w', '--report', 'report.json'], { cwd });
  return { ...finished, report: reportIn(cwd), cwd };
}

/** The result of each op, one per line. */
function endings({ ops }: ReportDocument): string[] {
  return ops.map(({ kind, name, command, status, reason, exit_code, signal, attempts }) => {
    const words = [kind, name ?? command, attempts === 0 ? '-' : `${exit_code}`, signal ?? '', status, reason ?? ''];
    return words.filter((word) => word !== '').join(' | ');
  });
}

test('a report contains the start, end and duration of each command, measured by two clocks', async (t) => {
  const before = Date.now();
  const { report } = await reported(t, {
    workflows: { w: { steps: ['sleep 0.3', { if: 'true', run: 'sleep 0.2' }] } },
  });
  const { ops, ...whole } = report;
  const moments = [whole.start, ...ops.flatMap(({ start, end }) => [start, end]), whole.end];
  const walls = moments.map((moment) => Date.parse(moment ?? ''));
  assert.deepEqual(
    walls,
    walls.toSorted((one, other) => one - other),
  );
  assert.ok(at(walls, 0) >= before && at(walls, walls.length - 1) <= Date.now());
  const lasted = ops.map(({ duration_ms }) => duration_ms ?? 0);
  assert.ok(at(lasted, 0) >= 299 && at(lasted, 2) >= 199, lasted.join());
  const began = ops.map(({ offset_ms }) => offset_ms ?? -1);
  const ended = began.map((offset, index) => offset + at(lasted, index));
  // Each value is rounded separately.
  assert.ok(at(began, 0) >= 0 && at(began, 1) >= at(ended, 0) - 1 && at(began, 2) >= at(ended, 1) - 1);
  assert.ok(whole.duration_ms >= at(ended, 2) - 1);
});

test('the document of a run is the same, byte for byte, with and without a report', async (t) => {
  const file = { error: 'true', workflows: { w: { steps: ['true', { if: 'X', run: 'true' }, 'exit 3', 'true'] } } };
  const { report, cwd, ...finished } = await reported(t, file);
  assert.deepEqual(finished, await quickCli(['workflow', 'run', 'w'], { cwd }));
  assert.equal(report.success, false);
});

test('a report contains conditions that were met, not met and not reached, and the skipped steps', async (t) => {
  const { report } = await reported(t, {
    env: { YES: '1' },
    workflows: {
      w: {
        steps: [
          { if: 'YES', workflow: 'nothing' },
          { if: 'NO', workflow: 'called' },
          { if: 'test 1 = 2', run: 'true' },
          { if: 'test 1 = 1', run: 'exit 9' },
          { if: 'YES', run: 'true' },
          { if: 'true', run: 'true' },
        ],
      },
      nothing: { steps: [] },
      called: { steps: [{ if: 'YES', run: 'true' }, 'true'] },
    },
  });
  assert.deepEqual(endings(report), [
    'condition | YES | - | met',
    'condition | NO | - | not met',
    'condition | YES | - | skipped | NO is not set',
    'step | step_1 | - | skipped | NO is not set',
    'step | step_2 | - | skipped | NO is not set',
    'condition | test 1 = 2 | 1 | not met',
    'step | step_3 | - | skipped | condition failed: test 1 = 2',
    'condition | test 1 = 1 | 0 | met',
    'step | step_4 | 9 | failed',
    'condition | YES | - | not reached',
    'step | step_5 | - | not reached',
    'condition | true | - | not reached',
    'step | step_6 | - | not reached',
  ]);
});

test('after success the last condition was met, even if nothing followed it', async (t) => {
  const { report } = await reported(t, {
    error: 'true',
    env: { YES: '1' },
    workflows: { w: { steps: [{ if: 'YES', workflow: 'nothing' }] }, nothing: { steps: [] } },
  });
  assert.deepEqual(endings(report), ['condition | YES | - | met', 'hook | error | - | skipped | nothing failed']);
  assert.deepEqual(report.calls, [
    { workflow: 'w', caller: null, step: null, name: null },
    { workflow: 'nothing', caller: 0, step: 1, name: 'step_1' },
  ]);
});

test('a report of an empty run has no ops', async (t) => {
  const { report } = await reported(t, { workflows: { w: { steps: [] } } });
  assert.deepEqual({ success: report.success, ops: report.ops }, { success: true, ops: [] });
});

const LONG = 'x'.repeat(131_072);
const TOO_LONG = 'the system takes less than 131072';

test('a command that cannot be started has a reason, and the step after it was not reached', LINUX, async (t) => {
  const step = await reported(t, { error: 'true', workflows: { w: { steps: [`: ${LONG}`, 'true'] } } });
  assert.deepEqual(endings(step.report), [
    `step | step_1 | 126 | not started | the command is 131074 bytes long; ${TOO_LONG}`,
    'step | step_2 | - | not reached',
    'hook | error | 0 | succeeded',
  ]);
  const condition = await reported(t, { workflows: { w: { steps: [{ if: `: ${LONG}`, run: 'true' }] } } });
  assert.deepEqual(endings(condition.report), [
    `condition | : ${LONG} | 126 | not started | the command is 131074 bytes long; ${TOO_LONG}`,
    'step | step_1 | - | not reached',
  ]);
});

test('an interrupted run writes its report, with the signal and the steps not reached', async (t) => {
  const steps = ['true', 'kill -TERM $PPID; sleep 60', 'true'];
  const { report, signal } = await reported(t, { after_all: 'true', error: 'true', workflows: { w: { steps } } }, cli);
  assert.deepEqual([signal, report.success, report.interrupted], ['SIGTERM', false, 'SIGTERM']);
  assert.deepEqual(endings(report), [
    'step | step_1 | 0 | succeeded',
    'step | step_2 | 143 | SIGTERM | failed',
    'step | step_3 | - | not reached',
    'hook | after_all | - | not reached',
    'hook | error | 0 | succeeded',
  ]);
});

test('a run ended by a second signal writes its report', async (t) => {
  // A second signal within 300 ms of the first counts as the first.
  const steps = ["trap 'sleep 0.4; kill -INT $PPID' TERM; trap '' INT; kill -TERM $PPID; while :; do sleep 0.1; done"];
  const { report, signal } = await reported(t, { error: 'true', workflows: { w: { steps } } }, cli);
  assert.deepEqual([signal, report.interrupted], ['SIGINT', 'SIGINT']);
  assert.deepEqual(endings(report), ['step | step_1 | 137 | SIGKILL | failed', 'hook | error | - | not reached']);
});

test('an interruption fails the JUnit report even if every step exited with 0', async (t) => {
  const steps = ["trap 'exit 0' INT; kill -INT $PPID; while :; do sleep 0.1; done"];
  const cwd = workflowDirectory(t, { workflows: { w: { steps } } });
  const { signal } = await cli(['workflow', 'run', 'w', '--report', 'report.xml'], { cwd });
  assert.equal(signal, 'SIGINT');
  const xml = readFileSync(join(cwd, 'report.xml'), 'utf8').replaceAll(/ time(?:stamp)?="[^"]*"/g, '');
  assert.equal(
    xml,
    `<?xml version="1.0" encoding="UTF-8"?>
<testsuites name="w" tests="2" failures="0" errors="1">
  <testsuite name="w" tests="2" failures="0" errors="1" skipped="0">
    <testcase name="step_1" classname="w" file=".cli/workflow.json" line="1"/>
    <testcase name="the run" classname="w">
      <error message="interrupted by SIGINT" type="interrupted"/>
    </testcase>
  </testsuite>
</testsuites>
`,
  );
});

test('a repeated command is reported with its number of attempts and its last exit code', () => {
  const plan = compiled('{"workflows": {"w": {"steps": ["true"]}}}', 'w');
  const op = at(plan.ops, 0);
  const prepared = {
    plan,
    path: 'f.json',
    startDirectory: '',
    logs: undefined,
    position: () => ({ file: 'f.json', line: 1, column: 2 }),
  };
  const results = new OpResults(plan);
  assert.ok(op.kind === 'run');
  results.follow({ kind: 'started', op, index: 0 });
  for (const attempt of [1, 2])
    results.follow({ kind: 'waiting', op, index: 0, exit: { kind: 'exited', code: 1 }, attempt });
  results.follow({ kind: 'ended', op, index: 0, exit: { kind: 'exited', code: 0 }, attempts: 3 });
  const outcome = { success: true, interrupted: undefined, steps: [], hooks: [] };
  results.finish(outcome);
  const text = new FailureText(prepared, {});
  const run = { prepared, titles: new Titles(plan), text, results, usual: () => undefined };
  const report = makeReport(run, { host: 'host', git: null }, outcome);
  const found = [...report.ops].map(({ status, attempts, exit_code }) => [status, attempts, exit_code]);
  assert.deepEqual(found, [['succeeded', 3, 0]]);
});

test('a report contains no values except those of parameters, without secrets', async (t) => {
  const cwd = workflowDirectory(t, {
    env: { A: 'V4lue-1', B_TOKEN: 'V4lue-2' },
    workflows: {
      w: {
        env: { C: 'V4lue-3' },
        steps: [
          { if: '[ "$A" = "$D" ]', run: 'true' },
          { name: 'second', run: ': "$C"', with: { D: 'V4lue-4' } },
          { run: 'true', with: { LONG: `V4lue-${LONG}` } },
        ],
      },
    },
  });
  for (const file of ['report.json', 'report.xml', 'report.html']) {
    await quickCli(['workflow', 'run', 'w', 'D:shown', 'API_KEY:V4lue-5', '--report', file], {
      cwd,
      env: { E: 'V4lue-6' },
    });
    const text = readFileSync(join(cwd, file), 'utf8');
    assert.deepEqual([text.includes('second'), text.includes('V4lue')], [true, false], file);
  }
});

for (const [what, steps, summary] of [
  [
    'all steps are skipped',
    [
      { if: 'NO', run: 'true' },
      { if: 'NO', run: 'true' },
    ],
    'no step ran: 2 skipped',
  ],
  ['there are no steps', [], 'the workflow has no steps'],
] as const) {
  test(`the reports of a run state when ${what}`, async (t) => {
    const cwd = workflowDirectory(t, { workflows: { w: { steps } } });
    const written = async (file: string): Promise<string> => {
      await quickCli(['workflow', 'run', 'w', '--report', file], { cwd });
      return readFileSync(join(cwd, file), 'utf8');
    };
    assert.ok((await written('r.json')).includes(`"summary": "${summary}"`));
    assert.ok((await written('r.xml')).includes(`    <system-out>${summary}</system-out>\n  </testsuite>`));
    const page = await written('r.html');
    assert.match(page, /<p class="outcome">✓ succeeded after \d+ ms, but no step ran<\/p>/);
    assert.ok(page.includes(`<dt>Steps</dt><dd>${summary}</dd>`));
  });
}

test('a summary counts the steps of each status', async (t) => {
  const steps = ['true', { if: 'NO', run: 'true' }, { run: 'exit 3', allow_failure: true }, 'exit 4', 'true'];
  const { report } = await reported(t, { workflows: { w: { steps } } });
  assert.equal(report.summary, '1 succeeded, 1 skipped, 1 allowed to fail, 1 failed, 1 not reached');
});
