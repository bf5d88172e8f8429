/** A half-open range of offsets into the file's text, in UTF-16 units. */
export interface Range {
  readonly start: number;
  readonly end: number;
}

/** What a field may have to be; the words for them are in `message.ts`. */
export const EXPECTED = ['object', 'array', 'string', 'boolean', 'step'] as const;
export type Expected = (typeof EXPECTED)[number];

/** What can be wrong with a text of the right type. */
export const FLAWS = [
  'empty',
  'blank',
  'nul',
  'control character',
  'lone surrogate',
  'not a variable name',
  'shell option variable',
] as const;
export type Flaw = (typeof FLAWS)[number];

/** Where a diagnostic belongs: a workflow ('' for the file itself) and a step, counted from 1. */
export interface Place {
  readonly workflow: string;
  readonly step?: number;
}

/** What is wrong with a file, as data. None of it is a value from the file: that could be a secret. */
export type Fault =
  | { readonly code: 'syntax'; readonly problem: string }
  | { readonly code: 'too deep'; readonly limit: number }
  | { readonly code: 'encoding'; readonly encoding: 'UTF-16' | 'unknown' }
  | {
      readonly code: 'wrong type';
      /** '' where the whole file, workflow or step has the wrong type. */
      readonly field: string;
      readonly expected: Expected;
      readonly found: string;
    }
  | { readonly code: 'bad text'; readonly field: string; readonly flaw: Flaw }
  | { readonly code: 'bad key'; readonly field: string; readonly key: string; readonly flaw: Flaw }
  | { readonly code: 'missing field'; readonly field: string }
  | {
      readonly code: 'unknown field';
      readonly field: string;
      readonly nearest: string | undefined;
      readonly known: readonly string[];
    }
  | {
      readonly code: 'duplicate key';
      readonly field: string;
      readonly key: string;
      readonly first: Range;
    }
  | { readonly code: 'empty step' }
  | { readonly code: 'ambiguous step' }
  | {
      readonly code: 'unknown workflow';
      readonly name: string;
      readonly nearest: string | undefined;
    }
  | { readonly code: 'cycle'; readonly path: readonly string[] }
  | { readonly code: 'too large'; readonly operations: string; readonly limit: number };

/** What is surely odd in a file, but allowed. */
export type Oddity =
  | { readonly code: 'condition expands'; readonly variable: string }
  | { readonly code: 'value not expanded'; readonly field: string; readonly variable: string }
  | { readonly code: 'almost a field'; readonly field: string; readonly nearest: string };

/** A fact about a file, with its place there. */
export type Located<Facts> = Facts & { readonly place: Place; readonly range: Range };
export type Diagnostic = Located<Fault>;
export type Warning = Located<Oddity>;

/** The first findings in file order, and how many more there were. */
export interface Findings<Item> {
  readonly items: readonly Item[];
  readonly omitted: number;
}

/** At most this many findings are kept of a file, so that a hostile one cannot fill the memory. */
const KEPT = 1000;

/** Takes findings as they come. */
export class Collector<Item extends { readonly range: Range }> {
  readonly #items: Item[] = [];
  #omitted = 0;

  add(item: Item): void {
    if (this.#items.length < KEPT) this.#items.push(item);
    else this.#omitted += 1;
  }

  get isEmpty(): boolean {
    return this.#items.length === 0;
  }

  findings(): Findings<Item> {
    return { items: this.#items, omitted: this.#omitted };
  }
}

/** Several lists of findings as one, in file order. */
export function inFileOrder<Item extends { readonly range: Range }>(
  ...lists: readonly Findings<Item>[]
): Findings<Item> {
  const all = lists.flatMap((list) => list.items).toSorted((a, b) => a.range.start - b.range.start);
  const omitted = lists.reduce((sum, list) => sum + list.omitted, 0);
  return { items: all.slice(0, KEPT), omitted: omitted + Math.max(0, all.length - KEPT) };
}
