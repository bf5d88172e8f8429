import { isUtf8 } from 'node:buffer';

/**
 * A file's text without its byte-order mark. If the file is not UTF-8, `problem` says so, and `offset` is the offset of
 * the first invalid character.
 */
export type Decoded = Readonly<{ text: string; problem: 'Utf16' | 'NotUtf8' | undefined; offset: number }>;

/** Decodes a file. */
export function decode(bytes: Buffer): Decoded {
  if (isUtf16(bytes)) return { text: '', problem: 'Utf16', offset: 0 };
  const text = bytes.toString('utf8').replace(/^\uFEFF/, '');
  return { text, problem: isUtf8(bytes) ? undefined : 'NotUtf8', offset: text.indexOf('\uFFFD') };
}

/** Detects UTF-16 by its byte-order mark, or by a zero byte beside the first character, which is ASCII in JSON. */
function isUtf16([first, second]: Buffer): boolean {
  const mark = (first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff);
  return mark || (first === 0) !== (second === 0);
}
