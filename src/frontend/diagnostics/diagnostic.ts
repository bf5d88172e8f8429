import type * as words from './message_words.ts';
import type { ConditionProblem } from '../syntax/condition_syntax.ts';
import type { Rule } from '../schema/rules.ts';
import type { SourceRange } from '../syntax/source_range.ts';

/** A key for messages, without any value written into it by mistake, as in `TOKEN=…`. */
export function redactKey(key: string): string {
  if (/^\w{0,80}$/.test(key)) return key;
  const name = nameIn(key);
  return name.length === key.length && key.length <= 80 ? key : `${name.slice(0, 80)}…`;
}

/** The longest prefix that may be a name. Any other character may separate a name from a value. */
function nameIn(key: string): string {
  // Not a literal: V8 parses literals at load, and would read Unicode tables for these properties.
  return new RegExp(String.raw`^[\p{L}\p{N}_.$%@/-]*`, 'u').exec(key)?.[0] ?? '';
}

/** A step of a workflow, counted from 1; `2.1` is the first member of the group that is step 2. */
export type StepNumber = number | string;

/** The number of a step from its position, counted from 1: `2`, or `2.1` as a member of the group `2`. */
export function memberNumber(position: number, group: StepNumber | undefined): StepNumber {
  return group === undefined ? position : `${group}.${position}`;
}

/** The workflow ('' for the file itself) and the step that a diagnostic belongs to. */
export type Owner = Readonly<{ workflow: string; step?: StepNumber }>;

/** The position of a name. */
export type NamedPlace = Readonly<{ name: string; owner: Owner; range: SourceRange }>;

/** A contradiction between the fields of an input. */
export type InputContradiction = keyof typeof words.BAD_INPUT;

/** The reason why a reference to a variable has no value. */
export type LookupFailure = 'unset' | 'own scope' | 'output' | keyof typeof words.UNUSABLE_VALUE;

/** The file that declares a secret, and another one, which does not get it. */
export type SecretFiles = Readonly<{ from: string; to: string }>;

/** A mistake in a list of patterns. */
export type PatternProblem = keyof typeof words.BAD_PATTERN;

/** The field that the step of a misplaced field lacks, or must not have. */
export type MisplacedNeed = keyof typeof words.MISPLACED;

/** A mistake in a matrix. */
export type MatrixProblem = keyof typeof words.BAD_MATRIX;

/** An error in a file, as data. It holds no value of a variable, which could be a secret. */
export type ErrorDetail = Readonly<
  | { code: 'syntax'; problem: string }
  /**
   * `subject` is the quoted field or key, or a kind of node: `'env.A'`, `the file`. `list`: the values of the list in
   * which it is the first without quotes.
   */
  | { code: 'broken rule'; subject: string; rule: Rule; found: string; list?: readonly SourceRange[] }
  | { code: 'missing field'; field: string }
  /** `given` has the known fields beside it. */
  | { code: 'unknown field'; field: string; known: readonly string[]; given: ReadonlyMap<string, unknown> }
  | { code: 'duplicate key'; key: string; first: SourceRange }
  | { code: 'empty step' }
  /** The fields that exclude each other. */
  | { code: 'ambiguous step'; fields: readonly string[] }
  /** `field` names the place if that is not a call. */
  | { code: 'unknown workflow'; name: string; known: Iterable<string>; field?: string }
  /** `taken` is the workflow with the same alias, or with that name if it is equal to `alias`. */
  | { code: 'bad alias'; alias: string; taken: string }
  | { code: 'cycle'; path: readonly string[] }
  /** `problem` completes the sentence "cannot read <file>: …". */
  | { code: 'unreadable include'; file: string; problem: string }
  | { code: 'circular include'; path: readonly string[] }
  | { code: 'too many files'; limit: number }
  /** A workflow whose name is in the namespace of an include. */
  | { code: 'included name'; name: string; include: string }
  | { code: 'too large'; operations: string; limit: number }
  /** The step makes the names and values of a plan too many. */
  | { code: 'too much text' }
  /** A field that a step of this kind, or with its other fields, cannot have. */
  | { code: 'misplaced field'; field: string; needs: MisplacedNeed }
  /** `offset` is an offset into the path, in UTF-16 units. */
  | { code: 'bad path'; field: string; problem: string; offset: number }
  | { code: 'bad input'; field: string; problem: InputContradiction }
  | { code: 'bad matrix'; field: string; problem: MatrixProblem }
  | { code: 'bad pattern'; field: string; problem: PatternProblem }
  | { code: 'bad condition'; problem: ConditionProblem }
  /** A comparison outside a test command. `variable` is its left side, if that is a variable. */
  | { code: 'bare comparison'; operator: string; variable: string | undefined }
  | { code: 'bad reference'; field: string; reference: string; problem: string }
  /**
   * A reference to the output `key` of `step`. `outputs` are the outputs of the last earlier step of that name,
   * undefined if there is none. `steps` holds the names of all steps in the run of the workflow `run`. If other
   * workflows call it (`isCalled`), the reference may be right in their runs.
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
      /** The step may run at the same time: it is in another branch of the same group. */
      isSibling: boolean;
    }
  | { code: 'unresolved variable'; field: string; variable: string; problem: LookupFailure; known: Iterable<string> }
  /** A name in a list of secrets that its file does not declare. */
  | { code: 'unknown secret'; name: string; known: Iterable<string>; files: SecretFiles | undefined }
  /** A command uses a secret that it does not list. `isDeclared`: its own file declares the secret. */
  | { code: 'unlisted secret'; name: string; isDeclared: boolean; files: SecretFiles | undefined }
  | { code: 'secret in condition'; name: string }
  /** Something else than the `secrets` of a file sets a secret, or refers to it in a value. */
  | { code: 'set secret'; name: string }
