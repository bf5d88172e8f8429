/** The first character of an expansion, and the name of its variable. */
const EXPANDED = /\$(?:\{[#!]?)?([A-Za-z_]\w*)/y;

/**
 * An expansion of a variable, at an offset in UTF-16 units, and the offset after its name. The latter is absent in
 * backticks with escapes, where positions are not exact.
 */
export type VariableUse = Readonly<{ name: string; start: number; end?: number }>;

/** Commands in backticks, which the scanner does not read, and their offset. */
export type BacktickText = Readonly<{ text: string; start: number }>;

/** The variables that a command expands before it assigns them itself. */
export class VariableUses {
  #found: VariableUse[] = [];
  #inBackticks: BacktickText[] = [];
  readonly #assigned = new Set<string>();

  get found(): readonly VariableUse[] {
    return this.#found;
  }

  get inBackticks(): readonly BacktickText[] {
    return this.#inBackticks;
  }

  /** Adds the expansion at an offset, if it is one of a variable. */
  expand(text: string, start: number): void {
    EXPANDED.lastIndex = start;
    const [, name] = EXPANDED.exec(text) ?? [];
    if (name === undefined || this.#assigned.has(name)) return;
    this.#found.push({ name, start, end: EXPANDED.lastIndex });
  }

  /** Adds the commands between two backticks. A backslash escapes a backtick, a backslash or a dollar sign. */
  substitute(text: string, start: number, end: number): void {
    this.#inBackticks.push({ text: text.slice(start, end).replaceAll(/\\([$`\\])/g, '$1'), start });
  }

  /** Records that the command has assigned a variable. */
  assign(name: string): void {
    this.#assigned.add(name);
  }

  /** Removes what begins at an offset or after it, because the reading of that part is uncertain. */
  forgetFrom(offset: number): void {
    this.#found = this.#found.filter(({ start }) => start < offset);
    this.#inBackticks = this.#inBackticks.filter(({ start }) => start < offset);
  }
}
