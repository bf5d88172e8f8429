import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readSession } from '../../src/records/journal/session_file.ts';
import { end, finish, header, lines, start } from '../support/runs/journal.ts';

const HEADER = lines(header());
const START = lines(start(1, 'a'));
const END = lines(end(1));

/** The content of a file: the kinds of its records, and the damage. */
function read(...parts: readonly (string | Uint8Array)[]): object {
  const { content, damage } = readSession([Buffer.concat(parts.map((part) => Buffer.from(part)))]);
  return { kinds: content?.records.map(({ kind }) => kind) ?? null, damage };
}

test('a file consists of a header and records, one JSON object per line', () => {
  const { content, damage } = readSession([Buffer.from(HEADER + START + END + lines(finish()))]);
  assert.equal(damage, null);
  assert.deepEqual(content, { header: header(), records: [start(1, 'a'), end(1), finish()] });
});

test('an unknown field is ignored, in the header and in records', () => {
  const more = lines({ ...header(), later: 1 }, { ...start(1, 'a'), later: [] });
  assert.deepEqual(readSession([Buffer.from(more)]).content, { header: header(), records: [start(1, 'a')] });
});

/** Bytes in pieces of seven, as a large file is read in pieces. */
function pieces(bytes: Uint8Array): readonly Uint8Array[] {
  return Array.from({ length: Math.ceil(bytes.length / 7) }, (_, index) => bytes.subarray(index * 7, index * 7 + 7));
}

test('every prefix of a file is read up to its last complete line', () => {
  const bytes = Buffer.from(HEADER + START + END + lines(start(2, 'ü€🎉')));
  const ends = [...bytes.entries()].flatMap(([index, byte]) => (byte === 10 ? index + 1 : []));
  for (let length = Buffer.byteLength(HEADER); length <= bytes.length; length += 1) {
    const { content, damage } = readSession(pieces(bytes.subarray(0, length)));
    assert.equal(damage, null);
    assert.equal(content?.records.length, ends.filter((position) => position <= length).length - 1, `${length} bytes`);
  }
});

const OK = { kinds: ['start'], damage: null };
for (const [what, tail] of [
  ['an unterminated last line', END.slice(0, -1)],
  ['a partial line', END.slice(0, 10)],
  ['a partial line with a line break', `${END.slice(0, 10)}\n`],
  ['NULs', '\0'.repeat(512)],
  ['NULs and a line break', `${'\0'.repeat(512)}\n`],
  ['a record after NULs on the same line', `\0\0${END}`],
  ['several torn lines', `{"a\n\0\n{\n`],
  ['an empty line', '\n'],
  ['invalid UTF-8', Buffer.from([0x22, 0xff, 0x22, 0x0a])],
  ['JSON that is not an object', '1\nnull\n"x"\n[]\n{}\n'],
] as const) {
  test(`${what} at the end, as after a crash, is ignored`, () => {
    assert.deepEqual(read(HEADER, START, tail), OK);
  });

  test(`${what} before a record is damage`, () => {
    const glue = Buffer.from(tail).at(-1) === 10 ? '' : '\n';
    if (Buffer.from(tail).toString() === END.slice(0, -1)) return;
    assert.deepEqual(read(HEADER, START, tail, glue, END), { kinds: ['start'], damage: { kind: 'damaged', line: 3 } });
  });
}

test('a record without a required field is damage', () => {
  const { exit: _, ...bad } = end(1);
  assert.deepEqual(read(HEADER, START, lines(bad)), { kinds: ['start'], damage: { kind: 'damaged', line: 3 } });
});

test('a second header is damage, and so is a record before the header', () => {
  assert.deepEqual(read(HEADER, HEADER), { kinds: [], damage: { kind: 'damaged', line: 2 } });
  assert.deepEqual(read(START, HEADER), { kinds: null, damage: { kind: 'damaged', line: 1 } });
});

test('a file without a complete header is damage', () => {
  for (const content of ['', HEADER.slice(0, -1), '\0\0\0', '\n']) {
    assert.deepEqual(read(content), { kinds: null, damage: { kind: 'damaged', line: 1 } });
  }
});

test('an unknown kind of record is rejected', () => {
  const line = lines({ kind: 'later' });
  assert.deepEqual(read(HEADER, START, line, END), {
    kinds: ['start'],
    damage: { kind: 'unknown kind', name: 'later', line: 3 },
  });
});

test('a higher version is rejected, regardless of the other fields', () => {
  const newer = lines({ kind: 'session', version: 2 });
  assert.deepEqual(read(newer, START), { kinds: null, damage: { kind: 'newer', version: 2, line: 1 } });
});
