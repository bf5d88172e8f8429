type Position = Readonly<{ line: number; column: number }>;

function positionIn(starts: Uint32Array, offset: number): Position {
  let low = 0;
  for (let high = starts.length; high - low > 1;) {
    const middle = (low + high) >> 1;
    if ((starts[middle] ?? 0) <= offset) low = middle;
    else high = middle;
  }
  return { line: low + 1, column: offset - (starts[low] ?? 0) + 1 };
}

/**
 * Finds lines and columns in a text. A line ends at LF, CR or CR LF. Offsets start at `base`, which is not 0 for the
 * text of an included file.
 */
export class LineIndex {
  readonly text: string;
  readonly base: number;
  #starts: Uint32Array | undefined;

  constructor(text: string, base = 0) {
    this.text = text;
    this.base = base;
  }

  /** The line and column of an offset, both counted from 1. Columns are in UTF-16 units, as in editors. */
  position(offset: number): Position {
    return positionIn(this.#lineStarts(), offset - this.base);
  }

  /** Returns a function like `position` that does not retain the text. */
  positions(): (offset: number) => Position {
    const starts = this.#lineStarts();
    const { base } = this;
    return (offset) => positionIn(starts, offset - base);
  }

  /** The position of an offset, for messages. */
  describe(offset: number): string {
    const { line, column } = this.position(offset);
    return `line ${line}, column ${column}`;
  }

  /** The range of a line (counted from 1) without its line break. */
  span(line: number): Readonly<{ start: number; end: number }> {
    const start = this.#lineStarts()[line - 1] ?? this.text.length;
    let end = this.#lineStarts()[line] ?? this.text.length;
    while (end > start && /[\r\n]/.test(this.text.charAt(end - 1))) end -= 1;
    return { start: this.base + start, end: this.base + end };
  }

  /** The text of a range. */
  slice(start: number, end: number): string {
    return this.text.slice(start - this.base, end - this.base);
  }

  /** Whether only blanks follow an offset. */
  isEnd(offset: number): boolean {
    return offset - this.base >= this.text.trimEnd().length;
  }

  #lineStarts(): Uint32Array {
    return (this.#starts ??= lineStarts(this.text));
  }
}

/** The offsets at which lines begin, at four bytes each, because a file may have millions of lines. */
function lineStarts(text: string): Uint32Array {
  let count = 1;
  forEachLineEnd(text, () => (count += 1));
  const starts = new Uint32Array(count);
  let line = 1;
  forEachLineEnd(text, (end) => {
    starts[line] = end;
    line += 1;
  });
  return starts;
}

/** Calls a function with the offset after each line break: LF, CR or CR LF. */
function forEachLineEnd(text: string, onEnd: (end: number) => void): void {
  const find = (character: string, from: number): number => {
    const at = text.indexOf(character, from);
    return at < 0 ? Infinity : at;
  };
  let [lf, cr] = [find('\n', 0), find('\r', 0)];
  while (lf < Infinity || cr < Infinity) {
    const end = (cr + 1 === lf ? lf : Math.min(lf, cr)) + 1;
    onEnd(end);
    if (lf < end) lf = find('\n', end);
    if (cr < end) cr = find('\r', end);
  }
}
