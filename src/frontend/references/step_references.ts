import type { SourceRange } from '../diagnostics/diagnostic.ts';
import type { Quotes } from './shell/found_reference.ts';
import type { ReferenceProblem } from './shell/reference_problems.ts';
import { mayHoldReferences, parseReference, parseVariable } from './reference_syntax.ts';
import { Scanner } from './shell/scanner.ts';

/**
 * A reference: the output that it means, the text for a step that gave nothing (null if there is none), where it stands
 * (UTF-16 units), and in which quotes. In a script that is a list, `range` is the range of its line in the file.
 */
export type StepReference = Readonly<{
  step: string;
  key: string;
  fallback: string | null;
  start: number;
  end: number;
  quotes: Quotes;
  range?: SourceRange;
}>;

/** A text that looks like a reference and cannot be one where it stands. */
export type RefusedReference = Readonly<{ start: number; end: number; problem: ReferenceProblem }>;

export type FoundReferences = Readonly<{ references: readonly StepReference[]; problems: readonly RefusedReference[] }>;

/**
 * Finds each `${steps.NAME.KEY}` and `${steps.NAME.KEY:-text}` of a command for bash or a POSIX shell, in the order of
 * the text. In a comment, or after a backslash that the shell obeys, it is text.
 *
 * Each reference without a problem is to the shell exactly what a variable is that is quoted for its position, if it is
 * written as `rewriteReferences` of `ir/output_variables.ts` does it: the shell does not split the value, expand it or
 * read it as syntax. The command does with it what it would do with such a variable. Common commands that run it as code
 * are refused; `CommandState` has the list. Where it is not certain how a shell reads the text, the reference is refused.
 * Takes linear time.
 */
export function findReferences(command: string): FoundReferences {
  if (!mayHoldReferences(command)) return { references: [], problems: [] };
  const references: StepReference[] = [];
  const problems: RefusedReference[] = [];
  for (const { step, key, fallback, start, end, quotes, problem } of new Scanner(command).scan()) {
    if (problem === undefined) references.push({ step, key, fallback, start, end, quotes });
    else problems.push({ start, end, problem });
  }
  return { references, problems };
}

/** A reference to a variable of an outer scope: its name, and the text to use if it is not set (null if there is none). */
export type VariableReference = Readonly<{ name: string; fallback: string | null; start: number; end: number }>;

/**
 * Finds the references of a value, to outputs and to variables. No shell reads it, so each one counts, and each stands in
 * double quotes.
 */
export function findInValue(value: string): FoundReferences & Readonly<{ variables: readonly VariableReference[] }> {
  const references: StepReference[] = [];
  const variables: VariableReference[] = [];
  const problems: RefusedReference[] = [];
  for (let start = value.indexOf('${'); start !== -1;) {
    const found = parseReference(value, start) ?? parseVariable(value, start);
    if (found?.kind === 'reference') {
      const { step, key, fallback, end } = found;
      references.push({ step, key, fallback, start, end, quotes: 'double' });
    } else if (found?.kind === 'variable') {
      const { name, fallback, end } = found;
      variables.push({ name, fallback, start, end });
    } else if (found !== undefined) problems.push({ start, end: found.end, problem: found.problem });
    start = value.indexOf('${', found?.end ?? start + 2);
  }
  return { references, variables, problems };
}
