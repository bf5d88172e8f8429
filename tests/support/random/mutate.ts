import type { Random } from './random.ts';

/** Bytes with a meaning in JSON, in UTF-8 or at a terminal. */
const BYTES = [...Buffer.from('{}[]:,"\'\\/*tfn0-.eE$ \n\r\t\0\x1b\x7f\x80\xc3\xe2\xff', 'latin1')];

/** Pieces of JSON that are wrong in most places. */
const PIECES = [
  ...'null true -1e400 "" "w" [] {} [[ {" ": ,, // /* */ "steps":1, "run":"x", "workflow":"w",'.split(' '),
  ...'"env":{"":""}, "__proto__":{}, "with":{"A-B":"x","A-B":1}, \\u0000 \\ud800 \\x'.split(' '),
  '\uFEFF',
  '\u202E',
  '\r',
];

/** Changes a byte, a range or a piece of JSON of a file. */
export function mutate(bytes: Buffer, random: Random): Buffer {
  const from = random.below(bytes.length + 1);
  const to = Math.min(bytes.length, from + 1 + random.below(random.chance(0.2) ? bytes.length : 12));
  const [before, stretch, after] = [bytes.subarray(0, from), bytes.subarray(from, to), bytes.subarray(to)];
  const other = random.below(bytes.length + 1);
  switch (random.below(8)) {
    case 0:
      return Buffer.concat([before, after]);
    case 1:
      return Buffer.concat([before, Buffer.from([random.pick(BYTES)]), bytes.subarray(from + 1)]);
    case 2:
      return Buffer.concat([before, Buffer.from([random.pick(BYTES)]), bytes.subarray(from)]);
    case 3:
      return Buffer.concat([before, Buffer.from(random.pick(PIECES)), bytes.subarray(from)]);
    case 4:
      return Buffer.concat([before, Buffer.from(random.pick(PIECES)), after]);
    case 5:
      return Buffer.concat([bytes.subarray(0, other), stretch, bytes.subarray(other)]);
    case 6:
      return before;
    default:
      return replaceString(bytes, random);
  }
}

/** Replaces a string of the file, a key or a value, by another one. */
function replaceString(bytes: Buffer, random: Random): Buffer {
  const text = bytes.toString('utf8');
  const strings = [...text.matchAll(/"(?:[^"\\]|\\.)*"/g)];
  if (strings.length === 0) return bytes;
  const [to, from] = [random.pick(strings), random.pick(strings)];
  return Buffer.from(text.slice(0, to.index) + from[0] + text.slice(to.index + to[0].length));
}
