import type { Quotes } from './shell/found_reference.ts';
import type { ReferenceProblem } from './shell/reference_problems.ts';
import { mayHoldReferences, parseReference } from './reference_syntax.ts';
import { Scanner } from './shell/scanner.ts';

/**
 * A reference: the output that it means, the text for a step that gave nothing (null if there is none), where it stands
 * (UTF-16 units), and in which quotes.
 */
export type StepReference = Readonly<{
  step: string;
  key: string;
  fallback: string | null;
  start: number;
  end: number;
  quotes: Quotes;
}>;

/** What stands in a command as a reference and cannot be one. */
export type RefusedReference = Readonly<{ start: number; end: number; problem: ReferenceProblem }>;

export type FoundReferences = Readonly<{ references: readonly StepReference[]; problems: readonly RefusedReference[] }>;

/**
 * Finds each `${steps.NAME.KEY}` and `${steps.NAME.KEY:-text}` of a command for bash or a POSIX shell, in the order of the text. KEY is a variable's
 * name and follows the last dot; NAME is anything without braces and control characters. What is in a comment, or
 * after a backslash that the shell obeys, is text.
 *
 * Promises of each reference, but for those with a problem: written as `rewriteReferences` of `ir/reads.ts` does it,
 * the value arrives as (part of) one word, unchanged, and the shell that reads the command does not run it. Where that
 * is not certain, the reference is refused. What a program makes of a word is its own affair: `ssh`, `awk` and
 * `python -c` run code that they are given, as a shell does in a way that is not written in the command (`$SHELL -c`,
 * an alias, an attribute that a variable got elsewhere, a pipe into `bash`). Takes linear time.
 */
export function findReferences(command: string): FoundReferences {
  // Most commands have none.
  if (!mayHoldReferences(command)) return { references: [], problems: [] };
  const scanner = new Scanner(command);
  scanner.scan();
  const references: StepReference[] = [];
  const problems: RefusedReference[] = [];
  for (const { step, key, fallback, start, end, quotes, problem } of scanner.found) {
    if (problem === undefined) references.push({ step, key, fallback, start, end, quotes });
    else problems.push({ start, end, problem });
  }
  return { references, problems };
}

/** The same for a value, which no shell reads: each reference in it counts, and each stands in double quotes. */
export function findInValue(value: string): FoundReferences {
  const references: StepReference[] = [];
  const problems: RefusedReference[] = [];
  for (let start = value.indexOf('${'); start !== -1;) {
    const found = parseReference(value, start);
    if (found?.kind === 'reference') {
      const { step, key, fallback, end } = found;
      references.push({ step, key, fallback, start, end, quotes: 'double' });
    } else if (found !== undefined) problems.push({ start, end: found.end, problem: found.problem });
    start = value.indexOf('${', found?.end ?? start + 2);
  }
  return { references, problems };
}
