import assert from 'node:assert/strict';
import { test } from 'node:test';
import { foldHistory, isKept } from '../../src/records/journal/fold_history.ts';
import type { SessionRecord } from '../../src/records/journal/record.ts';
import { end, print, start } from '../support/runs/journal.ts';

const INNER = ['call:deploy', 'own:finally'];
const OUTER = ['own:finally'];

/** A command of a session with its end: a step or a hook, by its id. */
function ran(id: readonly string[], exit = 0, more: object = {}): readonly SessionRecord[] {
  const what = /^(?:own|hook):/.test(id.at(-1) ?? '') ? 'hook' : id.at(-1) === 'if' ? 'condition' : 'step';
  return [start(1, 'x', { id, what, print: print('x') }), end(1, exit, more)];
}

/** The ids of the `finally` hooks that count as done after some sessions. */
function cleaned(...sessions: readonly (readonly (readonly SessionRecord[])[])[]): readonly string[] {
  const read = sessions.map((records) => ({ header: { params: [] }, records: records.flat() }));
  return [...foldHistory(read).cleaned];
}

/** Whether a resume keeps the result of a command that ended. */
const kept = (id: readonly string[], exit = 0): boolean => {
  const [first, last] = ran(id, exit);
  return first?.kind === 'start' && last?.kind === 'end' && isKept({ start: first, end: last });
};

const STEP = ['call:deploy', 'name:a'];
const text = JSON.stringify;

test('a finally counts as done if it succeeded after the last command of its workflow', () => {
  assert.deepEqual(cleaned([ran(STEP), ran(INNER)]), [text(INNER)]);
  assert.deepEqual(cleaned([ran(STEP), ran(INNER, 1)]), []);
  assert.deepEqual(cleaned([ran(STEP), ran(INNER, 0, { interrupted: true })]), []);
  assert.deepEqual(cleaned([ran(STEP), [start(1, 'x', { id: INNER, what: 'hook' })]]), []);
});

test('a step or condition of the workflow, or of one that it calls, ends that; another one does not', () => {
  const both = [ran(STEP), ran(INNER), ran(OUTER)];
  assert.deepEqual(cleaned(both), [text(OUTER), text(INNER)]);
  assert.deepEqual(cleaned(both, [ran(STEP)]), []);
  assert.deepEqual(cleaned(both, [ran(['call:deploy', 'call:inner', 'name:b', 'if'])]), []);
  assert.deepEqual(cleaned(both, [ran(['name:c'])]), [text(INNER)]);
  assert.deepEqual(cleaned(both, [ran(['2.call:deploy', 'name:a'])]), [text(INNER)]);
  assert.deepEqual(cleaned(both, [ran(['call:deploy', 'own:error'])]), [text(OUTER), text(INNER)]);
});

test('a resume on another machine keeps a finally that has succeeded, and no other hook of a workflow', () => {
  assert.deepEqual(
    [kept(INNER), kept(OUTER), kept(INNER, 1), kept(['call:deploy', 'own:error']), kept(['hook:finally'])],
    [true, true, false, false, false],
  );
});
