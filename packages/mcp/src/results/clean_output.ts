import { escapeHidden, withoutSequences } from '../../../../src/internal.ts';
import { jsonBytes, longestStart } from './size.ts';

/** The maximum length of a line, in characters, and the size of all lines as JSON, in bytes. */
const [MAX_LINE, MAX_SIZE] = [2000, 16_384];

/**
 * The last lines of a text that a command printed, as plain text: without escape sequences, and with escapes for all
 * other characters that change or hide text. `isCut`: the beginning of the first line is missing.
 */
export function cleanOutput(text: string, isCut: boolean, count: number): string {
  const lines = text.replace(/\n$/, '').split('\n');
  const from = Math.max(0, lines.length - count);
  const kept: string[] = [];
  let size = 0;
  for (let index = lines.length - 1; index >= from; index -= 1) {
    const plain = escapeHidden(withoutSequences((lines[index] ?? '').replace(/\r$/, '')));
    const line = longestStart(index === 0 && isCut ? `…${plain}` : plain, (start) => start.length <= MAX_LINE);
    size += jsonBytes(line);
    if (size > MAX_SIZE) break;
    kept.unshift(line);
  }
  return kept.join('\n');
}
