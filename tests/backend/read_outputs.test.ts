import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readOutputs } from '../../src/backend/outputs/read_outputs.ts';
import type { OutputsResult } from '../../src/backend/command_runner.ts';
import type { Output } from '../../src/frontend/schema/option_fields.ts';
import { assertCpuTime } from '../support/cpu_time.ts';

type Path = Output[1];

function read(stdout: string | Buffer, ...paths: readonly Path[]): OutputsResult {
  const bytes = typeof stdout === 'string' ? Buffer.from(stdout) : stdout;
  return readOutputs(
    bytes,
    paths.map((path, index) => [`OUT${index}`, path]),
  );
}

/** The one value at a path, or the one problem. */
function pick(stdout: string | Buffer, path: Path = []): string {
  const outputs = read(stdout, path);
  if (!outputs.ok) return outputs.problems.join('\n');
  return outputs.values.map(([, value]) => value).join('\n');
}

/** A value as written at `$.v`, and as read. */
const VALUES: readonly (readonly [written: string, value: string])[] = [
  ['"text"', 'text'],
  ['""', ''],
  ['" two\\nlines\\t"', ' two\nlines\t'],
  ['"\\"\\\\\\/\\b\\f\\r\\u00e9\\uD83D\\ude00"', '"\\/\b\f\ré😀'],
  ['"né😀\u2028\u007f"', 'né😀\u2028\u007f'],
  ['"null"', 'null'],
  ['true', 'true'],
  ['false', 'false'],
  ['0', '0'],
  ['-0', '-0'],
  ['1.0', '1.0'],
  ['1e400', '1e400'],
  ['-1.50E-07', '-1.50E-07'],
  ['12345678901234567890', '12345678901234567890'],
  ['0.1000000000000000055511151231257827', '0.1000000000000000055511151231257827'],
  ['{}', '{}'],
  ['[ ]', '[]'],
  ['[\r\n\t1 ,\n  2.0 ]', '[1,2.0]'],
  ['{ "b" : 1e2, "a" : [ { } ], "b" : null }', '{"b":1e2,"a":[{}],"b":null}'],
  ['[ "a b" , "\\" , \\\\", "\\u0020\\/" , "é  " ]', '["a b","\\" , \\\\","\\u0020\\/","é  "]'],
  ['{ "\\u0000" : "\\ud800" }', '{"\\u0000":"\\ud800"}'],
];

for (const [written, value] of VALUES) {
  test(`the JSON value ${written.replaceAll(/\s+/g, ' ')} is read`, () => {
    assert.equal(pick(` { "v" : ${written} } \n`, ['v']), value);
    assert.equal(pick(`[${written}]`, [0]), value);
    assert.equal(pick(`\r\n\t ${written}\n`), value);
  });
}

const JSON_TEXT = `{
  "a": { "b": [10, [20, 21], { "c": "deep" }] },
  "a\\u0062": "escaped name", "né": "not ASCII", "😀": "beyond", "": "empty", "0": "a digit",
  "__proto__": "a name like any other",
  "twice": { "a": 1 }, "twice": { "b": 2 },
  "nothing": null, "nul": "\\u0000", "half": "x\\ud800", "one": [1], "none": []
}`;

