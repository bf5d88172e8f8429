import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Progress } from '../../src/ir/resume/history.ts';
import { attemptsOf, foldHistory, isKept } from '../../src/records/journal/fold_history.ts';
import type { SessionRecord } from '../../src/records/journal/record.ts';
import { readSession } from '../../src/records/journal/session_file.ts';
import { end, finish, header, lines, print, start } from '../support/runs/journal.ts';

/** The history of sessions with these records, as read from their files. */
function fold(...sessions: readonly (readonly SessionRecord[])[]): ReturnType<typeof foldHistory> {
  const read = sessions.map((records, index) => {
    const { content, damage } = readSession([Buffer.from(lines(header({ session: index + 1 }), ...records))]);
    assert.equal(damage, null);
    assert.ok(content !== null);
    return content;
  });
  return foldHistory(read);
}

/** The progress of each step, by the last segment of its id. */
function progress(...sessions: readonly (readonly SessionRecord[])[]): object {
  return Object.fromEntries(fold(...sessions).steps.map(({ id, progress }) => [id.at(-1), progress]));
}

const FINISHED = { kind: 'finished', exitCode: 0, failed: false, attempts: 1, outputs: [], problem: null } as const;
const KILLED = { kind: 'unknown', because: 'killed' } as const;
const kept = (name: string, was: string, more: object = {}) =>
  ({ kind: 'kept', id: [`name:${name}`], was: [`name:${was}`], name, print: print('new'), ...more }) as const;
const again = (name: string, was = name) =>
  ({ kind: 'again', id: [`name:${name}`], was: [`name:${was}`], name, print: print('new') }) as const;
const decide = (name: string, holds: boolean) =>
  ({ kind: 'decide', op: 0, id: [`name:${name}`, 'if'], holds, print: print('test') }) as const;

const ROWS: readonly (readonly [name: string, records: readonly SessionRecord[], expected: Progress])[] = [
  ['exited 0 has finished', [start(1, 'a'), end(1)], FINISHED],
  ['did not end is unknown', [start(1, 'a')], KILLED],
  ['failed has failed', [start(1, 'a'), end(1, 3)], { kind: 'failed' }],
  ['exited 0 without its outputs has failed', [start(1, 'a'), end(1, 0, { failed: true })], { kind: 'failed' }],
  [
    'failed with an allowed failure has finished',
    [start(1, 'a'), end(1, 3, { allowed: true })],
    { ...FINISHED, exitCode: 3, failed: true },
  ],
  ['was killed between attempts has failed', [start(1, 'a'), end(1, 3, { more: true })], { kind: 'failed' }],
  [
    'was killed between attempts has failed, even if its failure is allowed',
    [start(1, 'a'), end(1, 3, { more: true, allowed: true })],
    { kind: 'failed' },
  ],
  [
    'was killed in its second attempt is unknown',
    [start(1, 'a'), end(1, 3, { more: true }), start(2, 'a', { attempt: 2 })],
    KILLED,
  ],
  [
    'succeeded in its second attempt has finished',
    [start(1, 'a'), end(1, 3, { more: true }), start(2, 'a', { attempt: 2 }), end(2)],
    { ...FINISHED, attempts: 2 },
  ],
  ['was interrupted has failed', [start(1, 'a'), end(1, 130, { interrupted: true })], { kind: 'failed' }],
  [
    'was interrupted has failed, even if its failure is allowed',
    [start(1, 'a'), end(1, 130, { interrupted: true, allowed: true })],
    { kind: 'failed' },
  ],
  [
    'exited 0 after an interruption is unknown',
    [start(1, 'a'), end(1, 0, { interrupted: true })],
    { kind: 'unknown', because: 'interrupted' },
  ],
  [
    'has outputs keeps them, except secret ones',
    [
      start(1, 'a'),
      end(1, 0, {
        outputs: [
          ['X', '1'],
          ['API_TOKEN', null],
        ],
      }),
    ],
    {
      ...FINISHED,
      outputs: [
        ['X', '1'],
        ['API_TOKEN', null],
      ],
    },
  ],
  [
    'has no outputs, as allowed, contains the reason',
    [start(1, 'a'), end(1, 0, { failed: true, allowed: true, why: 'no JSON' })],
    { ...FINISHED, failed: true, problem: 'no JSON' },
  ],
];

for (const [name, records, expected] of ROWS) {
  test(`a step that ${name}`, () => assert.deepEqual(progress(records), { 'name:a': expected }));
}

test('a step marked as done by the user has finished', () => {
  const expected = { ...FINISHED, exitCode: null };
  assert.deepEqual(progress([start(1, 'a')], [kept('a', 'a', { done: true })]), { 'name:a': expected });
});

test('a step repeated by the user counts as not run', () => {
  assert.deepEqual(progress([start(1, 'a'), end(1)], [again('a')]), { 'name:a': { kind: 'none' } });
});

test('later sessions replace what earlier ones recorded of a step', () => {
  const first = [start(1, 'a'), end(1), start(2, 'b'), end(2, 1), finish({ success: false })];
  assert.deepEqual(progress(first, [start(1, 'b'), end(1), start(2, 'c')]), {
    'name:a': FINISHED,
    'name:b': FINISHED,
    'name:c': KILLED,
  });
});

