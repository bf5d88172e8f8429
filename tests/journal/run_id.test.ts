import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createRunId, findRuns, isRemoteName, isRunId } from '../../src/records/journal/run_id.ts';

const at = (time: string): Date => new Date(`2026-11-22T${time}Z`);

test('an id consists of the time in UTC, with milliseconds and three random digits in base 32', () => {
  assert.equal(
    createRunId(at('00:25:46.000'), () => 0),
    '20261122-002546-00000',
  );
  assert.equal(
    createRunId(at('23:59:59.999'), () => 0.999999),
    '20261122-235959-z7zzz',
  );
  assert.equal(
    createRunId(at('00:25:46.529'), () => 22 / 32 + 21 / 32 ** 3),
    '20261122-002546-ghp0n',
  );
});

test('created ids are valid, and sort by time', () => {
  const times = Array.from({ length: 500 }, (_, index) => new Date(1_790_000_000_000 + index * 977));
  const ids = times.map((time) => createRunId(time, Math.random));
  assert.ok(ids.every(isRunId));
  assert.deepEqual(ids.toSorted(), ids);
});

test('other names are not ids', () => {
  for (const name of ['', '.gitignore', '.removed-20261122-002546-gk7px', '20261122-002546-gk7p', 'x'.repeat(21)]) {
    assert.equal(isRunId(name), false);
  }
});

test('a chosen id is the name of a file in its directory, and no flag', () => {
  for (const id of ['a', '7', 'nightly.2-B_c', 'x'.repeat(64), createRunId(at('00:00:00.000'), Math.random)])
    assert.equal(isRemoteName(id), true, id);
  for (const id of ['', '.', '..', '.x', '-x', '_x', 'a/b', '../x', 'a!SIGINT', 'a b', 'a\n', 'é', 'x'.repeat(65)])
    assert.equal(isRemoteName(id), false, id);
});

test('a run is found by its id, or by the last five letters of it', () => {
  const ids = ['20261122-002546-gk7px', '20261122-002547-00000', '20261123-002547-00000'];
  assert.deepEqual(findRuns(ids, '20261122-002546-gk7px'), ids.slice(0, 1));
  assert.deepEqual(findRuns(ids, 'gk7px'), ids.slice(0, 1));
  assert.deepEqual(findRuns(ids, '00000'), ids.slice(1));
  for (const text of ['k7px', '-gk7px', '', '20261122', 'zzzzz']) assert.deepEqual(findRuns(ids, text), []);
});
