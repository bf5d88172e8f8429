/* Records of every kind, with fields that no run writes. */
import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { toolInProcess, type Returned } from '../support/in_process.ts';
import { fuzzing } from '../support/random/fuzzing.ts';
import { workflowDirectory } from '../support/cli.ts';
import { end, finish, header, lines, print, RUN, start, writeSession } from '../support/runs/journal.ts';

const STEPS = [
  { name: 'a', run: 'echo 1', outputs: { OUT: 'text' } },
  { if: 'test -n "$X"', run: 'echo ${steps.a.OUT}' },
  { name: 'b', run: 'true', if: 'X', on_crash: 'fail' },
  { parallel: [{ name: 'c', run: 'true' }, 'true'] },
  { workflow: 'other' },
];
const FILE = {
  env: { X: '1' },
  after_all: 'true',
  workflows: { ci: { steps: STEPS }, other: { steps: ['true', { name: 'd', run: 'exit 1' }] } },
};

/** Values that a hostile record may have in any place. */
const HOSTILE: readonly unknown[] = [
  '',
  '\u001b]0;x\u0007\u202e',
  '__proto__',
  'constructor',
  'PATH',
  '../../x',
  '/etc/passwd',
  'a\0b',
  '\ud800',
  '-',
  '9999-12-31T23:59:59.999Z',
  '2026-02-30T00:00:00.000Z',
  'CLI_RUN_1_2',
  'CLI_RUN_1_2=\n',
  'name:a',
  'if',
  '2.run:',
  0,
  -1,
  1e308,
  -1e308,
  2 ** 53,
  0.5,
  2 ** 31,
  null,
  true,
  false,
  [],
  {},
  [[]],
  [['A', 'x']],
  ['name:a', 'if'],
  ['call:other', 'name:d'],
  ['hook:after_all'],
  'x'.repeat(100_000),
  JSON.parse('{"__proto__": {"kind": "end"}, "constructor": 1}'),
];
const hostile = fc.constantFrom(...HOSTILE);

const decide = { kind: 'decide', op: 2, id: ['name:b', 'if'], holds: true, print: print('X') };
const move = { id: ['name:a'], was: ['name:b'], name: 'a', print: print('echo 1') };
/** Each kind of record, as a run writes it. */
const GENUINE: readonly object[] = [
  start(1, 'a', {
    print: { ...print('echo 1'), outputs: [['OUT', 'text']] },
    frame: 0,
    frames: [[0, null, [['X', 'y']]]],
  }),
  end(1, 0, { outputs: [['OUT', '1']] }),
  start(2, 'b', { id: ['name:b', 'if'], what: 'condition' }),
  end(2, 0, { holds: true }),
  start(3, 'd', { id: ['call:other', 'name:d'], frames: [[1, 1, []]], frame: 1 }),
  end(3, 1, { interrupted: true, why: 'x', limit: 5 }),
  start(4, 'after_all', { id: ['hook:after_all'], what: 'hook' }),
  decide,
  { kind: 'kept', ...move, done: true },
  { kind: 'kept', ...move, id: ['name:b'], was: ['name:a'] },
  { kind: 'again', ...move },
  finish({ success: false }),
];

/** A path into a record, and the value to put there. */
const edit = fc.record({ keys: fc.array(fc.nat(20), { minLength: 1, maxLength: 4 }), value: hostile });

/** A copy of some data with another value in the place to which the keys lead. */
function edited(data: unknown, [key = 0, ...keys]: readonly number[], value: unknown): unknown {
  if (typeof data !== 'object' || data === null) return value;
  const entries = Object.entries(data);
  if (entries.length === 0) return value;
  const index = key % entries.length;
  const isLast = keys.length === 0;
  const changed = entries.map(([name, old], at) => [
    name,
    at === index ? (isLast ? value : edited(old, keys, value)) : old,
  ]);
  return Array.isArray(data) ? changed.map(([, each]) => each) : Object.fromEntries(changed);
}

const genuine = fc.constantFrom(...GENUINE);
const record = fc.oneof(
  { weight: 4, arbitrary: genuine.map((each) => lines(each)) },
  {
    weight: 3,
    arbitrary: fc
      .tuple(genuine, edit)
      .map(([each, { keys, value }]) => JSON.stringify(edited(each, keys, value)) + '\n'),
  },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      '{\n',
      '\n',
      '\0\0\n',
      'null\n',
      '[]\n',
      '{"kind":"\\u001b"}\n',
      '{"kind":"session","version":9}\n',
      `{"kind":"end","n":${'['.repeat(100_000)}${']'.repeat(100_000)}}\n`,
    ),
  },
);
const head = fc.oneof(fc.array(edit, { maxLength: 0 }), fc.array(edit, { maxLength: 2 }));
const session = fc.record({
  head,
  records: fc.array(record, { maxLength: 14 }),
  number: fc.constantFrom(1, 1, 2, 2, 3),
  isLost: fc.boolean(),
});
const cases = fc.array(session, { minLength: 1, maxLength: 4 });

const COMMANDS: readonly (readonly string[])[] = [
  ['runs', 'list'],
  ['runs', 'list', '--format', 'table'],
  ['runs', 'show', RUN],
  ['runs', 'show', RUN, '--trust', '--report', 'report.html'],
  ['runs', 'logs', RUN],
  ['resume', RUN],
  ['resume', RUN, '--dry-run'],
  ['resume', RUN, '--trust', '--dry-run', '--changed', 'keep', '--on-crash', 'rerun', '--take-over'],
  ['resume', RUN, '--trust', '--dry-run', '--changed', 'rerun', '--on-crash', 'fail', '--take-over', '--rerun', 'd'],
];

/** Whether a text has characters that control a terminal. */
function isRaw(text: string): boolean {
  return text.split('').some((character) => (character < ' ' && character !== '\n') || character === '\u202e');
}

function checkPromises(args: readonly string[], { code, stdout, stderr }: Returned): void {
  const about = `${args.join(' ')}: ${stderr.slice(0, 2000)}`;
  assert.ok([0, 1, 2].includes(code), `exit code ${code} of ${about}`);
  assert.doesNotMatch(stderr, /^ {4}at |this is a bug/m, about);
  assert.ok(!isRaw(stdout) && !isRaw(stderr), `raw output of ${about}`);
}

test('a record with any content is shown or refused, escaped, without an internal error', async (t) => {
  const cwd = workflowDirectory(t, FILE);
  const file = join(cwd, '.cli/workflow.json');
  const runs = join(cwd, '.cli/runs');
  const tool = toolInProcess(t);
  const before = process.cwd();
  process.chdir(cwd);
  t.after(() => process.chdir(before));
  const property = fc.asyncProperty(cases, async (sessions) => {
    rmSync(runs, { recursive: true, force: true });
    for (const { head, records, number, isLost } of sessions) {
      const original = header({ cwd, file, session: number, params: [['X', '1']] });
      const first = head.reduce<unknown>((data, { keys, value }) => edited(data, keys, value), original);
      const name = `session-${number}.${isLost && number > 1 ? 'lost' : 'ndjson'}`;
      writeSession(runs, RUN, name, `${JSON.stringify(first)}\n${records.join('')}`);
    }
    for (const args of COMMANDS) checkPromises(args, await tool(args, { env: { PATH: process.env['PATH'] } }));
  });
  await fc.assert(property, fuzzing(150));
});
