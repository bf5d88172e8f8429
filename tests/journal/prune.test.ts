import assert from 'node:assert/strict';
import { mkdirSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { findRun } from '../../src/cli/driver/recording/find_run.ts';
import { directoryJournal } from '../../src/records/journal/directory/directory_journal.ts';
import { livenessOf } from '../../src/records/journal/holder/holder.ts';
import { pruneRuns, removeOldest } from '../../src/records/journal/prune.ts';
import type { RecordedRun } from '../../src/records/journal/journal.ts';
import type { SessionHeader } from '../../src/records/journal/record.ts';
import { temporaryDirectory } from '../support/cli.ts';
import { finish, header, HERE, lines, writeSession, TRUSTED } from '../support/runs/journal.ts';

function id(number: number): string {
  return `20261122-00000${number}-00000`;
}

const NOW = Date.parse('2026-11-23T00:00:00Z');
const FAILED = finish({ success: false });

/** Writes runs that have ended, numbered from 1, and returns their journal. */
function ended(
  runs: string,
  written: readonly (readonly [head: Partial<SessionHeader>, end: object])[],
): ReturnType<typeof directoryJournal> {
  for (const [index, [head, end]] of written.entries()) {
    const run = id(index + 1);
    writeSession(runs, run, 'session-1.ndjson', lines(header({ run, ...head }), end));
  }
  return directoryJournal(runs, TRUSTED);
}

function lost(number: number, workflow = 'ci'): string {
  return `removed run ${id(number)} of workflow '${workflow}', which could be resumed`;
}

for (const [name, written, removed, named] of [
  ['the newest run that can be resumed, not older ones', [FAILED, FAILED], [1], [1]],
  ['an interrupted run', [finish({ success: false, interrupted: 'SIGINT' })], [], []],
  ['a run of a part that has succeeded', [finish({ whole: false })], [], []],
  ['no run before a success of the workflow', [FAILED, FAILED, finish()], [1, 2, 3], []],
  ['a failed run after a success', [finish(), FAILED], [1], []],
  ['a run before a success with other parameters', [FAILED, [{ params: [['V', '2']] }, finish()]], [2], []],
  ['a run before a success with other arguments', [FAILED, [{ args: 1 }, finish()]], [2], []],
  ['a run before the success of a part', [FAILED, [{ from: 'a' }, finish({ whole: false })]], [], []],
  ['a run before the success of another workflow', [FAILED, [{ workflow: 'x' }, finish()]], [2], []],
  ['a run before the success of another file', [FAILED, [{ file: '/x.json' }, finish()]], [2], []],
  [
    'no run before a success with the same parameters in another order',
    [
      [
        {
          params: [
            ['V', '2'],
            ['W', null],
          ],
        },
        FAILED,
      ],
      [
        {
          params: [
            ['W', null],
            ['V', '2'],
          ],
        },
        finish(),
      ],
    ],
    [1, 2],
    [],
  ],
  ['no run that began more than 90 days ago', [[{ at: '2026-08-24T23:59:59.000Z' }, FAILED]], [1], [1]],
  ['a run that began less than 90 days ago', [[{ at: '2026-08-25T00:00:01.000Z' }, FAILED]], [], []],
] as const) {
  test(`of runs that are too many, pruning keeps ${name}`, (t) => {
    const runs = temporaryDirectory(t);
    const journal = ended(
      runs,
      written.map((each) => ('kind' in each ? [{}, each] : each)),
    );
    assert.deepEqual(pruneRuns(journal, 0, NOW), { removed: removed.map(id), lost: named.map((n) => lost(n)) });
  });
}

test('pruning keeps a run that can be resumed also if a foreign record of its workflow is newer', (t) => {
  for (const end of [finish(), FAILED]) {
    const journal = ended(temporaryDirectory(t), [
      [{}, FAILED],
      [{}, end],
    ]);
    const read = (run: string): RecordedRun | undefined => {
      const found = journal.read(run);
      return found && { ...found, foreign: run === id(2) };
    };
    assert.deepEqual(pruneRuns({ ...journal, read }, 1, NOW), { removed: [], lost: [] });
    assert.deepEqual(pruneRuns({ ...journal, read }, 0, NOW).removed, [id(2)]);
  }
});

test('a run removes a run that can be resumed only after a success among the newest, or a newer one to resume', (t) => {
  const path = temporaryDirectory(t);
  const journal = ended(path, [
    [{}, FAILED],
    [{ workflow: 'release' }, FAILED],
    [{ workflow: 'test' }, FAILED],
    [{ workflow: 'test' }, finish()],
    [{}, FAILED],
    [{ workflow: 'lint' }, finish()],
  ]);
  const remove = (keep: number): readonly string[] =>
    removeOldest({ path, isNamed: true }, TRUSTED, journal.runs(), keep, NOW);
  assert.deepEqual(remove(3), [lost(1)]);
  assert.deepEqual(journal.runs(), [2, 4, 5, 6].map(id));
  assert.deepEqual(pruneRuns(journal, 'none', NOW), {
    removed: [2, 4, 5, 6].map(id),
    lost: [lost(2, 'release'), lost(5)],
  });
});

test('a run reads the 20 next newer records for a success, and its own: a success after them does not remove a record', (t) => {
  const resumed = (success: number): readonly string[] => {
    const path = temporaryDirectory(t);
    const runs = Array.from({ length: 42 }, (_, n) => `20261122-0000${String(n).padStart(2, '0')}-00000`);
    for (const [number, run] of runs.entries()) {
      const head = lines(header({ run, workflow: number === 0 || number === success ? 'ci' : 'x' }));
      writeSession(path, run, 'session-1.ndjson', head + lines(number === success ? finish() : FAILED));
    }
    removeOldest({ path, isNamed: true }, TRUSTED, runs, 41, NOW);
    return directoryJournal(path, TRUSTED).runs().slice(0, 1);
  };
  const [first, second] = ['20261122-000000-00000', '20261122-000001-00000'];
  assert.deepEqual([19, 20, 40, 41].map(resumed), [[second], [first], [first], [second]]);
});

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
  assert.deepEqual(pruneRuns(journal, 2, NOW), { removed: [0, 1, 4, 5, 6].map(id), lost: [] });
  assert.deepEqual(journal.runs(), [2, 3, 7, 8].map(id));
  alive.add(HERE.pid);
  assert.deepEqual(pruneRuns(journal, 0, NOW), { removed: [id(7)], lost: [] });
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
    removeOldest({ path, isNamed: true }, TRUSTED, before, 0, NOW, () => random);
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
  assert.deepEqual(pruneRuns(journal, 50, NOW), { removed: [], lost: [] });
  assert.deepEqual(journal.runs(), [2, 3, 5, 6].map(id));
});

test('a run removes the directory of an old run that never began', (t) => {
  const path = temporaryDirectory(t);
  for (const run of [1, 2].map(id)) mkdirSync(join(path, run));
  const old = new Date(Date.now() - 120_000);
  utimesSync(join(path, id(1)), old, old);
  assert.deepEqual(removeOldest({ path, isNamed: true }, TRUSTED, [1, 2].map(id), 0, NOW), []);
  assert.deepEqual(directoryJournal(path, TRUSTED).runs(), [id(2)]);
});
