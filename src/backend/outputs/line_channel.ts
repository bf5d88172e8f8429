/**
 * Maximum size of a line, in bytes. Longer lines are printed in pieces. Also roughly the maximum that a writer stores.
 */
const LINE_LIMIT = 65_536;

const LINE_BREAK = 10;

/**
 * A descriptor shared by several writers, which print whole lines. A writer in the middle of a longer line holds the
 * channel. The others store their lines until one of them has too many. Then the long line is broken, and continued
 * later with its prefix.
 */
export class LineChannel {
  readonly write: (bytes: Buffer) => void;
  readonly #writers = new Set<LineWriter>();
  #holder: LineWriter | undefined;

  constructor(write: (bytes: Buffer) => void) {
    this.write = write;
  }

  get holder(): LineWriter | undefined {
    return this.#holder;
  }

  add(writer: LineWriter): void {
    this.#writers.add(writer);
  }

  delete(writer: LineWriter): void {
    this.#writers.delete(writer);
  }

  hold(writer: LineWriter): void {
    this.#holder = writer;
  }

  /** Releases the channel, and prints the lines that the others have stored. */
  release(): void {
    this.#holder = undefined;
    for (const writer of this.#writers) if (this.#holder === undefined) writer.flush();
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
  #kept: Buffer[] = [];
  #length = 0;
  #hasLines = false;
  #isOver = false;

  constructor(channel: LineChannel, prefix: string) {
    this.#channel = channel;
    this.#prefix = Buffer.from(prefix).toString('latin1');
    channel.add(this);
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

  /** Ends a line without a line break. */
  endLine(): void {
    if (this.#channel.holder === this) this.#channel.breakLine();
    else if (this.#kept.at(-1)?.at(-1) !== LINE_BREAK && this.#length > 0) this.push(Buffer.of(LINE_BREAK));
  }

  /** Must be called after the last line. */
  end(): void {
    this.endLine();
    this.#isOver = true;
    if (this.#length === 0) this.#channel.delete(this);
  }

  /** Prints the complete lines, and begins to print a line that is too long to store. */
  flush(): void {
    if (!this.#hasLines && this.#length <= LINE_LIMIT) return;
    const bytes = Buffer.concat(this.#kept);
    const end = bytes.lastIndexOf(LINE_BREAK) + 1;
    const rest = bytes.subarray(end);
    const isLong = rest.length > LINE_LIMIT;
    this.#kept = isLong || rest.length === 0 ? [] : [rest];
    this.#length = isLong ? 0 : rest.length;
    this.#hasLines = false;
    if (end > 0) this.#channel.write(this.#prefixed(bytes.subarray(0, end)));
    if (isLong) {
      this.#channel.hold(this);
      this.#channel.write(Buffer.concat([Buffer.from(this.#prefix, 'latin1'), rest]));
    }
    if (this.#isOver) this.#channel.delete(this);
  }

  #keep(chunk: Buffer): void {
    this.#kept.push(chunk);
    this.#length += chunk.length;
    this.#hasLines ||= chunk.includes(LINE_BREAK);
    if (this.#channel.holder === undefined) this.flush();
    else if (this.#length > LINE_LIMIT) this.#channel.breakLine();
  }

  /** Complete lines with the prefix. */
  #prefixed(lines: Buffer): Buffer {
    if (this.#prefix === '') return lines;
    const text = lines.toString('latin1', 0, lines.length - 1);
    return Buffer.from(`${this.#prefix}${text.replaceAll('\n', `\n${this.#prefix}`)}\n`, 'latin1');
  }
}
