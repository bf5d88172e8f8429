/* The programs that print secrets for exported scripts: groups, signals and daemons. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import { finish } from '../support/cli.ts';
import { bash, exported, type Exported } from '../support/export/exported.ts';
import { SETSID } from '../support/processes/bench.ts';
import { isAlive } from '../support/processes/processes.ts';
import { until } from '../support/until.ts';

/** A program that fails if another one runs. */
const alone = (name: string): readonly string[] =>
  bash(`mkdir lock || echo overlap >>starts; echo ${name} >>starts; sleep 0.1; rmdir lock; echo ${name}`);

test('the members of groups of a script share the secrets, whose programs run one at a time', async (t) => {
  const members = [1, 2, 3].map((number) => {
    return { name: `m${number}`, if: 'test 1', run: 'echo "$ONE $TWO $BIG" | cksum', secrets: ['ONE', 'TWO', 'BIG'] };
  });
  const { cwd, env, temporary } = await exported(t, {
    secrets: {
      ONE: { command: alone('one') },
      TWO: { command: alone('two') },
      BIG: { command: bash('printf "ž%.0s" {1..20000}') },
    },
    workflows: {
      x: {
        steps: [
          { parallel: members },
          { if: 'test 1', run: 'echo "$ONE $TWO $BIG" | cksum', secrets: ['ONE', 'TWO', 'BIG'] },
        ],
      },
    },
  });
  const { code, stderr } = await finish('bash', ['x.sh'], { cwd, env });
  assert.equal(code, 0, stderr);
  const sums = stderr.match(/\d+ \d+$/gm) ?? [];
  assert.deepEqual([sums.length, new Set(sums).size, sums[0]?.split(' ')[1]], [4, 1, '40009']);
  assert.deepEqual(
    [readFileSync(join(cwd, 'starts'), 'utf8').split('\n').toSorted(), readdirSync(temporary)],
    [['', 'one', 'two'], []],
  );
});

/** Starts the script, sends it a signal once a program has written `pid`, and returns the end of the script. */
async function signalled(
  { cwd, env }: Exported,
  signal: NodeJS.Signals,
): Promise<Readonly<{ by: unknown; stderr: string; isAlive: boolean }>> {
  const child = spawn('bash', ['x.sh'], { cwd, env, stdio: ['ignore', 'ignore', 'pipe'] });
  const ended = new Promise((resolve) => void child.once('exit', (code, by) => resolve(by ?? code)));
  const all = text(child.stderr);
  const path = join(cwd, 'pid');
  const pid = (): string => (existsSync(path) ? readFileSync(path, 'utf8') : '');
  await until(
    () => pid().endsWith('\n'),
    () => 'a program has started',
  );
  child.kill(signal);
  const [by, stderr] = await Promise.all([ended, all]);
  return { by, stderr, isAlive: isAlive(Number(pid())) };
}

const SLOW = bash('test -e pid && echo second && exit; sleep 100 & echo $! >pid; wait');

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  test(`${signal} ends the program of a secret before the first command, and then the script`, async (t) => {
    const file = {
      secrets: { KEY: { command: SLOW } },
      finally: 'touch ran',
      workflows: { x: { steps: [{ run: 'touch ran', secrets: ['KEY'] }] } },
    };
    const given = await exported(t, file);
    const ended = await signalled(given, signal);
    assert.deepEqual(ended, { by: signal, stderr: `x.sh: interrupted by ${signal}\n`, isAlive: false });
    assert.deepEqual([existsSync(join(given.cwd, 'ran')), readdirSync(given.temporary)], [false, []]);
  });
}

for (const [place, steps] of [
  ['for a step', [{ if: 'test 1', run: 'touch ran', secrets: ['KEY'] }]],
  ['for a member of a group', [{ parallel: [{ if: 'test 1', run: 'touch ran', secrets: ['KEY'] }, 'sleep 100'] }]],
] as const) {
  test(`a signal while a program gets a secret ${place} of a script is an interruption, and a hook can get its secrets`, async (t) => {
    const error = { run: 'echo "error $KEY"', secrets: ['KEY'] };
    const given = await exported(t, { secrets: { KEY: { command: SLOW } }, error, workflows: { x: { steps } } });
    const { by, stderr, isAlive: isLeft } = await signalled(given, 'SIGTERM');
    assert.deepEqual([by, isLeft, existsSync(join(given.cwd, 'ran'))], ['SIGTERM', false, false]);
    assert.deepEqual(stderr.split('\n').slice(-4), [
      "x.sh: hook 'error'",
      'error second',
      'x.sh: interrupted by SIGTERM',
      '',
    ]);
    assert.deepEqual(readdirSync(given.temporary), []);
  });
}

test('fail_fast of a script does not wait for the program of a secret, and does not end it', async (t) => {
  const provider = bash('echo start >>starts; touch begun; until test -e after; do sleep 0.02; done; echo late');
  const members = [
    { if: 'test 1', run: 'touch ran', secrets: ['KEY'] },
    { if: 'test 1', run: 'touch ran', secrets: ['KEY', 'OTHER'] },
    'until test -e begun; do sleep 0.02; done; exit 3',
  ];
  const { cwd, env } = await exported(t, {
    secrets: { KEY: { command: provider }, OTHER: { command: ['touch', 'ran'] } },
    error: { run: 'echo "error $KEY"', secrets: ['KEY'] },
    workflows: { x: { error: 'touch after', steps: [{ parallel: members, fail_fast: true }] } },
  });
  const { code, stderr } = await finish('bash', ['x.sh'], { cwd, env });
  assert.deepEqual([code, stderr.endsWith('\nerror late\n'), existsSync(join(cwd, 'ran'))], [1, true, false], stderr);
  assert.equal(readFileSync(join(cwd, 'starts'), 'utf8'), 'start\n');
});

test('a daemon of a program that keeps its output open is neither waited for nor ended by a script', async (t) => {
  const daemon = bash(`${SETSID} sleep 60 2>/dev/null & echo $! >daemon; echo value`);
  const { cwd, env } = await exported(t, {
    secrets: { KEY: { command: daemon } },
    workflows: { x: { steps: [{ run: 'echo "<$KEY>"', secrets: ['KEY'] }] } },
  });
  const started = Date.now();
  const { code, stderr } = await finish('bash', ['x.sh'], { cwd, env });
  const pid = Number(readFileSync(join(cwd, 'daemon'), 'utf8'));
  assert.ok(isAlive(pid));
  process.kill(pid);
  assert.deepEqual([code, stderr], [0, "x.sh: step 'step_1' of workflow 'x'\n<value>\n"]);
  assert.ok(Date.now() - started < 30_000);
});
