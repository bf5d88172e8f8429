import assert from 'node:assert/strict';
import { openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import * as fc from 'fast-check';
import type { Mask } from '../../src/backend/outputs/value_mask.ts';
import { MaskedLog } from '../../src/backend/outputs/logs/masked_log.ts';
import { OutputTail } from '../../src/backend/outputs/output_tail.ts';
import { SecretMask } from '../../src/cli/reporters/secret_mask.ts';
import { temporaryDirectory } from '../support/cli.ts';
import { compiled } from '../support/plans.ts';
import { assertCpuTime } from '../support/cpu_time.ts';

const NOTHING: Mask = { apply: (text) => text, longest: 0 };

/** The lines kept of an output that arrives in these chunks. */
function kept(chunks: readonly (string | Buffer)[], count = 50, mask = NOTHING): readonly string[] {
  const tail = new OutputTail(count, mask);
  for (const chunk of chunks) tail.add(Buffer.from(chunk));
  return tail.lines();
}

/** A mask for secrets of the environment. */
function hiding(env: Readonly<Record<string, string>>): Mask {
  return new SecretMask(compiled('{"workflows": {"w": {"steps": ["true"]}}}', 'w'), env);
}

test('the last lines are kept, including an unterminated one', () => {
  assert.deepEqual(kept(['a\nb\n', 'c\n'], 2), ['b', 'c']);
  assert.deepEqual(kept(['a\nb', 'b\nc'], 2), ['bb', 'c']);
  assert.deepEqual(kept(['a\n\n\n'], 3), ['a', '', '']);
  assert.deepEqual(kept([]), []);
});

test('the kept lines do not depend on the chunks of the output', () => {
  const texts = fc.array(fc.constantFrom('a', 'é', '😀', '\n', '\r', '\r\n', '\u001b[1m', 'KEYKEY', '\n\n'), {
    maxLength: 40,
  });
  const mask = hiding({ API_KEY: 'KEYKEY' });
  const property = fc.property(
    texts,
    fc.array(fc.nat(60), { maxLength: 6 }),
    fc.integer({ min: 1, max: 4 }),
    (parts, cuts, count) => {
      const bytes = Buffer.from(parts.join(''));
      const ends = [...cuts.map((cut) => Math.min(cut, bytes.length)), bytes.length].toSorted((a, b) => a - b);
      const chunks = ends.map((end, index) => bytes.subarray(ends[index - 1] ?? 0, end));
      assert.deepEqual(kept(chunks, count, mask), kept([bytes], count, mask));
    },
  );
  fc.assert(property, { numRuns: 500 });
});

test('of overlapping and adjacent secrets nothing is left', () => {
  const env = { A_TOKEN: 'abcde', B_TOKEN: 'defgh', C_TOKEN: 'xyxy' };
  assert.deepEqual(kept(['<abcdefgh> <abcdeabcde> <defghabcde> <xyxyxy>'], 1, hiding(env)), [
    '<***> <***> <***> <***>',
  ]);
  const texts = fc.string({ unit: fc.constantFrom('a', 'b', 'c'), minLength: 3, maxLength: 6 });
  const property = fc.property(fc.array(texts, { maxLength: 4 }), fc.array(texts), (secrets, parts) => {
    const text = parts.join('');
    let expected = text;
    for (let at = 0; at < text.length; at += 1) {
      for (const secret of secrets) {
        const end = at + secret.length;
        if (text.startsWith(secret, at))
          expected = `${expected.slice(0, at)}${'*'.repeat(secret.length)}${expected.slice(end)}`;
      }
    }
    const mask = hiding(Object.fromEntries(secrets.map((secret, index) => [`T${index}_TOKEN`, secret])));
    assert.equal(mask.apply(text), expected.replaceAll(/\*+/g, '***'));
  });
  fc.assert(property, { numRuns: 500 });
});

test('the last state of a progress bar is kept', () => {
  assert.deepEqual(kept(['10%\r20%\r', '100%\r\ndone\r\n']), ['100%', 'done']);
});

test('escape sequences and control characters are removed, and bytes that are not UTF-8 become U+FFFD', () => {
  assert.deepEqual(
    kept(['\u001b[1;31mred\u001b[0m \u001b]8;;http://x\u0007link\u001b]8;;\u0007 a\u0001\u0000b\tc\n']),
    ['red link ab\tc'],
  );
  assert.deepEqual(kept([Buffer.from([0x61, 0xff, 0x62, 0x0a])]), ['a\uFFFDb']);
});

test('a line is truncated to 4 KiB, between characters', () => {
  const [long = '', next] = kept(['€'.repeat(10_000), '\nnext\n']);
  assert.equal(next, 'next');
  assert.equal(Buffer.byteLength(long), 4095);
  assert.match(long, /^€+…$/);
  assert.deepEqual(kept(['x'.repeat(4096)]), ['x'.repeat(4096)]);
});

test('a secret is masked across chunks, with colours inside, and at the end of a long line', () => {
  const secret = 'correct horse battery staple';
  const mask = hiding({ API_TOKEN: secret });
  for (let cut = 0; cut <= secret.length; cut += 1) {
    assert.deepEqual(kept([`a${secret.slice(0, cut)}`, `${secret.slice(cut)}b\n`], 50, mask), ['a***b']);
  }
  assert.deepEqual(kept(['correct \u001b[1mhorse\u001b[0m battery staple'], 50, mask), ['***']);
  for (let length = 4060; length <= 4100; length += 1) {
    const [line = ''] = kept([`${'x'.repeat(length)}${secret}`], 50, mask);
    assert.doesNotMatch(line, /corr/);
  }
  // Of a line, 4 * (4096 + 28) bytes are stored, so the last 28 may be a part of the secret.
  for (let stored = 1; stored < secret.length; stored += 1) {
    const line = `${'\u001b[0m'.repeat(4092)}${'y'.repeat(4 * 32 - stored)}${secret}`;
    assert.deepEqual(kept([line], 50, mask), ['y'.repeat(4 * 32 - 28)]);
  }
});

test('each line of a multi-line secret is masked, and the whole secret including its short lines', () => {
  const mask = hiding({ SIGNING_KEY: 'first line\r\nsecond\nQ=\n' });
  assert.deepEqual(kept(['<\nfirst line\nsecond\nQ=\n>\n'], 50, mask), ['<', '***', '>']);
  assert.deepEqual(kept(['second, first line, Q='], 50, mask), ['***, ***, Q=']);
});

test('any secret takes linear time to mask, however often it occurs and overlaps', async () => {
  const text = 'ab'.repeat(100_000);
  const secrets = { A_TOKEN: 'ab'.repeat(30_000), B_TOKEN: 'ba'.repeat(30_000), C_TOKEN: `${'ab'.repeat(30_000)}c` };
  const { apply } = hiding(secrets);
  assert.equal(await assertCpuTime(10, () => apply(`<${text}c${text}>`)), '<***>');
});

test('a secret of any length is masked to its end', () => {
  for (let length = 3; length < 200; length += 1) {
    const secret = Array.from({ length }, (_, index) => String.fromCodePoint(0x4e00 + index)).join('');
    assert.deepEqual(kept([`<${secret}>`], 1, hiding({ API_TOKEN: secret })), ['<***>']);
  }
});

test('a secret that contains another is masked as a whole', () => {
  const mask = hiding({ A_TOKEN: 'abc', B_TOKEN: 'abcdef.*' });
  assert.deepEqual(kept(['abcdef.* abc abcdefg'], 50, mask), ['*** *** ***defg']);
});

test('a gigabyte in one chunk or in many lines is not kept in memory', () => {
  const tail = new OutputTail(3, NOTHING);
  const chunk = Buffer.alloc(1 << 20, 'x');
  const lines = Buffer.from('line\n'.repeat(200_000));
  for (let count = 0; count < 200; count += 1) tail.add(count % 2 === 0 ? chunk : lines);
  assert.deepEqual(tail.lines(), ['line', 'line', 'line']);
});

test('a line of a log that is too long has no part of a secret before its cut', (t) => {
  const path = join(temporaryDirectory(t), 'log');
  const log = new MaskedLog(openSync(path, 'w'), hiding({ API_TOKEN: 'hush-hush' }), false);
  log.add(Buffer.from(`${'x'.repeat(65_532)}hush-hush\nhush-hush\n`));
  log.end();
  assert.equal(readFileSync(path, 'utf8'), `${'x'.repeat(65_527)}…\n***\n`);
});
