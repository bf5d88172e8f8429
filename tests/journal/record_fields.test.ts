import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseLine } from '../../src/records/journal/record.ts';
import { end, finish, header, start } from '../support/runs/journal.ts';

/** Records with a field whose value no run writes. */
const WRONG: readonly (readonly [record: object, fields: object])[] = [
  [header(), { run: '../../x' }],
  [header(), { key: 'short' }],
  [header(), { session: 0 }],
  [header(), { session: 1.5 }],
  [header(), { file: 'relative.json' }],
  [header(), { cwd: '' }],
  [header(), { params: [['A=B', '1']] }],
  [header(), { params: [['A', 'with\0NUL']] }],
  [header(), { args: -1 }],
  [header(), { marker: 'PATH' }],
  [header(), { marker: 'CLI_RUN_1_2=3' }],
  [header(), { pid: -1 }],
  [header(), { pid: 2 ** 31 }],
  [header(), { host: 'x'.repeat(257) }],
  [header(), { uid: -1 }],
  [header(), { at: 'yesterday' }],
  [header(), { at: '2026-11-22T00:25:46.500+01:00' }],
  [header(), { at: '2026-13-22T00:25:46.500Z' }],
  [start(1, 'a'), { n: -1 }],
  [start(1, 'a'), { op: 1e300 }],
  [start(1, 'a'), { id: ['other'] }],
  [start(1, 'a'), { id: [] }],
  [start(1, 'a'), { attempt: 0.5 }],
  [start(1, 'a'), { frame: -1 }],
  [end(1), { exit: 1e10 }],
  [end(1), { ms: -1 }],
  [end(1), { ms: 1e300 }],
  [end(1), { limit: 1e300 }],
  [end(1), { outputs: [['', 'x']] }],
  [finish(), { interrupted: 'SIGKILL' }],
];

/** The kind of a parsed line. */
function parsed(data: object): string {
  return parseLine(Buffer.from(JSON.stringify(data))).kind;
}

for (const [record, fields] of WRONG) {
  test(`a record with the fields ${JSON.stringify(fields).slice(0, 60)} is malformed`, () => {
    assert.notEqual(parsed(record), 'malformed');
    assert.equal(parsed({ ...record, ...fields }), 'malformed');
  });
}
