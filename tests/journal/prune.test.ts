import assert from 'node:assert/strict';
import { mkdirSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { findRun } from '../../src/driver/runs/find_run.ts';
import { directoryJournal } from '../../src/journal/directory/directory_journal.ts';
import { livenessOf } from '../../src/journal/holder.ts';
import { pruneRuns, removeOldest } from '../../src/journal/prune.ts';
import type { SessionHeader } from '../../src/journal/record.ts';
import { temporaryDirectory } from '../support/cli.ts';
import { finish, header, HERE, lines, writeSession, TRUSTED } from '../support/runs/journal.ts';

function id(number: number): string {
  return `20261122-00000${number}-00000`;
}

test('pruning keeps the newest runs and all runs that may still be running', (t) => {
  const runs = temporaryDirectory(t);
  const alive = new Set([1]);
  const startOf = (pid: number): string | undefined => (alive.has(pid) ? (HERE.started ?? undefined) : undefined);
  const journal = directoryJournal(runs, TRUSTED, (holder) => livenessOf(holder, HERE, startOf));
  const ENDED = lines(finish());
  const written: readonly (readonly [head: Partial<SessionHeader>, rest: string])[] = [
    [{}, ENDED],
    [{}, ''],
    [{ pid: 1 }, ''],
    [{ space: 'pid:[2]' }, ''],
    [{ space: 'pid:[2]' }, ENDED],
    [{}, `{\n${ENDED}`],
    [{}, ENDED],
    [{}, ENDED],
  ];
  for (const [number, [head, rest]] of written.entries()) {
    writeSession(runs, id(number), 'session-1.ndjson', lines(header({ run: id(number), ...head })) + rest);
  }
  writeSession(runs, id(8), 'session-1.ndjson', 'unreadable');
  const removed = pruneRuns(journal, 2);
  assert.deepEqual(removed, [0, 1, 4, 5, 6].map(id));
  assert.deepEqual(journal.runs(), [2, 3, 7, 8].map(id));
  alive.add(HERE.pid);
  assert.deepEqual(pruneRuns(journal, 0), [id(7)]);
});

test('a run removes old records, also if more of the oldest may still be running than it reads', (t) => {
  const path = temporaryDirectory(t);
  const runs = Array.from({ length: 100 }, (_, n) => `20261122-0000${String(n).padStart(2, '0')}-00000`);
  for (const [number, run] of runs.entries()) {
    const mayRun = number < 90;
    const head = lines(header({ run, ...(mayRun && { space: 'pid:[2]' }) }));
    writeSession(path, run, 'session-1.ndjson', mayRun ? head : head + lines(finish()));
  }
  const removeFrom = (random: number): readonly string[] => {
    const before = directoryJournal(path, TRUSTED).runs();
    removeOldest({ path, isNamed: true }, TRUSTED, before, 0, () => random);
    const after = new Set(directoryJournal(path, TRUSTED).runs());
    return before.filter((run) => !after.has(run));
  };
  assert.deepEqual(removeFrom(0), []);
  assert.deepEqual(removeFrom(0.5), runs.slice(90));
});

test('what a killed process leaves before its record has its name is nothing, and pruning removes it', (t) => {
  const runs = temporaryDirectory(t);
  const alive = new Set([1]);
  const startOf = (pid: number): string | undefined => (alive.has(pid) ? (HERE.started ?? undefined) : undefined);
  const journal = directoryJournal(runs, TRUSTED, (holder) => livenessOf(holder, HERE, startOf));
  const write = (number: number, name: string, content: string): void => writeSession(runs, id(number), name, content);
  write(1, '.session-1.ndjson.4711', lines(header({ run: id(1) })));
  write(2, '.session-1.ndjson.1', lines(header({ run: id(2), pid: 1 })));
  write(3, '.session-1.ndjson.4711', '{"kind":');
  write(4, '.session-1.ndjson.4711', '');
  write(5, '.session-1.ndjson.4711', lines(header({ run: id(5) })));
  write(5, 'notes.txt', '');
  mkdirSync(join(runs, id(6)));
  mkdirSync(join(runs, id(7)));
  const old = new Date(Date.now() - 120_000);
  utimesSync(join(runs, id(4), '.session-1.ndjson.4711'), old, old);
  utimesSync(join(runs, id(7)), old, old);
  const found = findRun(journal, undefined);
  assert.deepEqual(found, { ok: false, problems: ['no run is recorded here'] });
  assert.deepEqual(pruneRuns(journal, 50), []);
  assert.deepEqual(journal.runs(), [2, 3, 5, 6].map(id));
});