>;

/** A likely mistake in a valid file. */
export type WarningDetail = Readonly<
  | { code: 'condition expands'; variable: string }
  /** The name of a variable in the place of a command. In a condition, this is an error. */
  | { code: 'variable as command'; variable: string; isCondition: boolean }
  | { code: 'value not expanded'; field: string; kind: keyof typeof words.NOT_EXPANDED }
  | { code: 'ignored field'; field: string; real: string }
  /** A variable with the name of a field of the step, here or in other tools. `real` is the field. */
  | { code: 'field as variable'; field: string; real: string }
  /** A hook of an included file. */
  | { code: 'ignored hook'; hook: string }
  /** A command uses the variable, and nothing in the file sets it. `known` holds the variables that are set. */
  | { code: 'undefined variable'; variable: string; known: ReadonlySet<string> }
  /** A reference in the syntax of another tool, as written, and the same for the shell, if there is one. */
  | { code: 'foreign reference'; kind: 'expression' | 'template'; reference: string; instead: string | undefined }
  /** A construct of the shell, as written, that bash 3.2 lacks. */
  | { code: 'newer bash'; reference: string }
  /** `because` completes the sentence "'if' is always true: …". */
  | { code: 'constant condition'; holds: boolean; because: string }
  /** A value such as `false` of a variable that a condition tests. */
  | { code: 'negative value'; field: string; variable: string }
  /** The value of `field` is never used: inner scopes or a parameter override it. */
  | { code: 'beside dotenv'; field: string; variable: string }
  | { code: 'overridden'; field: string; by: keyof typeof words.OVERRIDDEN }
  | { code: 'unreachable workflow' }
  /** No command lists the secret. */
  | { code: 'unused secret'; name: string }
>;

type Located = Readonly<{ owner: Owner; range: SourceRange }>;
/** Under `--strict`, warnings have the severity `error`. */
export type Diagnostic = Located & { readonly severity: 'error' | 'warning' } & (ErrorDetail | WarningDetail);

/** A diagnostic with a code. */
export type Of<Code extends Diagnostic['code']> = Extract<Diagnostic, { code: Code }>;

/** Adds a warning. */
export type Warn = (detail: WarningDetail, owner: Owner, range: SourceRange) => void;

/** The maximum number of diagnostics kept per file, so that a hostile file cannot exhaust the memory. */
const DIAGNOSTIC_LIMIT = 1000;

/** Diagnostics of one severity: the first ones in file order, and the number of omitted ones. */
export class DiagnosticList {
  #items: Diagnostic[] = [];
  omitted = 0;

  add(diagnostic: Diagnostic): void {
    if (this.#items.push(diagnostic) >= 2 * DIAGNOSTIC_LIMIT) this.#truncate();
  }

  addAll({ items, omitted }: DiagnosticList): void {
    for (const item of items) this.add(item);
    this.omitted += omitted;
  }

  /** The same diagnostics as errors. */
  asErrors(): DiagnosticList {
    const errors = new DiagnosticList();
    for (const item of this.items) errors.add({ ...item, severity: 'error' });
    errors.omitted = this.omitted;
    return errors;
  }

  get items(): readonly Diagnostic[] {
    this.#truncate();
    return this.#items;
  }

  /** Sorts by position and drops the diagnostics above the limit. */
  #truncate(): void {
    this.#items.sort((a, b) => a.range.start - b.range.start);
    this.omitted += this.#items.splice(DIAGNOSTIC_LIMIT).length;
  }
}

/** Collects the errors and warnings of a file. Checking continues after an error. */
export class DiagnosticCollector {
  readonly errors = new DiagnosticList();
  readonly warnings = new DiagnosticList();

  fail(detail: ErrorDetail, owner: Owner, range: SourceRange): void {
    this.errors.add({ severity: 'error', owner, range, ...detail });
  }

  warn(detail: WarningDetail, owner: Owner, range: SourceRange): void {
    this.warnings.add({ severity: 'warning', owner, range, ...detail });
  }
}
