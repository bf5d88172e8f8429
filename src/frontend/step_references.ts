import type { Quotes } from './shell/found.ts';
import type { ReferenceProblem } from './shell/reference_problems.ts';
import { Scanner } from './shell/scanner.ts';

/** A reference in a command: which output it means, where it stands (UTF-16 units), and in which quotes. */
export type StepReference = Readonly<{ step: string; key: string; start: number; end: number; quotes: Quotes }>;

/** What stands in a command as a reference and cannot be one. */
export type RefusedReference = Readonly<{ start: number; end: number; problem: ReferenceProblem }>;

type FoundReferences = Readonly<{ references: readonly StepReference[]; problems: readonly RefusedReference[] }>;

/**
 * Finds each `${steps.NAME.KEY}` of a command for bash or a POSIX shell, in the order of the text. KEY is a variable's
 * name and follows the last dot; NAME is anything without braces and control characters. What is in a comment, or
 * after a backslash that the shell obeys, is text.
 *
 * Promises of each reference, but for those with a problem: written as `rewriteReferences` does it, the value arrives
 * as (part of) one word, unchanged, and the shell that reads the command does not run it. Where that is not certain,
 * the reference is refused. What a program makes of a word is its own affair: `ssh`, `awk` and `python -c` run code that
 * they are given, as a shell does in a way that is not written in the command (`$SHELL -c`, an alias, an attribute
 * that a variable got elsewhere, a pipe into `bash`). Takes linear time.
 */
export function findReferences(command: string): FoundReferences {
  // Most commands have none.
  if (!/\$\{[#!]?steps\./.test(command)) return { references: [], problems: [] };
  const scanner = new Scanner(command);
  scanner.scan();
  const references: StepReference[] = [];
  const problems: RefusedReference[] = [];
  for (const { step, key, start, end, quotes, problem } of scanner.found) {
    if (problem === undefined) references.push({ step, key, start, end, quotes });
    else problems.push({ start, end, problem });
  }
  return { references, problems };
}

/** A variable as it is written in quotes, to be what stands in double quotes there. */
const WRITTEN: Readonly<Record<Quotes, (name: string) => string>> = {
  none: (name) => `"\${${name}}"`,
  double: (name) => `\${${name}}`,
  single: (name) => `'"\${${name}}"'`,
  ansi: (name) => `'"\${${name}}"$'`,
};

/** A command with variables in the places of its references, all of which `findReferences` has found in it. */
export function rewriteReferences(
  command: string,
  references: readonly StepReference[],
  nameOf: (reference: StepReference) => string,
): string {
  let after = 0;
  const parts = references.flatMap((reference) => {
    const before = command.slice(after, reference.start);
    after = reference.end;
    return [before, WRITTEN[reference.quotes](nameOf(reference))];
  });
  return [...parts, command.slice(after)].join('');
}
