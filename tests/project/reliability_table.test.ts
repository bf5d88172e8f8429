/*
 * tests/README.md lists the tests of each promise, and docs/reliability.md their files. Both lists are compared with the
 * sources of the tests.
 */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { ROOT } from '../support/cli.ts';

const TESTS = join(ROOT, 'tests');
const PROMISES = 10;

/** The part of a name that differs between tests with the same template. */
const ANY = '…';

/** A test named in a table, and the number of its row. */
type Entry = Readonly<{ number: number; file: string; name: string }>;

/** The name of a test in its source: the texts between the holes of a template. */
type Pattern = readonly string[];

const tables = readFileSync(join(TESTS, 'README.md'), 'utf8');
const sources = new Map(
  readdirSync(TESTS, { recursive: true, encoding: 'utf8' })
    .filter((file) => /\.(?:test|slow)\.ts$/.test(file))
    .map((file) => [file, readFileSync(join(TESTS, file), 'utf8')]),
);

/** The entries of the tables with this heading in the second column. A row without a number continues the last one. */
function entriesOf(markdown: string, heading: string): Entry[] {
  const entries: Entry[] = [];
  let inTable = false;
  for (const line of markdown.split('\n')) {
    const [, number, what, file, name] = line.split('|').map((cell) => cell.trim());
    if (number === undefined || what === heading) inTable = what === heading;
    else if (inTable && file !== undefined && name !== undefined && !number.startsWith('-')) {
      const last = entries.at(-1)?.number ?? 0;
      entries.push({ number: number === '' ? last : Number(number), file: file.replaceAll('`', ''), name });
    }
  }
  return entries;
}

/** The names of all tests in a source. */
function patternsOf(source: string): Pattern[] {
  return [...source.matchAll(/(?<![.\w])(?:t\.)?test\(\s*(?=['"`])/g)].map(({ index, 0: { length } }) =>
    patternAt(source, index + length),
  );
}

/** Reads the literal that begins at an offset. */
function patternAt(source: string, start: number): Pattern {
  const texts = [''];
  const quote = source[start];
  const add = (text: string): string => (texts[texts.length - 1] += text);
  for (let at = start + 1; at < source.length && source[at] !== quote; at += 1) {
    if (source[at] === '\\') add(source[(at += 1)] ?? '');
    else if (quote === '`' && source.startsWith('${', at)) {
      at = endOfHole(source, at + 2);
      texts.push('');
    } else add(source[at] ?? '');
  }
  return texts;
}

/** The offset of the brace that closes a hole of a template. */
function endOfHole(source: string, start: number): number {
  let at = start;
  for (let depth = 1; depth > 0 && at < source.length; at += 1) {
    if (source[at] === '{') depth += 1;
    if (source[at] === '}') depth -= 1;
  }
  return at - 1;
}

/** The names of the tests in each source so far, as expressions: each source is looked through a hundred times. */
const expressions = new Map<string, readonly RegExp[]>();

function expressionsOf(source: string): readonly RegExp[] {
  const known = expressions.get(source) ?? patternsOf(source).map(expressionOf);
  expressions.set(source, known);
  return known;
}

function expressionOf(texts: Pattern): RegExp {
  const fixed = texts.map((text) => text.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&'));
  return new RegExp(`^${fixed.join('(.+)')}$`, 's');
}

/** Whether a source has a test of this name. The text in a hole of its template must occur in the source. */
function isTest(name: string, source: string): boolean {
  return expressionsOf(source).some((expression) => {
    const filled = expression.exec(name)?.slice(1);
    return filled?.every((text) => text === ANY || source.includes(text)) ?? false;
  });
}

/** The problems of tables that should have the rows 1 to `count`. */
function problems(entries: readonly Entry[], count: number): string[] {
  const rows = [...new Set(entries.map(({ number }) => number))];
  const expected = Array.from({ length: count }, (_, index) => index + 1);
  const order = rows.join() === expected.join() ? [] : [`the rows are ${rows.join()}`];
  const missing = entries.filter(({ file, name }) => !isTest(name, sources.get(file) ?? ''));
  return [...order, ...missing.map(({ number, file, name }) => `${number}: ${file} has no test '${name}'`)];
}

const promises = entriesOf(tables, 'Promise');

test('each promise in tests/README.md names tests that exist', () => {
  assert.deepEqual(problems(promises, PROMISES), []);
});

test('docs/reliability.md lists the same promises, with the files of their tests', () => {
  const [, section = ''] = readFileSync(join(ROOT, 'docs/reliability.md'), 'utf8').split('\n## Promises\n');
  const [list = ''] = section.split('\n## ');
  const named = [...list.matchAll(/^(\d+)\. .* Tests: (.*)\.$/gm)].map(([, number, files = '']) => {
    return { number: Number(number), files: files.replaceAll('`', '').split(', ') };
  });
  const expected = [...new Set(promises.map(({ number }) => number))].map((number) => {
    const own = promises.filter((entry) => entry.number === number);
    return { number, files: [...new Set(own.map(({ file }) => file))] };
  });
  assert.deepEqual(named, expected);
});

/** Whether a changed table has problems. */
const isNoticed = (changed: readonly Entry[]): boolean => problems(changed, PROMISES).length > 0;

test('a missing or misplaced row, a row without a test, and a misspelt name are reported', () => {
  const [first, ...rest] = promises;
  assert.ok(first !== undefined);
  assert.ok(isNoticed(promises.filter(({ number }) => number !== 7)));
  assert.ok(isNoticed(promises.toReversed()));
  assert.ok(isNoticed([{ ...first, name: '' }, ...rest]));
  assert.ok(isNoticed([{ ...first, file: 'nosuch.test.ts' }, ...rest]));
  for (const [index, entry] of promises.entries()) {
    const misspelt = { ...entry, name: `${entry.name.slice(0, -2)}~${entry.name.slice(-1)}` };
    assert.ok(isNoticed(promises.with(index, misspelt)), entry.name);
  }
});

test('a hole in the name of a test matches text of its file, or the placeholder', () => {
  const source = "for (const x of ['one', 'it\\'s']) test(`a ${f({ x })} of ${`${x}`}`, () => 0); /two/.test('three')";
  assert.ok(isTest('a one of …', source));
  assert.ok(isTest('a … of …', source));
  assert.ok(!isTest('a two of', source));
  assert.ok(!isTest('a seven of …', source));
  assert.ok(!isTest('three', source));
});
