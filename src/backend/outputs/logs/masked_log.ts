import { writeBytes } from '../../system/write.ts';
import { withoutControls, type Mask } from '../value_mask.ts';

/** The size of a line at which the rest of it is left out, and of the end of the output that can be held, in bytes. */
const [MAX_LINE, MAX_HELD] = [65_536, 1_048_576];

const LF = 10;

/** A control character that is not the end of a line. Most output has none, and need not be taken apart. */
const CONTROL = /[^\P{Cc}\n\t]/u;

/**
 * Writes the output of a command to a file, whole lines at a time, without control characters and with secrets masked.
 * If it is held, it is written at its end, when secrets among the outputs of the command are known, and only its last
 * part.
 */
export class MaskedLog {
  readonly #descriptor: number;
  readonly #mask: Mask;
  readonly #isHeld: boolean;
  #lines: Buffer[] = [];
  #size = 0;
  #isCut = false;
  /** The number of bytes that were printed. */
  size = 0;
  /** Whether the disk has not taken all bytes. */
  isFull = false;
  /** The line so far, and the size of all of it. */
  #open: Buffer[] = [];
  #length = 0;

  constructor(descriptor: number, mask: Mask, isHeld: boolean) {
    this.#descriptor = descriptor;
    this.#mask = mask;
    this.#isHeld = isHeld;
  }

  add(chunk: Buffer): void {
    this.size += chunk.length;
    const last = chunk.lastIndexOf(LF);
    if (last === -1) return this.#extend(chunk);
    const first = chunk.indexOf(LF);
    this.#extend(chunk.subarray(0, first));
    this.#endLine();
    if (last > first) this.#keep(Buffer.from(chunk.subarray(first + 1, last + 1)));
    this.#extend(chunk.subarray(last + 1));
    if (!this.#isHeld) this.#write();
  }

  /** What comes after the end is not stored. */
  takes(): boolean {
    return false;
  }

  /** Writes the rest. */
  end(): void {
    if (this.#length > 0) this.#endLine();
    if (this.#isCut) this.#print('…\n');
    this.#write();
  }

  #extend(part: Buffer): void {
    const size = Math.min(part.length, MAX_LINE - this.#length);
    if (size > 0) this.#open.push(Buffer.from(part.subarray(0, size)));
    this.#length += part.length;
  }

  #endLine(): void {
    const isWhole = this.#length <= MAX_LINE;
    const line = Buffer.concat(this.#open);
    // The cut may split a secret, whose first part would not be masked.
    const kept = isWhole ? line : line.subarray(0, Math.max(0, line.length - this.#mask.longest));
    this.#keep(Buffer.concat([kept, Buffer.from(isWhole ? '\n' : '…\n')]));
    [this.#open, this.#length] = [[], 0];
  }

  #keep(lines: Buffer): void {
    this.#lines.push(lines);
    this.#size += lines.length;
    while (this.#isHeld && this.#size > MAX_HELD && this.#lines.length > 1) {
      this.#size -= this.#lines.shift()?.length ?? 0;
      this.#isCut = true;
    }
  }

  /** A secret of several lines is masked as a whole if they arrive together, and else line by line. */
  #write(): void {
    const text = Buffer.concat(this.#lines).toString();
    [this.#lines, this.#size] = [[], 0];
    const plain = CONTROL.test(text)
      ? text
          .split(/\r\n|\r|\n/)
          .map(withoutControls)
          .join('\n')
      : text;
    this.#print(this.#mask.apply(plain));
  }

  #print(text: string): void {
    this.isFull ||= writeBytes(this.#descriptor, Buffer.from(text)) !== undefined;
  }
}
