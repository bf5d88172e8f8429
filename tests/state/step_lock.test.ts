import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import fs, { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';
import { test } from 'node:test';
import { delay } from '../../src/backend/system/sleep.ts';
import { startOf, thisProcess } from '../../src/records/journal/holder.ts';
import { StepLock } from '../../src/records/up_to_date/step_lock.ts';
import { temporaryDirectory } from '../support/cli.ts';
import { LINUX } from '../support/processes/shell.ts';
import { COPY, project } from '../support/runs/checked_project.ts';

test('the record of a step that another process runs is not written again', async (t) => {
  const { path, run, write } = project(t, [COPY]);
  write('in', 'one');
  await run();
  const names = (): readonly string[] => readdirSync(path('.cli/state'));
  const record = names().find((name) => name.endsWith('.json')) ?? '';
  const stored = (): string => readFileSync(path(join('.cli/state', record)), 'utf8');
  const before = stored();
  const lock = `.cli/state/${record.replace('.json', '.lock.other')}`;
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
  const lock = new StepLock(directory, { step: 'step', values: 'values' });
  const other = spawn('sleep', ['60']);
  const ended = once(other, 'exit');
  t.after(() => other.kill('SIGKILL'));
  const { pid } = other;
  assert.ok(pid !== undefined);
  // After the first look at the locks, the other process takes the lock unseen.
  const { renameSync } = fs;
  t.mock.method(fs, 'renameSync', (from: string, to: string) => {
    const holder = JSON.stringify({ ...thisProcess(), pid, started: startOf(pid) });
    writeFileSync(join(directory, 'step-values.lock.other'), holder);
    renameSync(from, to);
  });
  syncBuiltinESMExports();
  assert.equal(lock.tryToTake(), false);
  t.mock.reset();
  syncBuiltinESMExports();
  assert.deepEqual(readdirSync(directory), ['step-values.lock.other']);
  other.kill('SIGKILL');
  await ended;
  assert.equal(lock.tryToTake(), true);
});
