import { isUtf8 } from 'node:buffer';

/**
 * A file's text without its byte-order mark, or what could be read of it; `problem` is the code for
 * what is wrong with it from an offset on, if anything is.
 */
export type Decoded = Readonly<{ text: string; problem: 'Utf16' | 'NotUtf8' | undefined; offset: number }>;

/** A file's bytes as text. */
export function decode(bytes: Buffer): Decoded {
  if (isUtf16(bytes)) return { text: '', problem: 'Utf16', offset: 0 };
  const text = bytes.toString('utf8').replace(/^\uFEFF/, '');
  return { text, problem: isUtf8(bytes) ? undefined : 'NotUtf8', offset: text.indexOf('\uFFFD') };
}

/** By its byte-order mark, or by a zero byte beside the first character, which is ASCII in JSON. */
function isUtf16([first, second]: Buffer): boolean {
  const mark = (first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff);
  return mark || (first === 0) !== (second === 0);
}
