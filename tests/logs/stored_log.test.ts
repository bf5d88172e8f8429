/* Logs of commands: the bytes that a command prints, without secrets, and at most as many as the limit. */
import assert from 'node:assert/strict';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { ValueMask } from '../../src/backend/outputs/value_mask.ts';
import { StoredLog } from '../../src/backend/outputs/logs/stored_log.ts';
import { temporaryDirectory } from '../support/cli.ts';

/** The log of an output that arrives in chunks. */
function stored(t: TestContext, chunks: readonly Buffer[], secrets: readonly string[] = [], limit = Infinity): Buffer {
  const path = join(temporaryDirectory(t), 'log');
  const descriptor = openSync(path, 'wx+');
  const mask = new ValueMask();
  for (const secret of secrets) mask.hide(secret);
  const log = new StoredLog(descriptor, mask, limit);
  for (const chunk of chunks) log.add(chunk);
  log.end();
  closeSync(descriptor);
  const bytes = readFileSync(path);
  assert.equal(log.size, bytes.length);
  return bytes;
}

/** Random numbers below a limit, the same in each test. */
function randomNumbers(seed: number): (limit: number) => number {
  let state = seed;
  return (limit) => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fffffff;
    return Math.floor((state / 0x80000000) * limit);
  };
}

/** A text in chunks of random sizes. */
function chunksOf(bytes: Buffer, random: (limit: number) => number): Buffer[] {
  const chunks: Buffer[] = [];
  for (let start = 0; start < bytes.length;) {
    const end = start + 1 + random(400);
    chunks.push(bytes.subarray(start, end));
    start = end;
  }
  return chunks;
}

test('bytes without a secret are stored as they are, whatever they are', (t) => {
  const random = randomNumbers(7);
  const all = Buffer.from(Array.from({ length: 200_000 }, () => random(256)));
  const texts = ['no line break', 'a\r\nb\rc\n\0\x1b[31mred\x1b[0m\n', '', '\n\n', '\xff\xfe é'].map((text) =>
    Buffer.from(text, 'latin1'),
  );
  for (const bytes of [all, ...texts])
    for (const secrets of [[], ['not in there at all']])
      assert.ok(stored(t, chunksOf(bytes, random), secrets).equals(bytes));
});

test('secrets are replaced in every form, and nothing else changes', (t) => {
  const secrets = ['hunter2', 'first line\nsecond line', 'with\x1bcontrol'];
  const lines: readonly (readonly [string, string])[] = [
    ['plain hunter2 here', 'plain *** here'],
    ['\x1b[32mhun\x1b[0mter2\x1b[0m', '***'],
    ['\x1b[32mgreen\x1b[0m and hunter2', '\x1b[32mgreen\x1b[0m and ***'],
    ['first line', '***'],
    ['<second line>', '<***>'],
    ['with\x1bcontrol', '***'],
    ['\x1b[1mbold\x1b[0m\r', '\x1b[1mbold\x1b[0m\r'],
    ['hunter', 'hunter'],
  ];
  const invalid = Buffer.from([0xff, 0xfe, 0x0a]);
  const [printed, kept] = [0, 1].map((side) => Buffer.from(lines.map((line) => `${line[side]}\n`).join('')));
  assert.ok(printed !== undefined && kept !== undefined);
  const bytes = stored(t, [printed, invalid], secrets);
  assert.equal(bytes.toString('latin1'), Buffer.concat([kept, invalid]).toString('latin1'));
});

test('a secret is found at every place of a long line and a long output', (t) => {
  const secret = 'a long secret, 40 characters of it, yes!';
  for (const before of [1_048_576 - 60, 1_048_576 - 39, 1_048_576 - 1, 1_048_576, 2_097_152 - 20]) {
    for (const filling of ['x', 'é', 'line\n']) {
      const start = Buffer.alloc(before - (before % 2), filling);
      const end = Buffer.alloc(1_000_000, filling);
      const bytes = stored(t, [start, Buffer.from(secret), end], [secret]);
      assert.ok(!bytes.includes(secret.slice(0, 20)) && !bytes.includes(secret.slice(-20)), `${before} ${filling}`);
      assert.equal(bytes.length, start.length + 3 + end.length);
    }
  }
});

test('of a log that is too large, the beginning and the end remain, and the size of the rest', (t) => {
  const random = randomNumbers(9);
  const all = Array.from({ length: 100_000 }, (_, index) => `line ${index + 1}\n`).join('');
  for (const limit of [10_000, 50_000]) {
    const text = stored(t, chunksOf(Buffer.from(all), random), [], limit).toString();
    const [, head = '', missing = '', tail = ''] =
      /^(.*\n)\[cli: (\d+) bytes of the output are not stored\]\n(.*)$/s.exec(text) ?? [];
    assert.ok(all.startsWith(head) && all.endsWith(tail));
    assert.equal(head.length + Number(missing) + tail.length, all.length);
    assert.ok(Math.abs(head.length - limit / 2) < 100 && Math.abs(tail.length - limit / 2) < 100);
  }
  const one = stored(t, chunksOf(Buffer.alloc(120_000, 'secret word '), random), ['secret word'], 10_000).toString();
  assert.doesNotMatch(one.replace(/\[cli: .*\]/, ''), /[a-z]{3}/, 'no part of a secret remains at the cut');
});
