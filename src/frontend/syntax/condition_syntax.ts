import { scanTemplates, type Template, type UnterminatedQuote } from './template_scanner.ts';

/** A mistake in a condition: the expression syntax of another tool, or an unterminated quote. */
export type ConditionProblem = Template['kind'] | UnterminatedQuote['kind'];

/** A word followed by a comparison operator. */
const COMPARISON = /^\s*(?:!\s+)*((?:"[^"]*"|'[^']*'|\$\([^()]*\)|\$(?!\()|[^\s"'$])+)\s+(==?|!=)(?:\s|$)/;

/** Commands that accept a comparison operator as an argument. */
const TAKES_OPERATORS = new Set(['[', '[[', 'test', 'echo', 'printf', 'expr']);

/** A variable, with or without `$`. */
const NAME = /^"?\$?\{?([A-Za-z_]\w*)\}?"?$/;

/** A comparison outside a test command: its operator, and its left side if that is a variable. */
export type BareComparison = Readonly<{ operator: string; variable: string | undefined }>;

/** Finds a comparison that the shell would run as a command. Takes time linear in the condition's length. */
export function findBareComparison(condition: string): BareComparison | undefined {
  const [, word = '', operator] = COMPARISON.exec(condition) ?? [];
  if (operator === undefined || TAKES_OPERATORS.has(word)) return undefined;
  return { operator, variable: NAME.exec(word)?.[1] };
}

/**
 * Finds the first problem of a condition. Gives up at a here-document and at ambiguous quotes. Takes time linear in the
 * condition's length.
 */
export function findConditionProblem(condition: string): ConditionProblem | undefined {
  if (!/["'`]|\{\{/.test(condition)) return undefined;
  for (const found of scanTemplates(condition)) {
    // A template may also be a part of an argument.
    if (found.kind === 'template' && (found.isQuoted || !found.startsWord)) continue;
    const isQuote = found.kind !== 'expression' && found.kind !== 'template';
    // The patterns of `case` have unbalanced parentheses, which can mislead the scanner about quotes.
    return isQuote && /\bcase\b/.test(condition) ? undefined : found.kind;
  }
  return undefined;
}
