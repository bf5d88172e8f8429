import assert from 'node:assert/strict';
import { readdirSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { startOf, thisProcess } from '../../src/records/journal/holder/holder.ts';
import { FileStates } from '../../src/records/up_to_date/file_states.ts';
import { FileTable } from '../../src/records/up_to_date/file_table.ts';
import { TicketLock } from '../../src/records/locks/ticket_lock.ts';
import { temporaryDirectory } from '../support/cli.ts';

/** The state of a file, from a new process that knows a record. */
function stateOf(path: string, recorded: FileTable | undefined): FileTable {
  const table = new FileTable();
  assert.equal(new FileStates().add(path, table, recorded), undefined);
  return table;
}

test('a record from a time that lies ahead of the clock does not hide an edit', (t) => {
  const path = join(temporaryDirectory(t), 'file');
  writeFileSync(path, 'one');
  const now = Date.now();
  const clock = t.mock.method(Date, 'now', () => now - 3_600_000);
  const recorded = stateOf(path, undefined);
  assert.equal(recorded.isSettled(0), false);
  writeFileSync(path, 'two');
  utimesSync(path, now / 1000, now / 1000);
  const later = stateOf(path, recorded);
  assert.equal(later.isSame(0, recorded, 0), false);
  clock.mock.mockImplementation(() => now + 3_600_000);
  const settled = stateOf(path, later);
  assert.deepEqual([settled.isSettled(0), settled.isSame(0, later, 0)], [true, true]);
  // An edit changes the inode's time of change, whatever becomes of the other times.
  const [, , modified = 0] = settled.stamps;
  writeFileSync(path, 'six');
  utimesSync(path, modified / 1000, modified / 1000);
  assert.equal(stateOf(path, settled).isSame(0, settled, 0), false);
});

test('the lock of a living process holds; that of a dead one does not, also if its pid is in use again', (t) => {
  const directory = temporaryDirectory(t);
  const other = { ...thisProcess(), pid: process.ppid, started: startOf(process.ppid) ?? null };
  const path = join(directory, 'lock.1.other');
  const lock = new TicketLock(directory, 'lock');
  writeFileSync(path, JSON.stringify(other));
  assert.equal(lock.tryToTake(), false);
  writeFileSync(path, JSON.stringify({ ...other, started: '1' }));
  assert.equal(lock.tryToTake(), true);
  assert.deepEqual(new TicketLock(directory, 'lock').tryToTake(), false);
  lock.release();
  assert.deepEqual(readdirSync(directory), []);
});
