import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { parse } from 'dotenv';
import * as fc from 'fast-check';
import { readDotenv, type DotenvContent } from '../../src/cli/driver/variables/dotenv.ts';
import { temporaryDirectory } from '../support/cli.ts';
import { assertCpuTime, timed } from '../support/cpu_time.ts';

/** Reads texts as dotenv files. */
function reader(t: TestContext): (text: string) => DotenvContent {
  const path = join(temporaryDirectory(t), 'file.env');
  return (text) => {
    writeFileSync(path, text);
    return readDotenv(path);
  };
}

/** The pattern of dotenv. It takes quadratic time. */
const ENTRY =
  /^\s*(?:export\s+)?([\w.-]+)(?:\s*=\s*?|:\s+?)(\s*'(?:\\'|[^'])*'|\s*"(?:\\"|[^"])*"|\s*`(?:\\`|[^`])*`|[^#\r\n]+)?\s*(?:#.*)?$/gm;

/** Whether a text has what dotenv ignores without an error, by its own pattern. */
function isIgnoredPartly(text: string): boolean {
  const plain = text.replaceAll(/\r\n?/g, '\n');
  const gaps = plain.replaceAll(ENTRY, '\n').replaceAll(/^\s*#.*/gm, '');
  const quotes = [...plain.matchAll(ENTRY)].map(([, , value = '']) => value.trim());
  const isOpen = quotes.some((value) => /^['"`]/.test(value) && (value.length < 2 || value.at(-1) !== value[0]));
  return /\S/.test(gaps) || isOpen;
}

const KEYS = ['A=', 'export B =', 'C: ', 'D\n=', 'E:\n', '\n \nF=\t'];
const VALUES = [
  'x',
  "'a\\'b'",
  '"x\ny" # c',
  '"a\\nb\\rc"',
  '',
  '# c',
  ' `a\'"b` ',
  '"a\\"',
  "\n'x'",
  'a"b',
  'x\u2028y',
  "'",
];
const SIGNS = ['A', ' ', '\t', '#', '"', "'", '`', '\\', 'export', '=', ':', '\r', '\n', '\u2028', ''];
const lines = fc.tuple(fc.constantFrom(...KEYS), fc.constantFrom(...VALUES), fc.constantFrom('', '', '', ...SIGNS));

test('a file has the variables that dotenv reads, or errors where dotenv ignores a part', (t) => {
  const read = reader(t);
  let accepted = 0;
  const text = fc.array(fc.oneof({ weight: 3, arbitrary: lines }, fc.array(fc.constantFrom(...SIGNS))), {
    maxLength: 4,
  });
  fc.assert(
    fc.property(text, (parts) => {
      const each = `#\n${parts.map((part) => part.join('')).join('\n')}`;
      const { vars, problems } = read(each);
      if (/[\u2028\u2029]\s*['"`]/.test(each)) return;
      assert.equal(problems.length > 0, isIgnoredPartly(each), JSON.stringify(each));
      if (problems.length > 0) return;
      assert.deepEqual(Object.fromEntries(vars), { ...parse(each) }, JSON.stringify(each));
      accepted += vars.length;
    }),
    { numRuns: 1500 },
  );
  assert.ok(accepted > 300, `only ${accepted} variables were read`);
});

function textOf(line: string, end: string, length: number): string {
  const start = end === '"' ? 'NAME="' : '';
  return `${start}${line.repeat(Math.floor((length - 16) / line.length))}${end}`;
}

for (const [what, line, end] of [
  ['blank lines before a comment', '\n', '#'],
  ['entries', 'NAME=a value\n', ''],
  ['quotes that are not closed', 'NAME="a value"s\n', ''],
  ['escaped quotes', '\\"', '"'],
  ['lines without an entry', 'export\n', ''],
] as const) {
  test(`4 MB of ${what} take at most 13 times as long as 400 KB`, async (t) => {
    const read = reader(t);
    const [small, large] = [textOf(line, end, 400_000), textOf(line, end, 4_000_000)];
    // The first reading compiles the code.
    read(small);
    const { seconds: thrice } = await timed(() => [1, 2, 3].map(() => read(small)));
    const base = Math.max(0.02, thrice / 3);
    const { seconds } = await timed(() => read(large));
    assert.ok(seconds < 13 * base, `${seconds} s, and ${base} s for 400 KB`);
  });
}

test('a file of broken lines has the first 1,000 errors, and the number of the others', (t) => {
  const { vars, problems } = reader(t)('=\n'.repeat(2500));
  assert.deepEqual(
    [vars, problems.length, problems[0]?.replace(/^.*file/, 'file')],
    [[], 1001, 'file.env:1: not of the form KEY=value'],
  );
  assert.match(problems[1000] ?? '', /file\.env: and 1500 more problems$/);
});

test('1,000 wrong lines after a megabyte of entries are found within 10 times the CPU time of parsing 8 MB', async (t) => {
  const read = reader(t);
  const text = `${'NAME=a value\n'.repeat(80_000)}${'=\n'.repeat(1000)}`;
  const { problems } = await assertCpuTime(10, () => read(text));
  assert.equal(problems.at(-1)?.replace(/^.*file/, 'file'), 'file.env:81000: not of the form KEY=value');
});
