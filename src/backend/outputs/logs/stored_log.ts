import { ftruncateSync, readSync } from 'node:fs';
import { trySystemCall } from '../../system/try_system_call.ts';
import { writeAt } from '../../system/write.ts';
import { splitAt, type Mask } from '../value_mask.ts';
import { endOfPart, maskFile } from './mask_file.ts';

const LF = 10;

/** The size of a part of a file that is moved, and the part of it in which a line break is looked for, in bytes. */
const [PART, NEAR] = [1_048_576, 65_536];

/** The last line of a log whose disk was full. */
const FULL = Buffer.from('[cli: the rest of the output could not be stored]\n');

/**
 * Writes the bytes that a command prints to an empty file, until the disk is full. If they are more than `limit`, only
 * the first and the last half of it remain, and a line in between names the size of the rest. A longer file is cut from
 * time to time meanwhile.
 */
export class StoredLog {
  readonly #descriptor: number;
  readonly #mask: Mask;
  readonly #limit: number;
  size = 0;
  /** Whether the disk has not taken all bytes. */
  isFull = false;
  /** The size of the first part, which is never cut; and of what is missing after it. */
  #head = 0;
  #missing = 0;

  constructor(descriptor: number, mask: Mask, limit: number) {
    this.#descriptor = descriptor;
    this.#mask = mask;
    this.#limit = limit;
  }

  add(chunk: Buffer): void {
    if (this.isFull) return;
    const end = this.size + chunk.length;
    this.#write(chunk, this.size);
    this.isFull = this.size < end;
    if (this.size > 4 * this.#limit) this.#cut();
  }

  /** Whether a number of bytes can follow after the end, within the limit. Counts them. */
  takes(length: number): boolean {
    if (this.isFull || this.size + length > this.#limit) return false;
    this.size += length;
    return true;
  }

  /** Replaces secrets, and cuts the file to its limit. */
  end(): void {
    if (this.size > this.#limit) this.#cut();
    if (this.#missing > 0) this.#insertNote();
    if (this.isFull) this.#endEarly();
    if (this.#mask.longest === 0 || this.size === 0) return;
    this.size = maskFile(this.#descriptor, this.size, this.#mask);
  }

  #write(bytes: Uint8Array, at: number): void {
    this.size = at + writeAt(this.#descriptor, bytes, at);
  }

  #read(from: number, length: number): Buffer {
    const buffer = Buffer.allocUnsafe(Math.min(length, this.size - from));
    const read = trySystemCall(() => readSync(this.#descriptor, buffer, 0, buffer.length, from));
    return buffer.subarray(0, typeof read === 'string' ? 0 : read);
  }

  /** Removes the middle of the file. Lines stay whole, or at least secrets. */
  #cut(): void {
    const half = Math.floor(this.#limit / 2);
    if (this.#head === 0) this.#head = this.#boundary(half);
    const start = this.#boundary(this.size - half);
    this.#missing += start - this.#head;
    let to = this.#head;
    for (let from = start; from < this.size; from += PART) {
      const part = this.#read(from, PART);
      to += writeAt(this.#descriptor, part, to);
    }
    this.size = to;
    trySystemCall(() => ftruncateSync(this.#descriptor, to));
  }

  /** A place near another one at which the file can be cut: after a line break, or at least not in a secret. */
  #boundary(place: number): number {
    const near = this.#read(place, NEAR);
    const lineBreak = near.indexOf(LF);
    if (lineBreak !== -1) return place + lineBreak + 1;
    const { longest } = this.#mask;
    const before = Math.min(longest, place);
    return place - before + splitAt(this.#read(place - before, before + 2 * longest), before, this.#mask);
  }

  /** Replaces the end, because there is no room for more; all of the file if it is too small for that. */
  #endEarly(): void {
    const start = Math.max(0, this.size - NEAR);
    const near = this.#read(start, Math.max(0, this.size - start - FULL.length));
    const end = start + endOfPart(near, this.#mask);
    this.#write(FULL, end);
    if (this.size < end + FULL.length) this.size = 0;
    trySystemCall(() => ftruncateSync(this.#descriptor, this.size));
  }

  #insertNote(): void {
    const tail = this.#read(this.#head, this.size - this.#head);
    const note = Buffer.from(`[cli: ${this.#missing} bytes of the output are not stored]\n`);
    this.#write(Buffer.concat([note, tail]), this.#head);
  }
}
