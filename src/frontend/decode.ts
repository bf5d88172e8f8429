import { isUtf8 } from 'node:buffer';

export type Decoded =
  | { readonly ok: true; readonly text: string }
  | {
      readonly ok: false;
      readonly encoding: 'UTF-16' | 'unknown';
      readonly text: string;
      readonly offset: number;
    };

/**
 * A file's bytes as text, without a byte-order mark.
 *
 * What is not UTF-8 is an error at its first bad byte; `text` then holds what could be read, for
 * drawing the place.
 */
export function decode(bytes: Uint8Array): Decoded {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (isUtf16(bytes)) return { ok: false, encoding: 'UTF-16', text: '', offset: 0 };
  const text = buffer.toString('utf8').replace(/^\uFEFF/, '');
  if (isUtf8(bytes)) return { ok: true, text };
  return { ok: false, encoding: 'unknown', text, offset: firstBadCharacter(bytes, text) };
}

/** By its byte-order mark, or by the zero byte beside the first character, which is always ASCII in JSON. */
function isUtf16(bytes: Uint8Array): boolean {
  const [first, second] = bytes;
  if (first === undefined || second === undefined) return false;
  if ((first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff)) return true;
  return (first === 0 && second !== 0) || (first !== 0 && second === 0);
}

/** The longest prefix of whole characters that is valid ends where decoding put its first U+FFFD. */
function firstBadCharacter(bytes: Uint8Array, text: string): number {
  let good = 0;
  let bad = bytes.length;
  while (bad - good > 1) {
    const middle = (good + bad) >> 1;
    if (isUtf8(bytes.subarray(0, characterStart(bytes, middle)))) good = middle;
    else bad = middle;
  }
  const prefix = Buffer.from(bytes.subarray(0, characterStart(bytes, good))).toString('utf8');
  return Math.min(prefix.replace(/^\uFEFF/, '').length, Math.max(0, text.length - 1));
}

/** The start of the character that the byte at `index` is part of: continuation bytes are 10xxxxxx. */
function characterStart(bytes: Uint8Array, index: number): number {
  let start = index;
  while (start > 0 && index - start < 4 && ((bytes[start] ?? 0) & 0xc0) === 0x80) start -= 1;
  return start;
}
