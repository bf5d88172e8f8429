/** The size of the end of a failed command's output that is kept, in bytes. */
const TAIL = 65_536;

/** The most that is kept of the lines of `cli` between two records, in bytes: a command may print such lines as well. */
const OWN_LINES = 2 ** 20;

/** The maximum number of groups of lines, and of the bytes of a prefix. */
const [MAX_TAILS, MAX_PREFIX] = [64, 256];

const LINE_BREAK = 10;

const OWN = ['cli: ', 'debug: '].map((text) => Buffer.from(text));
const OWN_AFTER_BREAK = OWN.map((text) => Buffer.concat([Buffer.of(LINE_BREAK), text]));
const BAR = Buffer.from(' │ ');

/** The line before the output of a grouped member, which arrives at the end of the member. */
const HEADING = /^cli: output of '(.*)':\n$/s;

/**
 * Selects from the output of a run that has reached its limit: the lines of `cli`, and the end of the output of each
 * failed command. The prefix of a line identifies the member of a group.
 */
export class OverlongOutput {
  readonly #keep: (bytes: Buffer, omitted: number) => void;
  readonly #tails = new Map<string, Tail>();
  #partial: Buffer = Buffer.alloc(0);
  #omitted = 0;
  #ownLines = 0;
  #hasJustFailed = false;
  /** The names of grouped members that have failed, and whose output has not arrived yet. */
  readonly #failedMembers = new Set<string>();
  #isOfFailedMember = false;

  /** `keep` receives what is kept, and the number of bytes that were left out before it. */
  constructor(keep: (bytes: Buffer, omitted: number) => void) {
    this.#keep = keep;
  }

  add(chunk: Buffer): void {
    const bytes = this.#partial.length === 0 ? chunk : Buffer.concat([this.#partial, chunk]);
    const last = bytes.lastIndexOf(LINE_BREAK) + 1;
    const end = bytes.length - last > TAIL ? bytes.length : last;
    this.#addLines(bytes.subarray(0, end));
    // A copy: a slice would keep all of the chunk in memory.
    this.#partial = Buffer.from(bytes.subarray(end));
  }

  /** To be called before records are stored: `hasFailed` if a command has failed, `members` the names of grouped members that failed by it. */
  onRecords(hasFailed: boolean, members: readonly string[]): void {
    for (const member of members) this.#failedMembers.add(member);
    this.#endPartial();
    if (hasFailed) for (const prefix of this.#tails.keys()) this.#flush(prefix);
    this.#hasJustFailed = hasFailed;
    this.#ownLines = 0;
  }

  /** To be called at the end of the run. */
  end(): void {
    this.#endPartial();
    // With --quiet, no line names the members.
    this.#hasJustFailed ||= this.#failedMembers.size > 0;
    for (const prefix of this.#tails.keys()) this.#settle(prefix);
    if (this.#omitted > 0) this.#pass(Buffer.alloc(0));
  }

  #addLines(lines: Buffer): void {
    const hasOwn = OWN.some((text) => startsWith(lines, text)) || OWN_AFTER_BREAK.some((text) => lines.includes(text));
    if (!hasOwn && !lines.includes(BAR)) {
      if (lines.length > 0) this.#tail('').add(lines);
      return;
    }
    for (let start = 0; start < lines.length;) {
      const found = lines.indexOf(LINE_BREAK, start);
      const end = found === -1 ? lines.length : found + 1;
      this.#addLine(lines.subarray(start, end));
      start = end;
    }
  }

  #addLine(line: Buffer): void {
    const isOwn = OWN.some((text) => startsWith(line, text));
    if (isOwn && this.#ownLines + line.length <= OWN_LINES) {
      this.#ownLines += line.length;
      this.#settle('');
      this.#isOfFailedMember = this.#failedMembers.delete(HEADING.exec(line.toString())?.[1] ?? '');
      this.#pass(line);
      return;
    }
    const bar = line.subarray(0, MAX_PREFIX).indexOf(BAR);
    this.#tail(bar === -1 ? '' : line.toString('latin1', 0, bar)).add(line);
  }

  #endPartial(): void {
    if (this.#partial.length > 0) this.#addLines(this.#partial);
    this.#partial = Buffer.alloc(0);
  }

  #tail(prefix: string): Tail {
    const known = this.#tails.get(prefix);
    if (known !== undefined) return known;
    const [oldest] = this.#tails.keys();
    if (this.#tails.size >= MAX_TAILS && oldest !== undefined) this.#drop(oldest);
    const tail = new Tail();
    this.#tails.set(prefix, tail);
    return tail;
  }

  /** Before a line of `cli`, which begins another command or follows the end of one. */
  #settle(prefix: string): void {
    if (this.#hasJustFailed || this.#isOfFailedMember) this.#flush(prefix);
    else this.#drop(prefix);
  }

  #drop(prefix: string): void {
    this.#omitted += this.#tails.get(prefix)?.total ?? 0;
    this.#tails.delete(prefix);
  }

  #flush(prefix: string): void {
    const tail = this.#tails.get(prefix);
    if (tail === undefined) return;
    const bytes = tail.bytes();
    this.#omitted += tail.total - bytes.length;
    this.#tails.delete(prefix);
    this.#pass(bytes);
  }

  #pass(bytes: Buffer): void {
    this.#keep(bytes, this.#omitted);
    this.#omitted = 0;
  }
}

/** The end of an output. */
class Tail {
  #parts: Buffer[] = [];
  #size = 0;
  /** The size of all of the output, in bytes. */
  total = 0;

  add(bytes: Buffer): void {
    this.total += bytes.length;
    this.#parts.push(bytes);
    this.#size += bytes.length;
    if (this.#size > 4 * TAIL || this.#parts.length > TAIL / 64) this.#compact();
  }

  /** The last 64 KiB, from the start of a line if there is one. */
  bytes(): Buffer {
    this.#compact();
    const [bytes = Buffer.alloc(0)] = this.#parts;
    if (this.total === bytes.length) return bytes;
    return bytes.subarray(bytes.indexOf(LINE_BREAK) + 1);
  }

  #compact(): void {
    const bytes = Buffer.concat(this.#parts).subarray(-TAIL);
    [this.#parts, this.#size] = [[bytes], bytes.length];
  }
}

function startsWith(bytes: Buffer, text: Buffer): boolean {
  return bytes.subarray(0, text.length).equals(text);
}
