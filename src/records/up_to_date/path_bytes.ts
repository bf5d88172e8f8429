import { isUtf8 } from 'node:buffer';

/*
 * Names of files are bytes. As text, each byte of an invalid name from 0x80 on is a lone surrogate, U+DC80 to U+DCFF, as in
 * PEP 383.
 */

/** The text for a name. */
export function textOfName(bytes: Uint8Array): string {
  const buffer = Buffer.from(bytes);
  if (isUtf8(buffer)) return buffer.toString();
  return Array.from(buffer, (byte) => String.fromCharCode(byte < 0x80 ? byte : 0xdc00 + byte)).join('');
}

/** A path for system calls. */
export function systemPath(path: string): string | Buffer {
  if (path.isWellFormed()) return path;
  return Buffer.concat(
    Array.from(path, (character) => {
      const code = character.charCodeAt(0);
      return character.length === 1 && code >= 0xdc80 && code <= 0xdcff
        ? Buffer.from([code - 0xdc00])
        : Buffer.from(character);
    }),
  );
}
