import type { Quotes, ReferenceProblem } from './found_reference.ts';

/**
 * Text with quotes and expansions. An operand follows the operator of `${X:-…}`. A pattern is in the parentheses of
 * `@(…)`. A subscript is in the brackets of `a[…]` or `$[…]`.
 */
type Context =
  | 'word'
  | 'double'
  | 'here-document'
  | 'operand'
  | 'quoted operand'
  | 'pattern'
  | 'arithmetic'
  | 'subscript';

/** A position in a command, for nested constructs. */
export type ShellPlace = Readonly<{
  context: Context;
  /** Whether double quotes or a here-document of the same command surround it. */
  quoted: boolean;
  /** The reason why a reference is not allowed here. */
  refusal: ReferenceProblem | undefined;
}>;

/** Runs of characters without a meaning in a context, which can be skipped. */
export const PLAIN: Readonly<Record<Context | 'single' | 'ansi' | 'backticks', RegExp>> = {
  word: /[^ \t\n\\'"`$;&|()<>#[]+/y,
  single: /[^'$]+/y,
  ansi: /[^'$\\]+/y,
  double: /[^"$`\\]+/y,
  backticks: /[^`$\\#]+/y,
  // Line by line, because a here-document ends at a line.
  'here-document': /[^\\$`\n]+/y,
  operand: /[^}'"`$\\<>]+/y,
  'quoted operand': /[^}'"`$\\]+/y,
  pattern: /[^()'"`$\\\n]+/y,
  arithmetic: /[^()'"`$\\]+/y,
  subscript: /[^[\]'"`$\\;&|()<>\n#]+/y,
};

/** Whether a context follows the rules of double quotes. */
export function isQuoted(context: Context): boolean {
  return (
    context === 'double' || context === 'quoted operand' || context === 'here-document' || context === 'arithmetic'
  );
}

export function quotesOf(context: Context): Quotes {
  return isQuoted(context) ? 'double' : 'none';
}
