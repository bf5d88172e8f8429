import { isUtf8 } from 'node:buffer';

export type Decoded = Readonly<
  | { ok: true; text: string }
  /** `text` is what could be read, and `offset` the place in it from which on it is not UTF-8. */
  | { ok: false; encoding: 'UTF-16' | 'unknown'; text: string; offset: number }
>;

/** A file's bytes as text, without a byte-order mark. */
export function decode(bytes: Buffer): Decoded {
  if (isUtf16(bytes)) return { ok: false, encoding: 'UTF-16', text: '', offset: 0 };
  const text = bytes.toString('utf8').replace(/^\uFEFF/, '');
  if (isUtf8(bytes)) return { ok: true, text };
  return { ok: false, encoding: 'unknown', text, offset: text.indexOf('\uFFFD') };
}

/** By its byte-order mark, or by a zero byte beside the first character, which is ASCII in JSON. */
function isUtf16([first, second]: Buffer): boolean {
  if (first === undefined || second === undefined) return false;
  if ((first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff)) return true;
  return (first === 0) !== (second === 0);
}
