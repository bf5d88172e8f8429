import { ftruncateSync, readSync } from 'node:fs';
import { trySystemCall } from '../../system/try_system_call.ts';
import { writeAt } from '../../system/write.ts';
import { splitAt, withoutControls, type Mask } from '../value_mask.ts';

const LF = 10;

/** The size of a part that is masked at once, in bytes. */
const PART = 1_048_576;

/** A control character that is not the end of a line. */
const CONTROL = /[^\P{Cc}\n\t]/u;

/**
 * Masks secrets in a file of a number of bytes, in its place: no mask is longer than a secret. Returns the new size. All
 * other bytes stay. A line whose control characters interrupt a secret loses them.
 */
export function maskFile(descriptor: number, size: number, mask: Mask): number {
  let [rest, to] = [Buffer.alloc(0), 0];
  for (let from = 0; from < size;) {
    const part = Buffer.allocUnsafe(Math.min(PART, size - from));
    const read = trySystemCall(() => readSync(descriptor, part, 0, part.length, from));
    if (typeof read === 'string' || read === 0) break;
    from += read;
    const bytes = rest.length === 0 ? part.subarray(0, read) : Buffer.concat([rest, part.subarray(0, read)]);
    const end = from < size ? endOfPart(bytes, mask) : bytes.length;
    const masked = maskBytes(bytes.subarray(0, end), mask);
    if (masked !== undefined || to < from - bytes.length)
      to += writeAt(descriptor, masked ?? bytes.subarray(0, end), to);
    else to += end;
    rest = Buffer.from(bytes.subarray(end));
  }
  if (to < size) trySystemCall(() => ftruncateSync(descriptor, to));
  return to;
}

/** The end of the whole lines, or the place in a long line that is in no secret. */
export function endOfPart(bytes: Buffer, mask: Mask): number {
  const last = bytes.lastIndexOf(LF);
  if (last !== -1) return last + 1;
  const near = Math.min(bytes.length, 4 * mask.longest);
  const before = bytes.length - near;
  return before + splitAt(bytes.subarray(before), Math.floor(near / 2), mask);
}

/** Bytes with secrets masked; undefined if there are none. */
export function maskBytes(bytes: Buffer, mask: Mask): Buffer | undefined {
  const text = bytes.toString();
  if (!CONTROL.test(text)) {
    const masked = mask.apply(text);
    // Bytes that are no text would be lost.
    if (masked === text) return undefined;
    if (!masked.includes('\uFFFD')) return Buffer.from(masked);
  }
  const lines: Buffer[] = [];
  let isMasked = false;
  for (let start = 0; start < bytes.length;) {
    const found = bytes.indexOf(LF, start);
    const end = found === -1 ? bytes.length : found;
    const line = bytes.subarray(start, end);
    const masked = maskLine(line.toString(), mask);
    lines.push(masked === undefined ? line : Buffer.from(masked), bytes.subarray(end, end + 1));
    isMasked ||= masked !== undefined;
    start = end + 1;
  }
  return isMasked ? Buffer.concat(lines) : undefined;
}

function maskLine(line: string, mask: Mask): string | undefined {
  const masked = mask.apply(line);
  if (CONTROL.test(masked)) {
    const plain = withoutControls(masked);
    const again = mask.apply(plain);
    if (again !== plain) return again;
  }
  return masked === line ? undefined : masked;
}
