import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import * as v from 'valibot';
import { readOutputs } from '../../src/backend/outputs/read_outputs.ts';
import { failure } from '../../src/base/result.ts';
import { parseJsonPath } from '../../src/frontend/references/json_path.ts';
import { formatJsonPath } from '../../src/ir/views/format_json_path.ts';
import { FIXTURES } from '../support/goldens/goldens.ts';
import { random, SEED } from '../support/random/random.ts';

const Query = v.object({ name: v.string(), selector: v.string() });
const Suite = v.object({
  singular: v.array(v.object({ ...Query.entries, document: v.unknown(), result: v.array(v.unknown()) })),
  plural: v.array(Query),
  invalid: v.array(Query),
});

const file = join(FIXTURES, 'json_path', 'compliance.json');
const suite = v.parse(Suite, JSON.parse(readFileSync(file, 'utf8')));

test('the compliance suite of RFC 9535 is complete', () => {
  const counts = [suite.singular.length, suite.plural.length, suite.invalid.length];
  assert.deepEqual(counts, [76, 366, 245]);
});

for (const { name, selector, document, result } of suite.singular) {
  test(`a path of the compliance suite has the expected result: ${name}`, () => {
    const parsed = parseJsonPath(selector);
    assert.ok(parsed.ok);
    const read = readOutputs(Buffer.from(JSON.stringify(document)), [['A', parsed.value]]);
    assert.equal(read.ok, result.length === 1);
    if (!read.ok) return;
    const [wanted] = result;
    const values = read.values.map(([, value]) => (typeof wanted === 'string' ? value : JSON.parse(value ?? '')));
    assert.deepEqual(values, result);
  });
}

for (const group of ['plural', 'invalid'] as const) {
  test(`no ${group} query of the compliance suite is accepted as a path`, () => {
    const taken = suite[group].filter(({ selector }) => parseJsonPath(selector).ok);
    assert.deepEqual(taken, []);
  });
}

const PATHS: readonly (readonly [text: string, path: readonly (string | number)[]])[] = [
  ['$', []],
  ['$.data[0].id', ['data', 0, 'id']],
  ['$[-1][0][9007199254740991]', [-1, 0, 9007199254740991]],
  [`$['odd name']["it's"]['"']["\\""]['\\'']`, ['odd name', "it's", '"', '"', "'"]],
  [`$['']["$.a[*]"]`, ['', '$.a[*]']],
  ['$.__proto__.constructor._0', ['__proto__', 'constructor', '_0']],
  ['$.größe.名前.😀', ['größe', '名前', '😀']],
  [String.raw`$['\u00e9\uD83D\uDE00\u0000']["\b\f\n\r\t\/\\\\u0041"]`, ['é😀\0', '\b\f\n\r\t/\\\\u0041']],
  [String.raw`$['\\\'']["\\'"]`, ["\\'", "\\'"]],
  ['$ .a\n[ 0\t]\r\n[ "b" ]', ['a', 0, 'b']],
];

for (const [text, path] of PATHS) {
  test(`${JSON.stringify(text)} is a valid path`, () =>
    assert.deepEqual(parseJsonPath(text), { ok: true, value: path }));
}

const MANY = 'selects more than one value; a path must select one, as in $.a.b[0]';
const BEGINS = 'a path begins with $, as in $.a.b[0]';
const SEGMENT = "expected '.' or '['; write other names as ['other name']";
const NAME = "expected a name; write other names as ['other name']";
const SELECTOR = 'expected a name in quotes, or an index';
const ZERO = 'an index has no leading zero, and is not -0';
const RANGE = 'an index must be between -(2^53)+1 and (2^53)-1';
const ESCAPE = "not an escape sequence: use JSON's, or escape the enclosing quote";
const HALF = 'an unpaired surrogate';

