/** A place as people count: from 1, columns in UTF-16 units as editors do. */
export interface Position {
  readonly line: number;
  readonly column: number;
}

/** Finds lines and columns in a text. A line ends at LF, CR or CR LF. */
export class Lines {
  readonly text: string;
  #starts: number[] | undefined;

  constructor(text: string) {
    this.text = text;
  }

  position(offset: number): Position {
    const starts = this.#lineStarts();
    let low = 0;
    let high = starts.length;
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if ((starts[middle] ?? 0) <= offset) low = middle;
      else high = middle;
    }
    return { line: low + 1, column: offset - (starts[low] ?? 0) + 1 };
  }

  words(offset: number): string {
    const { line, column } = this.position(offset);
    return `line ${line}, column ${column}`;
  }

  /** The offsets at which a line (counted from 1) begins and ends, without its line break. */
  span(line: number): { readonly start: number; readonly end: number } {
    const starts = this.#lineStarts();
    const start = starts[line - 1] ?? this.text.length;
    let end = starts[line] ?? this.text.length;
    while (end > start && /[\r\n]/.test(this.text.charAt(end - 1))) end -= 1;
    return { start, end };
  }

  #lineStarts(): number[] {
    if (this.#starts === undefined) {
      this.#starts = [0];
      for (const lineBreak of this.text.matchAll(/\r\n|\r|\n/g)) {
        this.#starts.push(lineBreak.index + lineBreak[0].length);
      }
    }
    return this.#starts;
  }
}