const PICKED: readonly (readonly [path: Path, outcome: string])[] = [
  [['a', 'b', 0], '10'],
  [['a', 'b', 1, 1], '21'],
  [['a', 'b', -1, 'c'], 'deep'],
  [['a', 'b', -3], '10'],
  [['a', 'b', -2, -2], '20'],
  [['ab'], 'escaped name'],
  [['né'], 'not ASCII'],
  [['😀'], 'beyond'],
  [[''], 'empty'],
  [['0'], 'a digit'],
  [['__proto__'], 'a name like any other'],
  [['twice'], '{"b":2}'],
  [['twice', 'b'], '2'],
  [['none'], '[]'],
  [['twice', 'a'], "output 'OUT0': $.twice.a is missing: $.twice has no such field"],
  [['constructor'], "output 'OUT0': $.constructor is missing: $ has no such field"],
  [['odd name', 'x'], `output 'OUT0': $["odd name"] is missing: $ has no such field`],
  [['nothing'], "output 'OUT0': $.nothing is null"],
  [['nothing', 'x'], "output 'OUT0': $.nothing.x is missing: $.nothing is null, not an object"],
  [['a', 'b', 'c'], "output 'OUT0': $.a.b.c is missing: $.a.b is an array, not an object"],
  [['a', 0], "output 'OUT0': $.a[0] is missing: $.a is an object, not an array"],
  [['a', 'b', 0, 'x'], "output 'OUT0': $.a.b[0].x is missing: $.a.b[0] is a number, not an object"],
  [['ab', 0], "output 'OUT0': $.ab[0] is missing: $.ab is a string, not an array"],
  [['a', 'b', 3], "output 'OUT0': $.a.b[3] is missing: $.a.b has 3 elements"],
  [['a', 'b', -4], "output 'OUT0': $.a.b[-4] is missing: $.a.b has 3 elements"],
  [['one', 1], "output 'OUT0': $.one[1] is missing: $.one has 1 element"],
  [['none', -1], "output 'OUT0': $.none[-1] is missing: $.none has 0 elements"],
  [['nul'], "output 'OUT0': $.nul holds a NUL character, which no variable can hold"],
  [['half'], "output 'OUT0': $.half holds an unpaired surrogate, which no variable can hold"],
];

for (const [path, outcome] of PICKED) {
  test(`the value at ${JSON.stringify(path)} is: ${outcome}`, () => assert.equal(pick(JSON_TEXT, path), outcome));
}

test('values are in the order of the outputs, whatever their order in the text', () => {
  assert.deepEqual(read('{"a": 1, "b": "2"}', ['b'], ['a'], ['b']), {
    ok: true,
    values: [
      ['OUT0', '2'],
      ['OUT1', '1'],
      ['OUT2', '2'],
    ],
  });
});

test('each unreadable output is a problem, and no value is returned', () => {
  assert.deepEqual(read('{"a": null, "b": "2"}', ['a'], ['b'], ['c']), {
    ok: false,
    problems: ["output 'OUT0': $.a is null", "output 'OUT2': $.c is missing: $ has no such field"],
  });
});

/** Texts that are not one JSON text, and the problem. */
const NOT_JSON: readonly (readonly [stdout: string, problem: string])[] = [
  ['', 'it is empty'],
  [' \r\n\t', 'it is empty'],
  ['\uFEFF\n', 'it is empty'],
  ['Done.\n{}', 'line 1, column 1: expected a value'],
  ['\n\n  secret', 'line 3, column 3: expected a value'],
  ['{}\n{}', 'line 2, column 1: text after its end'],
  ['1 \0', 'line 1, column 3: text after its end'],
  ['01', 'line 1, column 2: text after its end'],
  ['nulll', 'line 1, column 1: expected a value'],
  ['// no comments\n1', 'line 1, column 1: expected a value'],
  ['[1, // none\n2]', 'line 1, column 5: expected a value'],
  ['\u00a01', 'line 1, column 1: expected a value'],
  ['[1,]', 'line 1, column 4: expected a value'],
  ['[,1]', 'line 1, column 2: expected a value'],
  ['[1 2]', "line 1, column 4: expected ',' or ']'"],
  ['[1}', "line 1, column 3: expected ',' or ']'"],
  ['[[1]', "line 1, column 5: expected ',' or ']'; it ends here"],
  ['[\r1,\r\n\n"né😀" x]', "line 4, column 8: expected ',' or ']'"],
  ['{"a":1]', "line 1, column 7: expected ',' or '}'"],
  ['{"a":1', "line 1, column 7: expected ',' or '}'; it ends here"],
  ['{"a" 1}', "line 1, column 6: expected ':'"],
  ['{"a":}', 'line 1, column 6: expected a value'],
  ['{"a":1,}', 'line 1, column 8: expected a key in double quotes'],
  ["{'a':1}", 'line 1, column 2: expected a key in double quotes'],
  ['{a:1}', 'line 1, column 2: expected a key in double quotes'],
  ['{', 'line 1, column 2: expected a key in double quotes; it ends here'],
  ['"secret', `line 1, column 8: expected '"'; it ends here`],
  ['"a\nb"', 'line 1, column 3: control character in a string'],
  ['"a\tb"', 'line 1, column 3: control character in a string'],
  ['"\u001f"', 'line 1, column 2: control character in a string'],
  ['"\0"', 'line 1, column 2: control character in a string'],
  ['"\\x41"', 'line 1, column 3: no such escape'],
  ['"\\\'"', 'line 1, column 3: no such escape'],
  ['"\\', 'line 1, column 3: no such escape; it ends here'],
  ['"\\u00g0"', 'line 1, column 6: expected four hexadecimal digits'],
  ['-', 'line 1, column 2: expected a digit; it ends here'],
  ['+1', 'line 1, column 1: expected a value'],
  ['.5', 'line 1, column 1: expected a value'],
  ['1.', 'line 1, column 3: expected a digit; it ends here'],
  ['[1.e5]', 'line 1, column 4: expected a digit'],
  ['1e+', 'line 1, column 4: expected a digit; it ends here'],
  ['[NaN]', 'line 1, column 2: expected a value'],
  ['[tru]', 'line 1, column 2: expected a value'],
  ['True', 'line 1, column 1: expected a value'],
  ['\uFEFF\uFEFF1', 'line 1, column 1: expected a value'],
];

