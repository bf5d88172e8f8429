import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { readOutputs } from '../../src/backend/outputs/read_outputs.ts';
import { fuzzing } from '../support/random/fuzzing.ts';

type Segment = string | number;

const RUNS = fuzzing(2000);

/** Upper-case letters occur only in strings, so that they can be written as escapes. */
const CHARACTERS = ['A', 'B', '_', ' ', '"', '\\', '/', '\n', '{', ']', ',', 'é', '😀', '\u2028', '\u007f'];

const value = fc.jsonValue({ stringUnit: fc.constantFrom(...CHARACTERS), maxDepth: 4 });
const indent = fc.constantFrom('', '  ', '\t');
const number = fc.stringMatching(/^-?(0|[1-9]\d{0,30})(\.\d{1,30})?([eE][-+]?\d{1,3})?$/);

/** The one value of a variable that is read from a text, or the one problem. */
function read(text: string | Uint8Array, path: readonly Segment[] = []): { value?: string; problem?: string } {
  const outputs = readOutputs(Buffer.from(text), [['A', path]]);
  if (outputs.ok) return { value: outputs.values.map(([, found]) => found).join('\n') };
  return { problem: outputs.problems.join('\n') };
}

/** Elements of an array, each from both ends, or fields of an object. */
function childrenOf(parent: unknown): [Segment, unknown][] {
  if (Array.isArray(parent)) {
    const items: unknown[] = parent;
    return items.flatMap((item, index): [Segment, unknown][] => [
      [index, item],
      [index - items.length, item],
    ]);
  }
  return typeof parent === 'object' && parent !== null ? Object.entries(parent) : [];
}

/** A path into a value, sometimes one segment too long, and the value at its end, if any. */
function follow(root: unknown, steps: readonly number[]): { path: Segment[]; found: unknown } {
  const path: Segment[] = [];
  let found = root;
  for (const step of steps) {
    const children = childrenOf(found);
    const [segment, child] = children[step] ?? (step % 2 === 0 ? [9, undefined] : ['none', undefined]);
    path.push(segment);
    found = child;
    if (child === undefined) break;
  }
  return { path, found };
}

test('a string is read as it is and any other value as compact JSON, for any spaces and escapes', () => {
  const steps = fc.array(fc.nat(6), { maxLength: 6 });
  const property = fc.property(value, indent, steps, (root, blanks, ways) => {
    const text = JSON.stringify(root, null, blanks).replaceAll('A', '\\u0041');
    const { path, found } = follow(root, ways);
    const picked = read(text, path).value?.replaceAll('\\u0041', 'A');
    const expected = typeof found === 'string' ? found : JSON.stringify(found ?? undefined);
    assert.equal(picked, expected);
  });
  fc.assert(property, RUNS);
});

test('a number is read with its digits as written', () => {
  const property = fc.property(fc.array(number, { minLength: 1 }), fc.nat(), (numbers, at) => {
    const index = at % numbers.length;
    assert.deepEqual(read(`[${numbers.join(' , ')}]`), { value: `[${numbers.join(',')}]` });
    assert.deepEqual(read(`[${numbers.join('\n,')}]`, [index]), { value: numbers[index] });
  });
  fc.assert(property, RUNS);
});

/** Bytes with a meaning in JSON or UTF-8. */
const PIECES = [
  ...Array.from('{}[]:,"\'\\/*tfn0-.eE \n\r\t\0\x1b\x7f'),
  'null',
  '//',
  '/*',
  '\\u0',
  '\\ud800',
  '\uFEFF',
];
const piece = fc.oneof(
  fc.constantFrom(...PIECES).map((text) => Buffer.from(text)),
  fc.constantFrom(0x80, 0xc3, 0xe2, 0xff).map((byte) => Buffer.from([byte])),
);

/** Whether JSON.parse accepts these bytes as UTF-8. */
function isJson(bytes: Uint8Array): boolean {
  try {
    JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
    return true;
  } catch {
    return false;
  }
}

test('a text is accepted as one JSON text if and only if JSON.parse accepts it', () => {
  const splice = fc.tuple(fc.nat(), fc.nat(3), piece);
  const property = fc.property(value, indent, fc.array(splice, { maxLength: 2 }), (root, blanks, splices) => {
    let bytes = Buffer.from(JSON.stringify(root, null, blanks));
    for (const [at, removed, inserted] of splices) {
      const from = at % (bytes.length + 1);
      bytes = Buffer.concat([bytes.subarray(0, from), inserted, bytes.subarray(from + removed)]);
    }
    const isRefused = read(bytes).problem?.startsWith("output 'A': standard output is not one JSON text: ") === true;
    assert.equal(!isRefused, isJson(bytes));
  });
  fc.assert(property, RUNS);
});