const PROBLEMS: readonly (readonly [text: string, offset: number, problem: string])[] = [
  ['', 0, BEGINS],
  ['a.b', 0, BEGINS],
  [' $', 0, BEGINS],
  ['@.a', 0, BEGINS],
  ['$a', 1, SEGMENT],
  ['$.a-b', 3, SEGMENT],
  ['$.a b', 4, SEGMENT],
  ['$.a]', 3, SEGMENT],
  ['$.a \n', 3, 'trailing blanks'],
  ['$.', 2, NAME],
  ['$. a', 2, NAME],
  ['$.0', 2, NAME],
  ["$.'a'", 2, NAME],
  ['$.\uD800', 2, NAME],
  ['$..a', 2, MANY],
  ['$.*', 2, MANY],
  ['$.[0]', 2, NAME],
  ['$.a[*]', 4, MANY],
  ['$[?@.a == 1]', 2, MANY],
  ['$[0, 1]', 3, MANY],
  ["$['a' ,'b']", 6, MANY],
  ['$[1:]', 3, MANY],
  ['$[:1]', 2, MANY],
  ['$[', 2, SELECTOR],
  ['$[]', 2, SELECTOR],
  ['$[a]', 2, SELECTOR],
  ['$[+1]', 2, SELECTOR],
  ['$[-]', 2, SELECTOR],
  ['$[\u00a00]', 2, SELECTOR],
  ['$[0', 3, "expected ']'"],
  ['$[1.0]', 3, "expected ']'"],
  ["$['a'b']", 5, "expected ']'"],
  ['$[ 01]', 3, ZERO],
  ['$[-01]', 2, ZERO],
  ['$[-0]', 2, ZERO],
  ['$[00]', 2, ZERO],
  ['$[9007199254740992]', 2, RANGE],
  ['$[-9007199254740992]', 2, RANGE],
  [`$[${'9'.repeat(1000)}]`, 2, RANGE],
  ["$['a", 4, 'the quote is not closed'],
  ["$['", 3, 'the quote is not closed'],
  ['$["a\']', 6, 'the quote is not closed'],
  [String.raw`$['\x41']`, 3, ESCAPE],
  [String.raw`$['a\"']`, 4, ESCAPE],
  [String.raw`$["\'"]`, 3, ESCAPE],
  [String.raw`$['\U0041']`, 3, ESCAPE],
  [String.raw`$['\u004']`, 3, ESCAPE],
  ["$['\t']", 3, 'a control character; write it as an escape sequence'],
  ["$['\uDC00\uD800']", 3, HALF],
  [String.raw`$[ '\uD83D']`, 3, HALF],
  [String.raw`$['\uDE00\uD83D']`, 2, HALF],
  [String.raw`$['\uD83D${'\uDE00'}']`, 9, HALF],
];

for (const [text, offset, problem] of PROBLEMS) {
  const name = text.length > 50 ? `${text.slice(0, 10)}…` : JSON.stringify(text);
  test(`${name} is not a path: ${problem}`, () => assert.deepEqual(parseJsonPath(text), failure({ problem, offset })));
}

test(`a serialised path is parsed as the same path (FUZZ_SEED=${SEED})`, () => {
  const source = random(SEED);
  const characters = ['a', 'Z', '0', '_', '-', ' ', '.', '[', ']', "'", '"', '\\', '\0', '\n', '\u2028', 'é', '😀'];
  for (let left = 2000; left > 0; left -= 1) {
    const path = Array.from({ length: source.below(5) }, () => {
      if (source.chance(0.3)) return source.below(2 ** 40) - 2 ** 39;
      return Array.from({ length: source.below(5) }, () => source.pick(characters)).join('');
    });
    assert.deepEqual(parseJsonPath(formatJsonPath(path)), { ok: true, value: path }, formatJsonPath(path));
  }
});

test('a path of the maximum length of a file is parsed or rejected', () => {
  const long = 2 ** 24;
  assert.deepEqual(parseJsonPath(`$['${'é'.repeat(long)}']`), { ok: true, value: ['é'.repeat(long)] });
  assert.deepEqual(parseJsonPath(`$['${String.raw`\n`.repeat(2 ** 20)}']`), {
    ok: true,
    value: ['\n'.repeat(2 ** 20)],
  });
  assert.deepEqual(parseJsonPath(`$[${'1'.repeat(long)}]`), failure({ problem: RANGE, offset: 2 }));
  assert.deepEqual(parseJsonPath(`$${'[0]'.repeat(2 ** 20)}`), { ok: true, value: Array(2 ** 20).fill(0) });
});
