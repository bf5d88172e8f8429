import assert from 'node:assert/strict';
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import fs, { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';
import { test } from 'node:test';
import { delay } from '../../src/backend/system/sleep.ts';
import { startOf, thisProcess } from '../../src/records/journal/holder/holder.ts';
import { TicketLock } from '../../src/records/locks/ticket_lock.ts';
import { fileURLToPath } from 'node:url';
import { temporaryDirectory } from '../support/cli.ts';
import { LINUX } from '../support/processes/shell.ts';
import { COPY, project } from '../support/runs/checked_project.ts';
import { until } from '../support/until.ts';

/** The number of kills. 200 take three minutes. */
const KILLS = Number(process.env['KILLS'] ?? 5);

/** The number of processes that want the lock. */
const USERS = 6;

test('the record of a step that another process runs is not written again', async (t) => {
  const { path, run, write } = project(t, [COPY]);
  write('in', 'one');
  await run();
  const names = (): readonly string[] => readdirSync(path('.cli/state'));
  const record = names().find((name) => name.endsWith('.json')) ?? '';
  const stored = (): string => readFileSync(path(join('.cli/state', record)), 'utf8');
  const before = stored();
  const lock = `.cli/state/${record.replace('.json', '.lock.1.other')}`;
  write(lock, JSON.stringify(thisProcess()));
  // Stamps are relied on two seconds after the last change of a file.
  await delay(2100);
  assert.equal((await run()).stderr, '');
  assert.equal(stored(), before);
  rmSync(path(lock));
  assert.equal((await run()).stderr, '');
  assert.notEqual(stored(), before);
});

test('of two processes that take a lock at the same time, one that sees the other steps back', LINUX, async (t) => {
  const directory = temporaryDirectory(t);
  const lock = new TicketLock(directory, 'lock');
  const other = spawn('sleep', ['60']);
  const ended = once(other, 'exit');
  t.after(() => other.kill('SIGKILL'));
  const { pid } = other;
  assert.ok(pid !== undefined);
  // After the first look at the locks, the other process takes the lock unseen.
  const { renameSync } = fs;
  t.mock.method(fs, 'renameSync', (from: string, to: string) => {
    const holder = JSON.stringify({ ...thisProcess(), pid, started: startOf(pid) });
    writeFileSync(join(directory, 'lock.1.other'), holder);
    renameSync(from, to);
  });
  syncBuiltinESMExports();
  assert.equal(lock.tryToTake(), false);
  t.mock.reset();
  syncBuiltinESMExports();
  assert.deepEqual(readdirSync(directory), ['lock.1.other']);
  other.kill('SIGKILL');
  await ended;
  assert.equal(lock.tryToTake(), true);
});

test(
  `of ${USERS} processes that take a lock again and again, two never have it at once, and ${KILLS} kills leave no lock`,
  LINUX,
  async (t) => {
    const directory = temporaryDirectory(t);
    mkdirSync(join(directory, 'locks'));
    const script = fileURLToPath(import.meta.resolve('../support/runs/lock_user.js'));
    const start = (): ChildProcess => {
      const child = spawn(process.execPath, [script, directory], { stdio: ['ignore', 'ignore', 'inherit'] });
      t.after(() => void child.kill('SIGKILL'));
      return child;
    };
    const users = Array.from({ length: USERS }, start);
    const log = join(directory, 'log');
    const taken = (): number => (existsSync(log) ? statSync(log).size : 0);
    for (let kill = 0; kill < KILLS; kill += 1) {
      const before = taken();
      // Whoever was killed had, wanted or drew the lock, and the others go on.
      await until(
        () => taken() > before + USERS,
        () => `the lock is taken after kill ${kill}`,
        5,
      );
      await delay(Math.random() * 10);
      const [killed] = users.splice(kill % USERS, 1, start());
      killed?.kill('SIGKILL');
    }
    const ended = users.map((child) => once(child, 'exit'));
    for (const child of users) child.kill('SIGKILL');
    await Promise.all(ended);
    assert.equal(existsSync(join(directory, 'violations')), false);
    const lock = new TicketLock(join(directory, 'locks'), 'lock');
    assert.equal(lock.tryToTake(), true);
    lock.release();
    const left = readdirSync(join(directory, 'locks')).filter((name) => !name.startsWith('lock.new.'));
    assert.deepEqual(left, []);
  },
);
