import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import {
  livenessOf,
  startOf,
  thisProcess,
  type Holder,
  type HolderState,
} from '../../src/records/journal/holder/holder.ts';
import { runState, type RunState, type RecordedRun } from '../../src/records/journal/journal.ts';
import { finish, header, HERE, RUN, start } from '../support/runs/journal.ts';
import { HAS_PROC } from '../support/processes/shell.ts';
import { until } from '../support/until.ts';

/** A process on a system without /proc. */
const TIMED = { started: '2026-11-28T16:22:57.500Z', space: null } as const;

const ROWS: readonly (readonly [
  name: string,
  held: Partial<Holder>,
  started: string | null | undefined,
  is: HolderState,
])[] = [
  ['the process with its pid has the same start time', {}, '99', 'alive'],
  ['the process with its pid has another start time', {}, '98', 'dead'],
  ['there is no process with its pid', {}, undefined, 'dead'],
  ['the host was rebooted since', { boot: 'before' }, '99', 'dead'],
  ['it is on another host', { boot: 'before', host: 'other' }, '99', 'unclear'],
  ['it is on another host under the same boot', { space: 'pid:[2]', host: 'other' }, undefined, 'unclear'],
  ['it is in another pid namespace', { space: 'pid:[2]' }, undefined, 'unclear'],
  ['its pid namespace is unknown', { space: null }, undefined, 'unclear'],
  ['its start time is unknown', { started: null }, '99', 'unclear'],
  ['its system provides no details, and there is a process with its pid', { boot: null }, null, 'unclear'],
  ['its system provides no details, and there is no process with its pid', { boot: null }, undefined, 'dead'],
  ['it is on another host whose system provides no details', { boot: null, host: 'other' }, undefined, 'unclear'],
  ['it had its pid in the second in which that process started', TIMED, '2026-11-28T16:22:57.000Z', 'alive'],
  ['the process with its pid started later', TIMED, '2026-11-28T16:22:58.000Z', 'dead'],
  [
    'only its boot is the same, and not the host name',
    { ...TIMED, host: 'other' },
    '2026-11-28T16:22:50.000Z',
    'alive',
  ],
  ['only its time and host name are known', { ...TIMED, boot: null }, '2026-11-28T16:22:50.000Z', 'alive'],
  ['the start of the process with its pid is unknown', TIMED, null, 'unclear'],
  ['it has a time, and the process with its pid has ticks', TIMED, '99', 'unclear'],
  ['the time of the boot has changed with the clock', { ...TIMED, boot: '17' }, '2026-11-28T16:22:50.000Z', 'alive'],
];

for (const [name, held, started, expected] of ROWS) {
  test(`a holder is ${expected} if ${name}`, () => {
    assert.equal(
      livenessOf({ ...HERE, ...held }, held.boot === '17' ? { ...HERE, boot: '16' } : HERE, () => started),
      expected,
    );
  });
}

test('this process is alive, and identified by all details of the system', () => {
  const here = thisProcess();
  assert.equal(livenessOf(here, thisProcess(), startOf), 'alive');
  if (HAS_PROC.skip !== false) return;
  assert.match(here.started ?? '', /^\d+$/);
  assert.match(here.boot ?? '', /^[0-9a-f-]{36}$/);
  assert.match(here.space ?? '', /^pid:\[\d+\]$/);
  assert.equal(livenessOf({ ...here, started: '1' }, here, startOf), 'dead');
});

test('a stopped process is alive, and an ended one is dead', { skip: process.platform !== 'linux' }, async () => {
  const child = spawn('sleep', ['60']);
  const { pid } = child;
  assert.ok(pid !== undefined);
  const held = { ...thisProcess(), pid, started: startOf(pid) ?? null };
  child.kill('SIGSTOP');
  assert.equal(livenessOf(held, thisProcess(), startOf), 'alive');
  const ended = once(child, 'exit');
  child.kill('SIGKILL');
  await ended;
  assert.equal(livenessOf(held, thisProcess(), startOf), 'dead');
});

test('a zombie is dead', HAS_PROC, async () => {
  // The parent becomes a sleep, which never waits for its children.
  const child = spawn('bash', ['-c', 'sleep 60 & echo $!; exec sleep 60']);
  const [line] = await once(child.stdout, 'data');
  const pid = Number(String(line));
  const held = { ...thisProcess(), pid, started: startOf(pid) ?? null };
  await until(
    () => readFileSync(`/proc/${child.pid}/comm`, 'utf8') === 'sleep\n',
    () => 'the parent is a sleep',
  );
  process.kill(pid, 'SIGKILL');
  await until(
    () => readFileSync(`/proc/${pid}/stat`, 'utf8').includes(') Z '),
    () => 'the child of sleep is a zombie',
  );
  assert.equal(livenessOf(held, thisProcess(), startOf), 'dead');
  child.kill('SIGKILL');
  await once(child, 'exit');
});

const ended = (more: object): RecordedRun => run([start(1, 'a'), finish(more)], { holder: null });
function run(records: RecordedRun['sessions'][number]['records'], more: Partial<RecordedRun> = {}): RecordedRun {
  const sessions = [{ header: header(), records }];
  return { id: RUN, sessions, lost: false, foreign: false, holder: 'dead', damage: null, ...more };
}
const DAMAGE = { kind: 'damaged', line: 3, file: 'x' } as const;

const STATES: readonly (readonly [state: RunState, run: RecordedRun])[] = [
  ['succeeded', ended({})],
  ['stopped', ended({ whole: false })],
  ['failed', ended({ success: false })],
  ['interrupted', ended({ success: false, interrupted: 'SIGINT' })],
  ['running', run([start(1, 'a')], { holder: 'alive' })],
  ['running', run([start(1, 'a')], { holder: 'alive', lost: true })],
  ['running', run([start(1, 'a')], { holder: 'alive', damage: DAMAGE })],
  ['crashed', run([start(1, 'a')])],
  ['crashed', run([])],
  ['unclear', run([], { holder: 'unclear' })],
  ['lost', run([start(1, 'a')], { lost: true })],
  ['lost', run([start(1, 'a')], { holder: 'unclear', lost: true })],
  ['lost', run([finish()], { holder: null, lost: true })],
  ['lost', run([], { sessions: [], holder: null, lost: true })],
  ['damaged', run([start(1, 'a')], { damage: DAMAGE })],
  ['damaged', run([], { sessions: [], holder: null, damage: DAMAGE })],
];

for (const [index, [state, recorded]] of STATES.entries()) {
  test(`a run is ${state} (${index + 1})`, () => {
    assert.equal(runState(recorded), state);
  });
}

test('the state of a run is that of its last session', () => {
  const sessions = [
    { header: header(), records: [finish({ success: false })] },
    { header: header({ session: 2 }), records: [finish()] },
  ];
  assert.equal(runState(run([], { sessions, holder: null })), 'succeeded');
});
