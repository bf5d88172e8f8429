import type { SourceRange } from '../syntax/source_range.ts';
import type { FoundReference, ReferenceProblem } from './shell/found_reference.ts';
import { mayHoldReferences, parseReference, parseVariable } from './reference_syntax.ts';
import { Scanner } from './shell/scanner.ts';

/**
 * A reference to an output. `fallback` is used if the step has no output (null if there is none). The position is in
 * UTF-16 units. In a script written as a list, `range` is the range of the line in the file.
 */
export type StepReference = Readonly<Omit<FoundReference, 'problem'> & { range?: SourceRange }>;

/** A text that looks like a reference and is not allowed in its place. */
export type RefusedReference = Readonly<{ start: number; end: number; problem: ReferenceProblem }>;

export type FoundReferences = Readonly<{ references: readonly StepReference[]; problems: readonly RefusedReference[] }>;

/**
 * Finds each `${steps.NAME.KEY}` and `${steps.NAME.KEY:-text}` of a command for bash or a POSIX shell, in the order of
 * the text. In a comment, or after an active backslash, it is plain text.
 *
 * Every reference without a problem behaves in the shell like a variable quoted for its position, if
 * `rewriteReferences` of `ir/output_variables.ts` replaces it: the shell does not split the value, expand it or
 * interpret it as syntax. The command treats the value like that of such a variable. Common commands that would run it
 * as code are rejected; `CommandState` lists them. A reference is also rejected where shells may read the text
 * differently. Runs in linear time.
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

/**
 * A reference to a variable of an outer scope. `fallback` is used if the variable is not set (null if there is none).
 */
export type VariableReference = Readonly<{ name: string; fallback: string | null; start: number; end: number }>;

/**
 * Finds the references of a value to outputs and variables. Values are not read by a shell, so every reference counts,
 * and its quotes are `double`.
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