for (const [stdout, problem] of NOT_JSON) {
  test(`${JSON.stringify(stdout)} is not one JSON text: ${problem}`, () => {
    assert.throws(() => JSON.parse(stdout.replace(/^\uFEFF/, '')));
    assert.deepEqual(read(stdout, [], ['a']), {
      ok: false,
      problems: [`outputs 'OUT0', 'OUT1': standard output is not one JSON text: ${problem}`],
    });
  });
}

test('bytes that are not UTF-8 are not one JSON text', () => {
  const problem = "output 'OUT0': standard output is not one JSON text: it is not UTF-8";
  for (const bytes of [
    Buffer.from('"é"', 'latin1'),
    Buffer.from('\uFEFF1', 'utf16le'),
    Buffer.from([0x22, 0xed, 0xa0, 0x80, 0x22]),
  ]) {
    assert.equal(pick(bytes), problem);
  }
});

test('a byte-order mark before the text is ignored', () => {
  assert.equal(pick('\uFEFF{"a": 1}', ['a']), '1');
  const problem = 'standard output is not one JSON text: line 1, column 1: expected a value';
  assert.equal(pick('\uFEFFx'), `output 'OUT0': ${problem}`);
});

const MEBIBYTE = 2 ** 20;

test('nesting has no limit', () => {
  const [open, close] = ['['.repeat(MEBIBYTE), ']'.repeat(MEBIBYTE)];
  assert.equal(pick(` ${open} ${close} `), open + close);
  assert.equal(pick(`{"a": ${open}7${close}, "b": 8}`, ['b']), '8');
  const [enter, leave] = ['{"a":'.repeat(1000), '}'.repeat(1000)];
  assert.equal(pick(`${enter}"deep"${leave}`, Array<string>(1000).fill('a')), 'deep');
  assert.match(pick(open), /: line 1, column 1048577: expected a value; it ends here$/);
});

test('a large text is read within 40 times the CPU time of parsing 8 MB', async () => {
  const large: readonly (readonly [stdout: string, path: Path, value: string])[] = [
    [`[${'0, '.repeat(MEBIBYTE)}12345678901234567890]`, [-1], '12345678901234567890'],
    [`{${'"key": [], '.repeat(MEBIBYTE / 4)}"last": "x"}`, ['last'], 'x'],
    [`["${'\\n'.repeat(8 * MEBIBYTE - 2)}"]`, [0], '\n'.repeat(8 * MEBIBYTE - 2)],
    [`[ ${'[ ],'.repeat(MEBIBYTE)}1]`, [], `[${'[],'.repeat(MEBIBYTE)}1]`],
    ['1'.repeat(16 * MEBIBYTE), [], '1'.repeat(16 * MEBIBYTE)],
  ];
  for (const [stdout, path, value] of large) {
    const bytes = Buffer.from(stdout);
    assert.ok((await assertCpuTime(40, () => pick(bytes, path))) === value);
  }
});
