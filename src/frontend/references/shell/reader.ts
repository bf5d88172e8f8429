import { VariableUses } from './variable_uses.ts';
import { parseReference, parseVariable } from '../reference_syntax.ts';
import type { FoundReference, Quotes, ReferenceProblem } from './found_reference.ts';

/** Maximum nesting depth: the scanner is recursive. */
const DEPTH_LIMIT = 200;

/** A part of a command that bash 3.2 lacks, at an offset in UTF-16 units. */
export type NewerBash = Readonly<{ text: string; start: number }>;

/** The position in a command, the references found so far, and whether the reading is still certain. */
export class Reader {
  readonly text: string;
  readonly found: FoundReference[] = [];
  readonly variables = new VariableUses();
  newer: NewerBash[] = [];
  at = 0;
  /** The number of here-documents whose bodies follow the next line break, in all open lists of commands. */
  waiting = 0;
  /** The end of the text, or of the body of a here-document. */
  #end: number;
  #depth = 0;
  /** The start of the outermost open construct. */
  #outermost = 0;
  #gaveUp = false;

  constructor(text: string) {
    this.text = text;
    this.#end = text.length;
  }

  /** Whether there is more text to read. */
  get more(): boolean {
    return !this.#gaveUp && this.at < this.#end;
  }

  get character(): string {
    return this.text.charAt(this.at);
  }

  /** Whether a construct is open. */
  get nested(): boolean {
    return this.#depth > 0;
  }

  /** Whether the position is in the body of a here-document. */
  get inBody(): boolean {
    return this.#end < this.text.length;
  }

  /** Whether a sticky pattern matches here. */
  matches(pattern: RegExp): boolean {
    pattern.lastIndex = this.at;
    return pattern.test(this.text);
  }

  /** Skips the match of a sticky pattern, if any. */
  skip(pattern: RegExp): boolean {
    if (!this.matches(pattern)) return false;
    this.at = pattern.lastIndex;
    return true;
  }

  /** Records that bash 3.2 lacks the text between two offsets, outside of here-documents. */
  addNewer(start: number, end: number): void {
    if (!this.inBody) this.newer.push({ text: this.text.slice(start, end), start });
  }

  /**
   * Reads a construct that can contain others. `read` returns whether it was closed. An unclosed construct makes the
   * scanner give up.
   */
  nest(read: () => boolean): void {
    if (this.#depth === 0) this.#outermost = this.at;
    if (this.#depth >= DEPTH_LIMIT) this.giveUp();
    this.#depth += 1;
    if (!read()) this.giveUp();
    this.#depth -= 1;
  }

  /** Reads the body of a here-document up to its delimiter, and continues at the offset `after`. */
  readBody(end: number, after: number, read: () => void): void {
    const outer = this.#end;
    this.nest(() => {
      this.#end = end;
      while (this.more) read();
      this.#end = outer;
      return this.at === end;
    });
    this.at = after;
  }

  /** Reads the reference at the current position, if any. */
  reference(quotes: Quotes, refusal: ReferenceProblem | undefined): boolean {
    const start = this.at;
    const reference = parseReference(this.text, start);
    if (reference === undefined) return this.#variable(quotes);
    this.at = reference.end;
    if (reference.kind === 'reference') this.found.push({ ...reference, start, quotes, problem: refusal });
    else this.found.push({ ...NOTHING, start, end: reference.end, quotes, problem: reference.problem });
    return true;
  }

  /** Rejects a reference to a variable, which is not valid in a shell. In single quotes, it is text. */
  #variable(quotes: Quotes): boolean {
    const start = this.at;
    const variable = quotes === 'single' || quotes === 'ansi' ? undefined : parseVariable(this.text, start);
    if (variable === undefined) return false;
    this.at = variable.end;
    this.found.push({ ...NOTHING, start, end: variable.end, quotes, problem: 'variable' });
    return true;
  }

  /** Rejects every reference up to an offset, in any context. */
  refuseTo(end: number, problem: ReferenceProblem): void {
    for (let start = this.#nextReference(); start !== -1 && start < end; start = this.#nextReference()) {
      this.at = start;
      if (!this.reference('none', problem)) this.at += 1;
    }
    this.at = end;
  }

  /** Stops reading, because shells may read the text differently. Open constructs are then uncertain, too. */
  giveUp(): void {
    if (this.#gaveUp) return;
    this.#gaveUp = true;
    if (this.nested) this.variables.forgetFrom(this.#outermost);
    if (this.nested) this.newer = this.newer.filter(({ start }) => start < this.#outermost);
    if (this.nested) this.refuseFrom(this.found.findLastIndex(({ start }) => start < this.#outermost) + 1, 'unclear');
    this.refuseTo(this.text.length, 'unclear');
  }

  /** Rejects the references found after the first `count`. */
  refuseFrom(count: number, problem: ReferenceProblem): void {
    for (const each of this.found.slice(count)) each.problem ??= problem;
  }

  #nextReference(): number {
    return this.text.indexOf('${steps.', this.at);
  }
}

/** The fields of a reference without a meaning. */
const NOTHING = { step: '', key: '', fallback: null } as const;
