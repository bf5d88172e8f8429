import assert from 'node:assert/strict';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { workflowDirectory } from '../support/cli.ts';
import { check, compile } from '../support/goldens/schemas.ts';
import { inProcess } from '../support/in_process.ts';
import { end, finish, lines, header, start, writeOwnRun, writeSession } from '../support/runs/journal.ts';
import type { SessionRecord } from '../../src/records/journal/record.ts';

const ENV = { XDG_STATE_HOME: process.env['XDG_STATE_HOME'] };

const FILE = { workflows: { ci: { steps: [{ name: 'build', run: 'do build' }] } } };

/** The time `seconds` after the start of the day of a run. */
const at = (seconds: number): string => new Date(Date.parse('2026-11-20T00:00:00.000Z') + seconds * 1000).toISOString();

/** The number of projects, whose runs have different ids. */
let projects = 0;

/** The id of the run of an hour in the newest project. */
const idOf = (hour: number): string =>
  `20261120-${String(hour).padStart(2, '0')}${String(projects).padStart(2, '0')}00-aaaaa`;

type Given = Readonly<{ took: number; build?: readonly number[]; exit?: number; records?: readonly SessionRecord[] }>;

/** Records a run for each entry, an hour apart: its time, and the exit codes of the attempts of its step, in seconds. */
function project(t: TestContext, runs: readonly Given[]): string {
  const cwd = workflowDirectory(t, FILE);
  projects += 1;
  for (const [hour, { took, build = [0], exit = build.at(-1), records }] of runs.entries()) {
    const own = build.flatMap((code, index) => [
      start(index + 1, 'build', { attempt: index + 1, at: at(1) }),
      end(index + 1, code, { ms: 60_000 * (hour + 1) }),
    ]);
    const last = finish({ success: exit === 0, at: at(took) });
    writeOwnRun(join(cwd, '.cli/runs'), idOf(hour), { at: at(0) }, ...(records ?? [...own, last]));
  }
  return cwd;
}

async function statistics(t: TestContext, cwd: string, ...words: readonly string[]): Promise<unknown> {
  const { stdout, stderr } = await inProcess(t, ['workflow', 'runs', 'list', '--stats', ...words], { cwd, env: ENV });
  assert.equal(stderr, '');
  const document: unknown = JSON.parse(stdout);
  check(compile('runs-stats'), document);
  return document;
}

test('statistics have the times of successes, and a step is flaky if it passes unchanged after a failure', async (t) => {
  const cwd = project(t, [
    { took: 100 },
    { took: 900, build: [1] },
    { took: 200 },
    { took: 400, build: [1, 0] },
    { took: 300 },
  ]);
  const step = { path: 'build', name: 'build', runs: 5, succeeded: 4, median_ms: 240_000, p90_ms: 480_000, flaky: 2 };
  const expected = { workflow: 'ci', runs: 5, succeeded: 4, median_ms: 300_000, p90_ms: 480_000, steps: [step] };
  // The time of the run with two attempts is shorter than its step: the clock was changed.
  const times = { median_ms: 200_000, p90_ms: 300_000 };
  assert.deepEqual(await statistics(t, cwd, 'ci'), { ...expected, ...times });
  assert.deepEqual(await statistics(t, cwd), [{ ...expected, ...times }]);
  assert.deepEqual(await inProcess(t, ['runs', '--stats', 'ci'], { cwd, env: ENV }), {
    code: 0,
    signal: null,
    stdout: [
      'ci: 4 of 5 runs succeeded, median 3 min 20 s, 90 % within 5 min',
      'RAN  PASSED  MEDIAN   90 %  STEP',
      '  5    80 %   4 min  8 min  build  (failed, then passed unchanged, 2 of 5)',
      '',
    ].join('\n'),
    stderr: '',
  });
});

test('foreign and damaged records, a clock set back, parts and interrupted runs do not enter the times', async (t) => {
  const cwd = project(t, [
    { took: 100 },
    { took: -50 },
    { took: 100, records: [start(1, 'build'), finish({ success: true, whole: false, at: at(5) })] },
    { took: 100, records: [start(1, 'build'), finish({ success: false, interrupted: 'SIGINT', at: at(5) })] },
  ]);
  const runs = join(cwd, '.cli/runs');
  writeSession(runs, idOf(20), 'session-1.ndjson', lines(header({ run: idOf(20) }), finish({ success: false })));
  writeOwnRun(runs, idOf(21), { at: at(0) });
  writeSession(runs, idOf(21), 'session-2.ndjson', '{"kind":"unknown"}\n');
  mkdirSync(join(runs, idOf(22)));
  const step = { path: 'build', name: 'build', runs: 2, succeeded: 2, median_ms: 90_000, p90_ms: 120_000, flaky: 0 };
  const expected = { workflow: 'ci', runs: 2, succeeded: 2, median_ms: 100_000, p90_ms: 100_000, steps: [step] };
  assert.deepEqual(await statistics(t, cwd, 'ci'), expected);
});

test('a run that was resumed counts once, by its last end', async (t) => {
  const cwd = project(t, [{ took: 100, build: [1] }]);
  const second = header({ run: idOf(0), session: 2, at: at(1000) });
  const records = [start(1, 'build', { at: at(1000) }), end(1, 0, { ms: 2000 }), finish({ at: at(1020) })];
  writeSession(join(cwd, '.cli/runs'), idOf(0), 'session-2.ndjson', lines(second, ...records));
  const step = { path: 'build', name: 'build', runs: 1, succeeded: 1, median_ms: 2000, p90_ms: 2000, flaky: 1 };
  const found = await statistics(t, cwd, 'ci');
  const total = { median_ms: 120_000, p90_ms: 120_000 };
  assert.deepEqual(found, { workflow: 'ci', runs: 1, succeeded: 1, ...total, steps: [step] });
});

test('a workflow without runs, a second word and another computer are errors', async (t) => {
  const cwd = workflowDirectory(t, FILE);
  for (const [words, problem] of [
    [['ci'], "no run of workflow 'ci' has ended in .cli/runs"],
    [['ci', 'ci'], "'--stats' takes one workflow"],
    [['--on', 'postgres://h/d'], "'--stats' is for the runs on this machine, not with '--on'"],
  ] as const) {
    const result = await inProcess(t, ['runs', 'list', '--stats', ...words], { cwd, env: ENV });
    assert.deepEqual(result, { code: 2, signal: null, stdout: '', stderr: `cli: ${problem}\n` });
  }
  const unnamed = await inProcess(t, ['runs', 'list', 'ci'], { cwd });
  assert.equal(unnamed.stderr, "cli: the name of a workflow needs '--stats'\n");
});
