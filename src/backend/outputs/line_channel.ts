/**
 * Maximum size of a line, in bytes. Longer lines are printed in pieces. Also roughly the maximum that a writer stores,
 * and that waits for the end of a long line.
 */
const LINE_LIMIT = 65_536;

const LINE_BREAK = 10;

/**
 * A descriptor shared by several writers, which print whole lines. A writer in the middle of a longer line holds the
 * channel. Other lines wait for its end, until there are too many. Then the long line is broken, and continued later
 * with its prefix.
 */
export class LineChannel {
  readonly write: (bytes: Buffer) => void;
  #holder: LineWriter | undefined;
  #waiting: Buffer[] = [];
  /** The size of the waiting lines, in bytes. */
  #length = 0;

  constructor(write: (bytes: Buffer) => void) {
    this.write = write;
  }

  get holder(): LineWriter | undefined {
    return this.#holder;
  }

  /** Prints whole lines, which may have to wait. */
  print(lines: Buffer): void {
    if (this.#holder === undefined) return this.write(lines);
    this.#waiting.push(lines);
    this.#length += lines.length;
    if (this.#length > LINE_LIMIT) this.breakLine();
  }

  /** Begins to print a long line. */
  hold(writer: LineWriter, beginning: Buffer): void {
    this.breakLine();
    this.#holder = writer;
    this.write(beginning);
  }

  /** Releases the channel after the end of a long line, and prints the lines that wait. */
  release(): void {
    this.#holder = undefined;
    for (const lines of this.#waiting) this.write(lines);
    this.#waiting = [];
    this.#length = 0;
  }

  /** Breaks the long line that is being printed, if any. */
  breakLine(): void {
    if (this.#holder === undefined) return;
    this.write(Buffer.of(LINE_BREAK));
    this.release();
  }
}

/** Writes to a channel, with a prefix before each line. */
export class LineWriter {
  readonly #channel: LineChannel;
  /** As Latin-1, one character per byte: a replacement in such a string is the fastest way to prefix lines. */
  readonly #prefix: string;
  /** The beginning of a line. */
  #kept: Buffer[] = [];
  #length = 0;

  constructor(channel: LineChannel, prefix: string) {
    this.#channel = channel;
    this.#prefix = Buffer.from(prefix).toString('latin1');
  }

  push(chunk: Buffer): void {
    const channel = this.#channel;
    if (channel.holder !== this) return this.#keep(chunk);
    const end = chunk.indexOf(LINE_BREAK) + 1;
    if (end === 0) return channel.write(chunk);
    channel.write(chunk.subarray(0, end));
    channel.release();
    if (end < chunk.length) this.#keep(chunk.subarray(end));
  }

  /** Ends a line without a line break. Must be called after the last line. */
  endLine(): void {
    if (this.#channel.holder === this) this.#channel.breakLine();
    else if (this.#length > 0) this.push(Buffer.of(LINE_BREAK));
  }

  /** Prints complete lines, keeps the rest, and begins to print a line that is too long to keep. */
  #keep(chunk: Buffer): void {
    const end = chunk.lastIndexOf(LINE_BREAK) + 1;
    if (end > 0) this.#channel.print(this.#prefixed(Buffer.concat([...this.#take(), chunk.subarray(0, end)])));
    if (end === chunk.length) return;
    // A copy: a chunk is valid until this returns.
    this.#kept.push(Buffer.from(chunk.subarray(end)));
    this.#length += chunk.length - end;
    if (this.#length <= LINE_LIMIT) return;
    this.#channel.hold(this, Buffer.concat([Buffer.from(this.#prefix, 'latin1'), ...this.#take()]));
  }

  #take(): Buffer[] {
    const kept = this.#kept;
    this.#kept = [];
    this.#length = 0;
    return kept;
  }

  /** Complete lines with the prefix. */
  #prefixed(lines: Buffer): Buffer {
    if (this.#prefix === '') return lines;
    const text = lines.toString('latin1', 0, lines.length - 1);
    return Buffer.from(`${this.#prefix}${text.replaceAll('\n', `\n${this.#prefix}`)}\n`, 'latin1');
  }
}
