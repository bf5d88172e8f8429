import assert from 'node:assert/strict';
import { test } from 'node:test';
import { directoryJournal } from '../../src/journal/directory/directory_journal.ts';
import { pruneRuns } from '../../src/journal/prune.ts';
import type { SessionHeader } from '../../src/journal/record.ts';
import { temporaryDirectory } from '../support/cli.ts';
import { finish, header, HERE, lines, writeSession, TRUSTED } from '../support/runs/journal.ts';

function id(number: number): string {
  return `20261122-00000${number}-00000`;
}

test('pruning keeps the newest runs and all runs that may still be running', (t) => {
  const runs = temporaryDirectory(t);
  const journal = directoryJournal(runs, TRUSTED);
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
  const removed = pruneRuns(journal, 2, HERE, (pid) => (pid === 1 ? (HERE.started ?? undefined) : undefined));
  assert.deepEqual(removed, [0, 1, 4, 5, 6].map(id));
  assert.deepEqual(journal.runs(), [2, 3, 7, 8].map(id));
  assert.deepEqual(
    pruneRuns(journal, 0, HERE, () => HERE.started),
    [id(7)],
  );
});