test('the ends of simultaneous commands are matched by their numbers', () => {
  assert.deepEqual(progress([start(1, 'a'), start(2, 'b'), start(3, 'c'), end(2), end(1, 1)]), {
    'name:a': { kind: 'failed' },
    'name:b': FINISHED,
    'name:c': KILLED,
  });
});

test('a step kept under another id has the new id, in its old position', () => {
  const { steps } = fold([start(1, 'a'), end(1), start(2, 'b'), end(2)], [kept('z', 'a')]);
  assert.deepEqual(
    steps.map(({ id, name, print: { command } }) => [id[0], name, command]),
    [
      ['name:z', 'z', 'new'],
      ['name:b', 'b', 'do b'],
    ],
  );
  assert.deepEqual(steps[0]?.progress, FINISHED);
});

test('a step has the variables of the session in which it ran', () => {
  const [outer, inner] = [[['A', '1']], [['B', '2']]];
  const first = start(1, 'a', {
    frame: 2,
    frames: [
      [0, null, outer],
      [2, 0, inner],
    ],
  });
  const records = [first, end(1), start(2, 'b', { frame: 0 }), end(2), start(3, 'c'), end(3)];
  const [a, b, c] = fold(records, [kept('z', 'a'), start(1, 'd', { frame: 0, frames: [[0, null, []]] })]).steps;
  const global = { vars: outer, outer: null };
  assert.deepEqual(
    [a, b, c].map((step) => step?.scope),
    [{ vars: [], outer: { vars: inner, outer: global } }, { vars: [], outer: global }, null],
  );
});

test('the variables of a step marked by --done are unknown', () => {
  const first = start(1, 'a', { frame: 0, frames: [[0, null, [['A', '1']]]] });
  assert.equal(fold([first], [kept('a', 'a', { done: true })]).steps[0]?.scope, null);
});

test('two steps can exchange their names', () => {
  const records = [start(1, 'a'), end(1), start(2, 'b'), end(2, 1)];
  const { steps } = fold(records, [kept('b', 'a'), again('a', 'b')]);
  assert.deepEqual(
    steps.map(({ id, progress, wanted }) => [id[0], progress.kind, wanted]),
    [
      ['name:b', 'finished', false],
      ['name:a', 'none', true],
    ],
  );
});

test('a step remains wanted until it has finished', () => {
  const wanted = [[], [start(1, 'a')], [start(1, 'a'), end(1, 1)], [start(1, 'a'), end(1)]].map(
    (more) => fold([start(1, 'a'), end(1)], [again('a'), ...more]).steps[0]?.wanted,
  );
  assert.deepEqual(wanted, [true, true, true, false]);
});

test('a condition has a result once its decision is recorded', () => {
  const test = start(1, 'a', { id: ['name:a', 'if'], what: 'condition' });
  const sessions = [[test], [test, end(1)], [test, end(1), decide('a', true)], [decide('a', false)]];
  const decisions = sessions.map((records) => fold(records).decisions.map(({ id, holds }) => [id.join(' '), holds]));
  assert.deepEqual(
    decisions,
    [null, null, true, false].map((holds) => [['name:a if', holds]]),
  );
});

test('after_all has run once it has succeeded', () => {
  const hook = (name: string, ...more: readonly SessionRecord[]): unknown =>
    fold([start(1, name, { id: [`hook:${name}`], what: 'hook' }), ...more]).afterAll;
  assert.equal(hook('after_all'), null);
  assert.equal(hook('after_all', end(1, 1)), null);
  assert.deepEqual(hook('after_all', end(1)), { exitCode: 0 });
  assert.equal(hook('before_all', end(1)), null);
  assert.deepEqual(fold([start(1, 'x', { id: ['hook:finally'], what: 'hook' }), end(1)]).steps, []);
});

test('the end of the command of a condition contains its result', () => {
  const test = start(1, 'a', { id: ['name:a', 'if'], what: 'condition' });
  const [met, unmet, unknown] = [end(1, 0, { holds: true }), end(1, 1, { holds: false }), end(1, 127)];
  const results = [met, unmet, unknown].map((ended) => fold([test, ended]).decisions[0]?.holds);
  assert.deepEqual(results, [true, false, null]);
  assert.deepEqual(
    [met, unmet, unknown, undefined].map((ended) => isKept({ start: test, end: ended })),
    [true, true, false, false],
  );
});

test('a resume keeps finished steps, and after_all, but no other hook', () => {
  const hooks = ['after_all', 'before_all'].map((name) => start(1, name, { id: [`hook:${name}`], what: 'hook' }));
  const starts = [start(1, 'a'), ...hooks];
  const ends = [end(1), end(1, 1), end(1, 0, { interrupted: true }), end(1, 1, { more: true })];
  assert.deepEqual(
    starts.map((each) => ends.map((ended) => isKept({ start: each, end: ended }))),
    [
      [true, false, false, false],
      [true, false, false, false],
      [false, false, false, false],
    ],
  );
});

test('an end belongs to the last start with its number, because another process may number commands anew', () => {
  const [lost, other, again] = [start(2, 'a'), start(2, 'b'), start(2, 'a', { attempt: 2 })];
  assert.deepEqual(attemptsOf([lost, other, end(2), end(9), again, end(2, 1)]), [
    { start: lost, end: undefined },
    { start: other, end: end(2) },
    { start: again, end: end(2, 1) },
  ]);
});
