import assert from 'node:assert/strict';
import { existsSync, mkdirSync, openSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { directoryJournal } from '../../src/records/journal/directory/directory_journal.ts';
import { DirectorySession } from '../../src/records/journal/directory/directory_session.ts';
import { nextSession, type Journal, type Session, runState, waitOf } from '../../src/records/journal/journal.ts';
import type { SessionHeader, SessionRecord } from '../../src/records/journal/record.ts';
import { temporaryDirectory } from '../support/cli.ts';
import { contents, end, finish, header, lines, RUN, start, writeSession, TRUSTED } from '../support/runs/journal.ts';

/** Begins a session, and fails if that is not possible. */
function begun(journal: Journal, more: Partial<SessionHeader> = {}): Session {
  const found = journal.begin(header(more));
  assert.ok(found.kind === 'begun', JSON.stringify(found));
  return found.session;
}

const mode = (path: string): string => (statSync(path).mode & 0o777).toString(8);

test('a session is a file that only its owner can read, in a directory that git ignores', (t) => {
  const runs = join(temporaryDirectory(t), '.cli/runs');
  const session = begun(directoryJournal(runs, TRUSTED));
  assert.equal(session.append(lines(start(1, 'a')), 'synced'), undefined);
  assert.equal(session.append(lines(end(1), finish()), 'written'), undefined);
  session.close();
  assert.deepEqual(contents(runs), {
    '.gitignore': '*\n',
    [`${RUN}/session-1.ndjson`]: lines(header(), start(1, 'a'), end(1), finish()),
  });
  assert.deepEqual(
    [mode(runs), mode(join(runs, RUN)), mode(join(runs, RUN, 'session-1.ndjson'))],
    ['700', '700', '600'],
  );
});

test('appended records can be read back', (t) => {
  const journal = directoryJournal(temporaryDirectory(t), TRUSTED);
  const session = begun(journal);
  session.append(lines(start(1, 'a'), end(1)), 'written');
  session.close();
  const run = journal.read(RUN);
  assert.deepEqual(run, {
    id: RUN,
    sessions: [{ header: header(), records: [start(1, 'a'), end(1)] }],
    foreign: false,
    lost: false,
    holder: 'unclear',
    damage: null,
  });
  assert.equal(nextSession(run), 2);
});

test('the record of a process that ends while it is read has its end, and that of a next session', (t) => {
  const runs = temporaryDirectory(t);
  const next = header({ session: 2 });
  writeSession(runs, RUN, 'session-1.ndjson', lines(header()));
  const meanwhile = [
    () => writeSession(runs, RUN, 'session-1.ndjson', lines(header(), finish({ success: false }))),
    () => undefined,
    () => undefined,
    () => writeSession(runs, RUN, 'session-2.ndjson', lines(next, finish())),
  ];
  const journal = directoryJournal(runs, TRUSTED, () => {
    meanwhile.shift()?.();
    return 'dead';
  });
  const stateOf = (): string | undefined => {
    const run = journal.read(RUN);
    return run && runState(run);
  };
  assert.equal(stateOf(), 'failed');
  writeSession(runs, RUN, 'session-2.ndjson', lines(next));
  assert.equal(stateOf(), 'crashed');
  writeSession(runs, RUN, 'session-1.ndjson', lines(header()));
  rmSync(join(runs, RUN, 'session-2.ndjson'));
  assert.equal(stateOf(), 'succeeded');
});

test('a run whose process has ended at a question waits for no answer', () => {
  const asked: SessionRecord = { kind: 'asked', op: 0, id: ['name:a'], question: 'Really?' };
  const sessions = [{ header: header(), records: [asked] }];
  const found = (['alive', 'dead', 'unclear'] as const).map((holder) => {
    const run = { id: RUN, sessions, lost: false, foreign: false, holder, damage: null };
    return [runState(run), waitOf(run)];
  });
  assert.deepEqual(found, [
    ['waiting', { question: 'Really?' }],
    ['crashed', undefined],
    ['unclear', undefined],
  ]);
});

test('runs are listed by age, and other files are ignored', (t) => {
  const runs = temporaryDirectory(t, { 'notes.txt': '', 'other/x': '' });
  const journal = directoryJournal(runs, TRUSTED);
  const ids = ['20261123-000000-00000', '20261122-000000-00000', '20261122-000000-00001'];
  for (const run of ids) begun(journal, { run }).close();
  assert.deepEqual(journal.runs(), ids.toSorted());
  assert.equal(journal.read('20261124-000000-00000'), undefined);
  assert.deepEqual(directoryJournal(join(runs, 'none'), TRUSTED).runs(), []);
});

test('of several sessions begun at once, one begins, and the others leave no files', (t) => {
  const runs = temporaryDirectory(t);
  const journal = directoryJournal(runs, TRUSTED);
  begun(journal).close();
  const kinds = Array.from({ length: 8 }, () => journal.begin(header({ session: 2 })).kind);
  assert.deepEqual(kinds, ['begun', ...Array.from({ length: 7 }, () => 'taken')]);
  assert.equal(journal.begin(header()).kind, 'taken');
  assert.deepEqual(readdirSync(join(runs, RUN)).toSorted(), ['session-1.ndjson', 'session-2.ndjson']);
});

test('a session of a removed run cannot begin', (t) => {
  const found = directoryJournal(temporaryDirectory(t), TRUSTED).begin(header({ session: 2 }));
  assert.ok(found.kind === 'failed');
  assert.match(found.problem, /^it does not exist/);
});

test('a journal that cannot be created returns the reason', (t) => {
  const path = temporaryDirectory(t, { file: '' });
  const found = directoryJournal(join(path, 'file'), TRUSTED).begin(header());
  assert.ok(found.kind === 'failed');
  assert.match(found.problem, /^ENOTDIR: not a directory/);
  assert.deepEqual(readdirSync(path), ['file']);
});

test('giving up a session marks its run as lost', (t) => {
  const runs = temporaryDirectory(t);
  const journal = directoryJournal(runs, TRUSTED);
  const session = begun(journal);
  session.append(lines(start(1, 'a')), 'synced');
  assert.equal(session.giveUp(), undefined);
  assert.deepEqual(readdirSync(join(runs, RUN)), ['session-1.lost']);
  assert.deepEqual(journal.read(RUN), {
    id: RUN,
    sessions: [{ header: header(), records: [start(1, 'a')] }],
    foreign: false,
    lost: true,
    holder: 'unclear',
    damage: null,
  });
});

test('a deleted file is detected before the next command, and its run is lost', (t) => {
  const runs = temporaryDirectory(t);
  const journal = directoryJournal(runs, TRUSTED);
  begun(journal).close();
  const session = begun(journal, { session: 2 });
  rmSync(join(runs, RUN, 'session-2.ndjson'));
  assert.equal(session.append(lines(end(1)), 'written'), undefined);
  assert.equal(session.append(lines(start(2, 'b')), 'synced'), 'its file was deleted');
  assert.equal(session.giveUp(), undefined);
  assert.deepEqual(readdirSync(join(runs, RUN)).toSorted(), ['session-1.ndjson', 'session-2.lost']);
  assert.equal(journal.read(RUN)?.lost, true);
});

test('after the deletion of the whole journal, nothing is left to resume', (t) => {
  const runs = join(temporaryDirectory(t), 'runs');
  const session = begun(directoryJournal(runs, TRUSTED));
  rmSync(runs, { recursive: true });
  assert.equal(session.append(lines(start(1, 'a')), 'synced'), 'its file was deleted');
  assert.equal(session.giveUp(), undefined);
  assert.equal(existsSync(runs), false);
});

test('a session that cannot be given up returns the reason', (t) => {
  const runs = temporaryDirectory(t);
  const session = begun(directoryJournal(runs, TRUSTED));
  // A file in place of the directory of the run, so that no name below it can be changed.
  renameSync(join(runs, RUN), join(runs, 'away'));
  writeFileSync(join(runs, RUN), '');
  assert.equal(session.giveUp(), 'ENOTDIR: not a directory');
});

test('a full disk is returned as a reason, not thrown', { skip: process.platform !== 'linux' }, () => {
  const session = new DirectorySession('/dev', 1, openSync('/dev/full', 'a'));
  assert.equal(session.append(lines(start(1, 'a')), 'synced'), 'ENOSPC: no space left on device');
  session.close();
});

test('a damaged, a newer and a missing session are reported, and the sessions before them are read', (t) => {
  const runs = temporaryDirectory(t);
  const journal = directoryJournal(runs, TRUSTED);
  const first = lines(header(), start(1, 'a'));
  const damage = (name: string, content: string): unknown => {
    writeSession(runs, RUN, 'session-1.ndjson', first);
    writeSession(runs, RUN, name, content);
    const run = journal.read(RUN);
    rmSync(join(runs, RUN), { recursive: true });
    return run && { sessions: run.sessions.length, damage: run.damage };
  };
  const file = join(runs, RUN, 'session-2.ndjson');
  const torn = lines(header({ session: 2 }));
  assert.deepEqual(damage('session-2.ndjson', `${torn}{\n${lines(end(1))}`), {
    sessions: 2,
    damage: { kind: 'damaged', line: 2, file },
  });
  assert.deepEqual(damage('session-2.ndjson', lines({ kind: 'session', version: 7 })), {
    sessions: 1,
    damage: { kind: 'newer', version: 7, line: 1, file },
  });
  assert.deepEqual(damage('session-2.ndjson', lines(header({ session: 3 }))), {
    sessions: 2,
    damage: { kind: 'damaged', line: 1, file },
  });
  assert.deepEqual(damage('session-3.ndjson', lines(header({ session: 3 }))), {
    sessions: 1,
    damage: { kind: 'unreadable', reason: 'it does not exist', line: 1, file },
  });
});

test('a directory without a session, as after a crash, is not a run', (t) => {
  const runs = temporaryDirectory(t);
  mkdirSync(join(runs, RUN));
  assert.equal(directoryJournal(runs, TRUSTED).read(RUN), undefined);
});

test('a run is removed with all its files, and with the remains of an interrupted removal', (t) => {
  const runs = temporaryDirectory(t, { '.removed-20261122-000000-00000/session-1.ndjson': '' });
  const journal = directoryJournal(runs, TRUSTED);
  begun(journal).close();
  writeSession(runs, RUN, 'logs', '');
  const run = journal.read(RUN);
  assert.ok(run !== undefined);
  assert.equal(journal.remove(run), undefined);
  assert.deepEqual(
    readdirSync(runs),
    ['.gitignore'].filter((name) => existsSync(join(runs, name))),
  );
});

test('a run resumed since it was read is not removed', (t) => {
  const runs = temporaryDirectory(t);
  const journal = directoryJournal(runs, TRUSTED);
  begun(journal).close();
  const run = journal.read(RUN);
  assert.ok(run !== undefined);
  begun(journal, { session: 2 }).close();
  assert.equal(journal.remove(run), 'it is being resumed');
  assert.deepEqual(readdirSync(join(runs, RUN)).toSorted(), ['session-1.ndjson', 'session-2.ndjson']);
});
