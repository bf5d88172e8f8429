import type { Quotes } from './found_reference.ts';
import type { ReferenceProblem } from './reference_problems.ts';

/**
 * Text that holds quotes and expansions. An operand follows the operator of `${X:-…}`; a pattern is in the parentheses
 * of `@(…)`; a subscript is in the brackets of `a[…]` and `$[…]`.
 */
type Context =
  'word' | 'double' | 'here-document' | 'operand' | 'quoted operand' | 'pattern' | 'arithmetic' | 'subscript';

/** A position in a command, for the constructs nested in it. */
export type Place = Readonly<{
  context: Context;
  /** Whether double quotes or a here-document are around it, in the same command. */
  quoted: boolean;
  /** Why a reference cannot stand here. */
  refusal: ReferenceProblem | undefined;
}>;

/** Runs of characters that mean nothing in a context, and so can be skipped. */
export const PLAIN: Readonly<Record<Context | 'single' | 'ansi' | 'backticks', RegExp>> = {
  word: /[^ \t\n\\'"`$;&|()<>#[]+/y,
  single: /[^'$]+/y,
  ansi: /[^'$\\]+/y,
  double: /[^"$`\\]+/y,
  backticks: /[^`$\\#]+/y,
  // Line by line, because the body of a here-document ends at a line.
  'here-document': /[^\\$`\n]+/y,
  operand: /[^}'"`$\\<>]+/y,
  'quoted operand': /[^}'"`$\\]+/y,
  pattern: /[^()'"`$\\\n]+/y,
  arithmetic: /[^()'"`$\\]+/y,
  subscript: /[^[\]'"`$\\;&|()<>\n#]+/y,
};

/** Whether a context is read as if in double quotes. */
export function isQuoted(context: Context): boolean {
  return (
    context === 'double' || context === 'quoted operand' || context === 'here-document' || context === 'arithmetic'
  );
}

export function quotesOf(context: Context): Quotes {
  return isQuoted(context) ? 'double' : 'none';
}
