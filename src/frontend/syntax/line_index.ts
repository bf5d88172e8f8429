type Position = Readonly<{ line: number; column: number }>;

function positionIn(starts: readonly number[], offset: number): Position {
  let low = 0;
  for (let high = starts.length; high - low > 1;) {
    const middle = (low + high) >> 1;
    if ((starts[middle] ?? 0) <= offset) low = middle;
    else high = middle;
  }
  return { line: low + 1, column: offset - (starts[low] ?? 0) + 1 };
}

/** Finds lines and columns in a text. A line ends at LF, CR or CR LF. */
export class LineIndex {
  readonly text: string;
  #starts: number[] | undefined;

  constructor(text: string) {
    this.text = text;
  }

  /** The position of an offset, counted from 1, with columns in UTF-16 units as in editors. */
  position(offset: number): Position {
    return positionIn(this.#lineStarts(), offset);
  }

  /** The same as a function that does not hold the text. */
  positions(): (offset: number) => Position {
    const starts = this.#lineStarts();
    return (offset) => positionIn(starts, offset);
  }

  /** A position as messages show it. */
  describe(offset: number): string {
    const { line, column } = this.position(offset);
    return `line ${line}, column ${column}`;
  }

  /** The range of a line (counted from 1) without its line break. */
  span(line: number): Readonly<{ start: number; end: number }> {
    const start = this.#lineStarts()[line - 1] ?? this.text.length;
    let end = this.#lineStarts()[line] ?? this.text.length;
    while (end > start && /[\r\n]/.test(this.text.charAt(end - 1))) end -= 1;
    return { start, end };
  }

  #lineStarts(): number[] {
    const breaks = (): number[] => [...this.text.matchAll(/\r\n|\r|\n/g)].map((found) => found.index + found[0].length);
    return (this.#starts ??= [0, ...breaks()]);
  }
}
