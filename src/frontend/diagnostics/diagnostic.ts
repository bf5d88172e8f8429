import type { Rule } from '../schema/rules.ts';

/** A half-open range of offsets into the file's text, in UTF-16 units. */
export type SourceRange = Readonly<{ start: number; end: number }>;

/** Where a diagnostic belongs: a workflow ('' for the file itself) and a step, counted from 1. */
export type Owner = Readonly<{ workflow: string; step?: number }>;

/** What is wrong with a file, as data. None of it is a value from the file, which could be a secret. */
export type ErrorDetail = Readonly<
  | { code: 'syntax'; problem: string }
  /** `subject` is what the rule is about, in quotes, or the kind of thing: `'env.A'`, `the file`. */
  | { code: 'broken rule'; subject: string; rule: Rule; found: string }
  | { code: 'missing field'; field: string }
  | { code: 'unknown field'; field: string; known: readonly string[] }
  | { code: 'duplicate key'; key: string; first: SourceRange }
  | { code: 'empty step' }
  | { code: 'ambiguous step' }
  | { code: 'unknown workflow'; name: string; known: Iterable<string> }
  | { code: 'cycle'; path: readonly string[] }
  | { code: 'too large'; operations: string; limit: number }
  /** A field that only commands can have, or only those with a name. */
  | { code: 'misplaced field'; field: string; needs: 'command' | 'name' }
  /** `offset` is where in the path, in UTF-16 units. */
  | { code: 'bad path'; field: string; problem: string; offset: number }
  | { code: 'bad reference'; field: string; reference: string; problem: string }
  /**
   * It asks for the output `key` of `step`; `outputs` are those of that step, undefined where none runs before.
   * `steps` has the names of all that run, `isCalled` says whether other workflows call the one that is run,
   * in which the reference may be right.
   */
  | {
      code: 'unresolved reference';
      field: string;
      reference: string;
      step: string;
      key: string;
      run: string;
      isCalled: boolean;
      steps: ReadonlyMap<string, unknown>;
      outputs: ReadonlySet<string> | undefined;
    }
>;

/** What is surely odd in a file, but allowed. */
export type WarningDetail = Readonly<
  | { code: 'condition expands'; variable: string }
  | { code: 'value not expanded'; field: string; kind: 'value' | 'directory' | 'reference' }
  | { code: 'ignored field'; field: string; real: string }
  /** A command uses the variable, and nothing is known that sets it. */
  | { code: 'set nowhere'; variable: string; known: ReadonlySet<string> }
  /** `by` is what decides it: an entry, or the condition itself. */
  | { code: 'condition decided'; by: string; holds: boolean }
  | { code: 'no means yes'; field: string; variable: string }
  /** `field` is never seen: scopes inside its own set the variable too, or a parameter does. */
  | { code: 'overridden'; field: string; by: 'scopes' | 'parameter' }
  | { code: 'unreachable workflow' }
>;

type Located = Readonly<{ owner: Owner; range: SourceRange }>;
/** A fault is an error; what is odd is a warning, unless warnings are to count as errors. */
export type Diagnostic = Located & { readonly severity: 'error' | 'warning' } & (ErrorDetail | WarningDetail);

/** Keeps what is odd at a place. */
export type Warn = (oddity: WarningDetail, owner: Owner, range: SourceRange) => void;

/** At most this many diagnostics are kept of a file, so that a hostile one cannot fill the memory. */
const DIAGNOSTIC_LIMIT = 1000;

/** Diagnostics of one severity: the first in file order, and how many more there were. */
export class DiagnosticList {
  #items: Diagnostic[] = [];
  omitted = 0;

  add(diagnostic: Diagnostic): void {
    if (this.#items.push(diagnostic) >= 2 * DIAGNOSTIC_LIMIT) this.#cut();
  }

  addAll({ items, omitted }: DiagnosticList): void {
    for (const item of items) this.add(item);
    this.omitted += omitted;
  }

  /** The same as errors. */
  asErrors(): DiagnosticList {
    const errors = new DiagnosticList();
    for (const item of this.items) errors.add({ ...item, severity: 'error' });
    errors.omitted = this.omitted;
    return errors;
  }

  get items(): readonly Diagnostic[] {
    this.#cut();
    return this.#items;
  }

  /** Sorts by place and forgets what is too much. */
  #cut(): void {
    this.#items.sort((a, b) => a.range.start - b.range.start);
    this.omitted += this.#items.splice(DIAGNOSTIC_LIMIT).length;
  }
}
