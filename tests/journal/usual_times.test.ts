import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test, type TestContext } from 'node:test';
import { COMMAND, COMMAND_LINE, cli, cliWithAnnouncements, finish, workflowDirectory } from '../support/cli.ts';
import { needs } from '../support/needs.ts';
import { screenText, timeless } from '../support/processes/screen.ts';
import { LINUX } from '../support/processes/shell.ts';
import { terminal } from '../support/processes/terminal.ts';
import { end, finish as finished, print, start, writeOwnRun } from '../support/runs/journal.ts';

/** A recorded step: its name, its command, its time in seconds, and its exit code. */
type Given = readonly [name: string, command: string, seconds: number, exit?: number];

/** The time some seconds after the start of a run. */
const at = (time: number): string => new Date(Date.parse('2026-11-20T00:00:00.000Z') + time * 1000).toISOString();

/** The number of recorded runs, whose ids differ. */
let runs = 0;

/** Records runs of the workflow `ci`, oldest first, each with its time in seconds and its steps. */
function record(cwd: string, seconds: number, ...steps: readonly Given[]): void {
  runs += 1;
  const records = steps.flatMap(([name, command, took, exit = 0], index) => [
    start(index + 1, name, {
      id: name.split('/').map((part) => (part === 'parallel' ? part : `name:${part}`)),
      print: print(command),
      at: at(0),
    }),
    end(index + 1, exit, { ms: took * 1000 }),
  ]);
  const success = steps.every(([, , , exit = 0]) => exit === 0);
  const id = `20261119-${String(Math.floor(runs / 3600) + 10)}${new Date(runs * 1000).toISOString().slice(14, 19).replace(':', '')}-uuuuu`;
  writeOwnRun(join(cwd, '.cli/runs'), id, { at: at(0) }, ...records, finished({ success, at: at(seconds) }));
}

function project(t: TestContext, steps: readonly unknown[]): string {
  return workflowDirectory(t, { workflows: { ci: { steps } } });
}

const RECORDED = { CLI_NO_JOURNAL: undefined };

test('steps and a dry run say how long they usually take, from at least two earlier runs', async (t) => {
  const cwd = project(t, [
    { name: 'first', run: 'sleep 2' },
    { name: 'long', run: 'echo long' },
  ]);
  for (let run = 0; run < 2; run += 1) record(cwd, 300, ['first', 'sleep 2', 0], ['long', 'echo long', 120]);
  const planned = await cli(['run', 'ci', '-n'], { cwd });
  assert.equal(planned.stdout.split('\n').at(-2), 'about 5 min, from the last 2 runs');
  const { stderr } = await cliWithAnnouncements(['run', 'ci'], { cwd, env: RECORDED });
  assert.match(stderr, /cli: step 'long' of workflow 'ci' \(usually 2 min\)\n/);
  assert.match(stderr, /cli: step 'long' of workflow 'ci' succeeded, .*\(usually 2 min\)\n/);
});

test('the usual time is the median of five successes of the same command in the ten newest runs', async (t) => {
  const cwd = project(t, [
    { name: 'first', run: 'sleep 2' },
    ...['long', 'short', 'edited', 'once'].map((name) => ({ name, run: `echo ${name}` })),
  ]);
  const rest: readonly Given[] = [
    ['short', 'echo short', 4.9],
    ['edited', 'echo earlier', 60],
  ];
  // The oldest are out of sight: of the last ten runs, five have succeeded.
  for (let run = 0; run < 3; run += 1) record(cwd, 1000, ['long', 'echo long', 500], ['once', 'echo once', 60]);
  for (let run = 0; run < 5; run += 1) record(cwd, 30, ...rest, ['long', 'echo long', 7, 1]);
  for (const seconds of [10, 60, 20, 50, 30]) record(cwd, seconds + 100, ...rest, ['long', 'echo long', seconds]);
  const planned = await cli(['run', 'ci', '-n'], { cwd });
  assert.equal(planned.stdout.split('\n').at(-2), 'about 2 min 10 s, from the last 5 runs');
  const { stderr } = await cliWithAnnouncements(['run', 'ci'], { cwd, env: RECORDED });
  assert.deepEqual(stderr.match(/'\w+' of workflow 'ci' \(usually.*\)/g), ["'long' of workflow 'ci' (usually 30 s)"]);
});

/** The number of records in some lines of a trace. */
const read = (lines: readonly string[]): number => lines.filter((line) => line.includes('-uuuuu/session-1')).length;

describe('a run of more than ten seconds', { concurrency: 2, ...needs('python3') }, () => {
  const STEPS = [
    {
      parallel: [
        { name: 'slow', run: 'sleep 10.7' },
        { name: 'fast', run: 'true' },
      ],
    },
    { name: 'last', run: 'true' },
  ];
  const [SHARE, NONE] = [/\]9;4;1;(\d+)/g, ']9;4;0'];

  for (const [hidden, env] of [
    [false, {}],
    [true, { CLI_NO_PROGRESS: '1' }],
  ] as const) {
    test(`shows the share of its usual time, its usual time and its longest chain${hidden ? '; no share with CLI_NO_PROGRESS' : ''}`, async (t) => {
      const cwd = project(t, STEPS);
      for (let run = 0; run < 2; run += 1) record(cwd, 340, ['parallel/slow', 'sleep 10.7', 40]);
      const shown = terminal(t, cwd, 'bash', ['-c', `exec ${COMMAND_LINE} run ci`], {
        TERM: 'xterm',
        NO_COLOR: '1',
        ...RECORDED,
        ...env,
      });
      await shown.ended;
      const screen = await shown.shows('longest');
      const shares = [...screen.matchAll(SHARE)].map(([, share]) => Number(share));
      assert.deepEqual([shares.length > 0, screen.includes(NONE)], [!hidden, !hidden]);
      assert.ok(
        shares.every((share) => share >= 25 && share < 40),
        shares.join(),
      );
      const text = timeless(screenText(screen));
      assert.match(text, /^\u2713 slow <time> \(usually 40 s\)$/m);
      assert.match(text, /^\u2713 ci succeeded: 3 steps ran, <time> \(usually 5 min 40 s\)$/m);
      assert.match(text, /^ {2}longest {2}slow, last: <time>$/m);
    });
  }
});

test(
  'a run with 1,000 earlier runs reads none of them before its first step, and ten during it',
  { ...LINUX, ...needs('strace') },
  async (t) => {
    const cwd = project(t, ['sleep 3', 'true']);
    for (let run = 0; run < 1000; run += 1) record(cwd, 30, ['other', 'echo other', 20]);
    const trace = ['-f', '-qq', '-o', 'trace', '-e', 'signal=none', '-e', 'trace=openat,execve'];
    const result = await finish('strace', [...trace, ...COMMAND, 'run', 'ci', '--no-logs'], { cwd, env: RECORDED });
    assert.equal(result.code, 0, result.stderr);
    const lines = readFileSync(join(cwd, 'trace'), 'utf8').split('\n');
    const [first = -1, second = -1] = ['"sleep 3"', '"true"'].map((word) =>
      lines.findIndex((line) => line.includes('execve(') && line.includes(word)),
    );
    assert.ok(first > 0 && second > first);
    assert.equal(read(lines.slice(0, first)), 0);
    assert.equal(read(lines.slice(first, second)), 10);
  },
);
