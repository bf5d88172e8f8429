import { parseReference, parseVariable } from '../reference_syntax.ts';
import type { FoundReference, Quotes } from './found_reference.ts';
import type { ReferenceProblem } from './reference_problems.ts';

/** Deeper nesting is not read: the scanner is recursive. */
const DEPTH_LIMIT = 200;

/** The position in a command, the references found so far, and how certain the reading is. */
export class Reader {
  readonly text: string;
  readonly found: FoundReference[] = [];
  at = 0;
  /** The number of here-documents that wait for a line break, in all lists of commands that are open. */
  waiting = 0;
  /** Where reading stops: the end of the text, or of the body of a here-document. */
  #end: number;
  #depth = 0;
  /** Where the outermost open construct begins. */
  #outermost = 0;
  #gaveUp = false;

  constructor(text: string) {
    this.text = text;
    this.#end = text.length;
  }

  /** Whether there is something left to read. */
  get more(): boolean {
    return !this.#gaveUp && this.at < this.#end;
  }

  get character(): string {
    return this.text.charAt(this.at);
  }

  /** Whether some construct is open. */
  get nested(): boolean {
    return this.#depth > 0;
  }

  /** Whether the text being read is the body of a here-document, or in it. */
  get inBody(): boolean {
    return this.#end < this.text.length;
  }

  /** Whether a sticky pattern matches here. */
  matches(pattern: RegExp): boolean {
    pattern.lastIndex = this.at;
    return pattern.test(this.text);
  }

  /** Skips the match of a sticky pattern, if there is one. */
  skip(pattern: RegExp): boolean {
    if (!this.matches(pattern)) return false;
    this.at = pattern.lastIndex;
    return true;
  }

  /** Reads a construct that can hold others. `read` returns whether it was closed; one that is not is not understood. */
  nest(read: () => boolean): void {
    if (this.#depth === 0) this.#outermost = this.at;
    if (this.#depth >= DEPTH_LIMIT) this.giveUp();
    this.#depth += 1;
    if (!read()) this.giveUp();
    this.#depth -= 1;
  }

  /** Reads the body of a here-document, which ends before its delimiter, and goes on at an offset after that. */
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

  /** Reads the reference at the position, if there is one. */
  reference(quotes: Quotes, refusal: ReferenceProblem | undefined): boolean {
    const start = this.at;
    const reference = parseReference(this.text, start);
    if (reference === undefined) return this.#variable(quotes);
    this.at = reference.end;
    if (reference.kind === 'reference') this.found.push({ ...reference, start, quotes, problem: refusal });
    else this.found.push({ ...NOTHING, start, end: reference.end, quotes, problem: reference.problem });
    return true;
  }

  /** Refuses a reference to a variable, of which the shell can make nothing. In single quotes, it is text. */
  #variable(quotes: Quotes): boolean {
    const start = this.at;
    const variable = quotes === 'single' || quotes === 'ansi' ? undefined : parseVariable(this.text, start);
    if (variable === undefined) return false;
    this.at = variable.end;
    this.found.push({ ...NOTHING, start, end: variable.end, quotes, problem: 'variable' });
    return true;
  }

  /** Refuses every reference up to an offset, in any context. */
  refuseTo(end: number, problem: ReferenceProblem): void {
    for (let start = this.#nextReference(); start !== -1 && start < end; start = this.#nextReference()) {
      this.at = start;
      if (!this.reference('none', problem)) this.at += 1;
    }
    this.at = end;
  }

  /** Stops: it is not certain how a shell reads the text. The constructs that are open may never have been opened. */
  giveUp(): void {
    if (this.#gaveUp) return;
    this.#gaveUp = true;
    if (this.nested) this.refuseFrom(this.found.findLastIndex(({ start }) => start < this.#outermost) + 1, 'unclear');
    this.refuseTo(this.text.length, 'unclear');
  }

  /** Refuses the references found since there were `count` of them. */
  refuseFrom(count: number, problem: ReferenceProblem): void {
    for (const each of this.found.slice(count)) each.problem ??= problem;
  }

  #nextReference(): number {
    return this.text.indexOf('${steps.', this.at);
  }
}

/** The meaning of a reference that has none. */
const NOTHING = { step: '', key: '', fallback: null } as const;
