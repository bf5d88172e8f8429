import * as fc from 'fast-check';

/** Bytes with a meaning in JSON, in UTF-8 or at a terminal. */
const BYTES = [...Buffer.from('{}[]:,"\'\\/*tfn0-.eE$ \n\r\t\0\x1b\x7f\x80\xc3\xe2\xff', 'latin1')];

/** Fragments of JSON that are invalid in most places. */
const PIECES = [
  ...'null true -1e400 "" "w" [] {} [[ {" ": ,, // /* */ "steps":1, "run":"x", "workflow":"w",'.split(' '),
  ...'"parallel":[ "parallel":[{"parallel":[]}], "max_parallel":0, "matrix":{"A":["1"]}, "matrix":{"A":[]}, "dotenv":"w",'.split(
    ' ',
  ),
  ...'"inputs":{"A":{"required":true,"type":"boolean"}}, "outputs":{"A":"text"}, "confirm":"w", "aliases":["w"],'.split(
    ' ',
  ),
  ...'"default":"w", "include":{"w":"/dev/null"}, "include":{"":{"file":"."}}, "include":{"w":"w"},'.split(' '),
  ...'"env":{"":""}, "__proto__":{}, "with":{"A-B":"x","A-B":1}, "if":"${{A", "A":"${vars.A}", \\u0000 \\ud800 \\x'.split(
    ' ',
  ),
  '\uFEFF',
  '\u202E',
  '\r',
];

type Edit = (text: Buffer) => Buffer;

const inserted = fc.oneof(
  fc.constant(Buffer.alloc(0)),
  fc.constantFrom(...BYTES).map((byte) => Buffer.from([byte])),
  fc.constantFrom(...PIECES).map((piece) => Buffer.from(piece)),
);

/** Replaces some bytes, or all bytes from an offset on. */
function replacements(length: number): fc.Arbitrary<Edit> {
  const count = fc.oneof({ arbitrary: fc.nat(12), weight: 7 }, { arbitrary: fc.nat(length), weight: 1 });
  return fc.tuple(fc.nat(length), count, inserted).map(([from, removed, piece]) => {
    return (text) => Buffer.concat([text.subarray(0, from), piece, text.subarray(from + removed)]);
  });
}

/** Copies some bytes to another offset. */
function copies(length: number): fc.Arbitrary<Edit> {
  return fc.tuple(fc.nat(length), fc.nat(length), fc.nat(length)).map(([from, to, at]) => {
    return (text) => Buffer.concat([text.subarray(0, at), text.subarray(from, to), text.subarray(at)]);
  });
}

/** Replaces a string, a key or a value. */
const stringCopies = fc.tuple(fc.nat(), fc.nat()).map(([from, to]): Edit => {
  return (bytes) => {
    const text = bytes.toString();
    const strings = [...text.matchAll(/"(?:[^"\\]|\\.)*"/g)];
    const [source, target] = [strings[from % strings.length], strings[to % strings.length]];
    if (source === undefined || target === undefined) return bytes;
    return Buffer.from(text.slice(0, target.index) + source[0] + text.slice(target.index + target[0].length));
  };
});

/** A text after one to three edits. */
export function edited(text: string): fc.Arbitrary<Buffer> {
  const bytes = Buffer.from(text);
  const edit = fc.oneof(replacements(bytes.length), copies(bytes.length), stringCopies);
  const edits = fc.array(edit, { minLength: 1, maxLength: 3 });
  return edits.map((list) => list.reduce<Buffer>((before, change) => change(before), bytes));
}
