import { isUtf8 } from 'node:buffer';

/**
 * `text` is a file's text without its byte-order mark, or what could be read of it; where it is not
 * UTF-8, `bad` says what it is instead and from which offset on.
 */
export type Decoded = Readonly<{
  text: string;
  bad: Readonly<{ encoding: 'UTF-16' | 'unknown'; offset: number }> | undefined;
}>;

/** A file's bytes as text. */
export function decode(bytes: Buffer): Decoded {
  if (isUtf16(bytes)) return { text: '', bad: { encoding: 'UTF-16', offset: 0 } };
  const text = bytes.toString('utf8').replace(/^\uFEFF/, '');
  if (isUtf8(bytes)) return { text, bad: undefined };
  return { text, bad: { encoding: 'unknown', offset: text.indexOf('\uFFFD') } };
}

/** By its byte-order mark, or by a zero byte beside the first character, which is ASCII in JSON. */
function isUtf16([first, second]: Buffer): boolean {
  if (first === undefined || second === undefined) return false;
  if ((first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff)) return true;
  return (first === 0) !== (second === 0);
}
