import type { Printed } from '../command_runner.ts';
import { withoutControls, type Mask } from './value_mask.ts';
import type { CommandLog } from './logs/stored_logs.ts';

/** Maximum size of a line, in bytes. */
const LINE_LIMIT = 4096;

const [LF, CR] = [10, 13];

/** A line so far: its parts, and their size in bytes. */
type OpenLine = { parts: Buffer[]; size: number; endsWithReturn: boolean };

const newLine = (): OpenLine => ({ parts: [], size: 0, endsWithReturn: false });

/**
 * Stores the last `count` lines of a command's output. As at a terminal, a carriage return restarts its line, so that only the
 * last state of a progress bar is kept.
 */
export class OutputTail implements Printed {
  readonly #count: number;
  readonly #mask: Mask;
  readonly #log: CommandLog | undefined;
  /** The path of its log, to be shown; undefined if nothing is stored there. */
  log: string | undefined;
  #ended: Buffer[] = [];
  #open = newLine();
  #lines: readonly string[] | undefined;
  #bug: Readonly<{ error: unknown }> | undefined;

  /** With `log`, the whole output is written there. */
  constructor(count: number, mask: Mask, log?: CommandLog) {
    this.#count = count;
    this.#mask = mask;
    this.#log = log;
  }

  /**
   * Returns whether the log has taken the chunk. After the end of the command, the lines stay as they are. An exception
   * here would end the process, so the first call of `lines` throws it.
   */
  add(chunk: Buffer): boolean {
    try {
      const isStored = this.#log?.add(chunk) === true;
      if (this.#count > 0 && this.#lines === undefined) this.#add(chunk);
      return isStored;
    } catch (error) {
      this.#bug ??= { error };
      this.#lines = [];
      return false;
    }
  }

  #add(chunk: Buffer): void {
    let start = this.#startOfLast(chunk);
    if (start > 0) {
      this.#ended = [];
      this.#open = newLine();
    }
    for (let end = chunk.indexOf(LF, start); end !== -1; end = chunk.indexOf(LF, start)) {
      this.#extend(chunk.subarray(start, end));
      this.#ended.push(Buffer.concat(this.#open.parts));
      this.#open = newLine();
      start = end + 1;
    }
    this.#extend(chunk.subarray(start));
    if (this.#ended.length > 2 * this.#count) this.#ended.splice(0, this.#ended.length - this.#count);
  }

  /** The lines as text, with secrets masked. The first call ends the recording. */
  lines(): readonly string[] {
    const bug = this.#bug;
    this.#bug = undefined;
    if (bug !== undefined) throw bug.error;
    if (this.#lines !== undefined) return this.#lines;
    const ended = this.#open.size === 0 ? this.#ended : [...this.#ended, Buffer.concat(this.#open.parts)];
    const texts = ended.slice(-this.#count).map((line) => this.#textOf(line));
    const masked = texts.length === 0 ? [] : this.#mask.apply(texts.join('\n')).split('\n');
    this.#lines = masked.map(shorten);
    this.#ended = [];
    this.#open = newLine();
    this.#log?.end();
    if (this.#log !== undefined && this.#log.size > 0) this.log = this.#log.path;
    return this.#lines;
  }

  /**
   * The offset of the last lines of a chunk, so that the time for a long output does not depend on its number of lines.
   */
  #startOfLast(chunk: Buffer): number {
    let start = chunk.length;
    for (let seen = 0; seen <= this.#count; seen += 1) {
      start = start === 0 ? -1 : chunk.lastIndexOf(LF, start - 1);
      if (start === -1) return 0;
    }
    return start + 1;
  }

  #extend(part: Buffer): void {
    let end = part.length;
    while (end > 0 && part[end - 1] === CR) end -= 1;
    // A line may end in several carriage returns.
    if (end === 0) {
      this.#open.endsWithReturn ||= part.length > 0;
      return;
    }
    if (this.#open.endsWithReturn) this.#open = newLine();
    const again = part.lastIndexOf(CR, end - 1);
    if (again !== -1) this.#open = newLine();
    const line = this.#open;
    // A copy: a slice of a chunk would keep all of it in memory.
    const kept = Buffer.from(part.subarray(again + 1, Math.min(end, again + 1 + this.#budget - line.size)));
    line.parts.push(kept);
    line.size += kept.length;
    line.endsWithReturn = end < part.length;
  }

  /** Maximum stored size of a line, in bytes. Removing escape sequences and masking secrets make it shorter. */
  get #budget(): number {
    return 4 * (LINE_LIMIT + this.#mask.longest);
  }

  #textOf(line: Buffer): string {
    const text = withoutControls(line.toString());
    // The cut may split a secret, whose first part would not be masked.
    return line.length < this.#budget ? text : text.slice(0, Math.max(0, text.length - this.#mask.longest));
  }
}

/** At most 4 KiB of a line. Does not split characters. */
function shorten(line: string): string {
  if (Buffer.byteLength(line) <= LINE_LIMIT) return line;
  const bytes = Buffer.from(line).subarray(0, LINE_LIMIT - 3);
  let end = bytes.length;
  while (end > 0 && ((bytes[end - 1] ?? 0) & 0xc0) === 0x80) end -= 1;
  const lead = bytes[end - 1] ?? 0;
  const size = lead < 0x80 ? 1 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
  const whole = end - 1 + size <= bytes.length ? bytes.length : end - 1;
  return `${bytes.subarray(0, whole).toString()}…`;
}
