/* The records of steps that an edit has moved, renamed or replaced. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { foldHistory } from '../../src/records/journal/fold_history.ts';
import type { SessionRecord } from '../../src/records/journal/record.ts';
import { end, print, start } from '../support/runs/journal.ts';

/** The progress of each step after sessions with these records, by its id. */
function progress(...sessions: readonly (readonly SessionRecord[])[]): readonly (readonly [string, string])[] {
  const { steps } = foldHistory(sessions.map((records) => ({ header: { params: [] }, records })));
  return steps.map(({ id, progress: { kind } }) => [id.join('/'), kind] as const);
}

/** A move of the step `a` from one group to another. */
const moved = <Kind extends 'kept' | 'again'>(kind: Kind, was: string, group: string) =>
  ({ kind, id: [group, 'name:a'], was: [was, 'name:a'], name: 'a', print: print('do a') }) as const;

const BEFORE = [
  start(1, 'a', { id: ['g', 'name:a'] }),
  end(1, 1),
  start(2, 'a', { id: ['h', 'name:a'] }),
  end(2),
] as const;

test('a moved step replaces an older one with its new id, and a step without a record takes none', () => {
  const [kept, again] = [moved('kept', 'h', 'g'), moved('again', 'h', 'h')];
  const expected = [
    ['g/name:a', 'finished'],
    ['h/name:a', 'none'],
  ];
  assert.deepEqual(progress(BEFORE, [kept, again]), expected);
  assert.deepEqual(progress(BEFORE, [again, kept]), expected);
});

test('a dropped record no longer counts', () => {
  const dropped = { kind: 'dropped', id: ['h', 'name:a'] } as const;
  assert.deepEqual(progress(BEFORE, [dropped]), [['g/name:a', 'failed']]);
  const again = moved('again', 'h', 'h');
  assert.deepEqual(progress(BEFORE, [again, dropped]), [
    ['g/name:a', 'failed'],
    ['h/name:a', 'none'],
  ]);
});

const decide = (holds: boolean) =>
  ({ kind: 'decide', op: 0, id: ['name:a', 'if'], holds, print: print('test') }) as const;

/** The results of the conditions after sessions with these records. */
function decisions(...sessions: readonly (readonly SessionRecord[])[]): readonly unknown[] {
  return foldHistory(sessions.map((records) => ({ header: { params: [] }, records }))).decisions.map(
    ({ holds }) => holds,
  );
}

test('a dropped decision no longer counts, and one that follows does', () => {
  const dropped = { kind: 'dropped', id: ['name:a', 'if'] } as const;
  assert.deepEqual(decisions([decide(false)], [dropped]), []);
  assert.deepEqual(decisions([decide(false)], [dropped, decide(true)]), [true]);
});
