import type { Quotes } from './found_reference.ts';

/** What a place of a shell command can be in. */
export type Kind = Words | Quotation | Rest;
/** A substitution is `$(…)` or `<(…)`; commands are what is not in one, and subshells. */
type Words = 'commands' | 'substitution' | 'case' | 'test' | 'array';
type Quotation = 'single' | 'ansi' | 'double' | 'backticks' | 'here-document';
/** An operand is what follows the operator in `${X:-…}`; a pattern is in brackets, as in `@(…)`. */
type Rest = 'operand' | 'quoted operand' | 'pattern' | 'arithmetic' | 'subscript';

const WORD = /[^ \t\n\\'"`$;&|()<>#[]+/y;

/** What means nothing in each place, so that it can be skipped. */
export const PLAIN: Readonly<Record<Kind, RegExp>> = {
  commands: WORD,
  substitution: WORD,
  case: WORD,
  test: WORD,
  array: WORD,
  single: /[^'$]+/y,
  ansi: /[^'$\\]+/y,
  double: /[^"$`\\]+/y,
  backticks: /[^`$\\#]+/y,
  'here-document': /[^\\$`\n]+/y,
  operand: /[^}'"`$\\<>]+/y,
  'quoted operand': /[^}'"`$\\]+/y,
  pattern: /[^()'"`$\\\n]+/y,
  arithmetic: /[^()'"`$\\]+/y,
  subscript: /[^[\]'"`$\\;&|()<>\n#]+/y,
};

export function holdsWords(kind: Kind): boolean {
  return isList(kind) || kind === 'test' || kind === 'array';
}

/** Whether commands stand there. */
export function isList(kind: Kind): boolean {
  return kind === 'commands' || kind === 'substitution' || kind === 'case';
}

/** Whether single quotes are no quotes there, because double quotes or the like are around. */
export function isQuoted(kind: Kind): boolean {
  return kind === 'double' || kind === 'quoted operand' || kind === 'here-document' || kind === 'arithmetic';
}

export function quotesOf(kind: Kind): Quotes {
  if (kind === 'single' || kind === 'ansi') return kind;
  return isQuoted(kind) ? 'double' : 'none';
}

export const SPECIAL_PARAMETER = /\$[$!#?@*\-0-9]/y;
/** An expansion with a default, which is assigned or not, or with a pattern. */
export const PARAMETER = /\$\{(\w+|[@*])(?:(:?[-+?])|(:?=)|(?:%%?|##?))/y;
export const CHANGES_TEXT = /\$\{\w+[/^,]/y;
/** What bash 5.3 runs in place. */
export const RUNS_IN_PLACE = /\$\{[\s|]/y;
export const REDIRECTION = /<<<|<<|<>|[<>]&|>>|>\||&>>?|[<>]/y;
export const CASE_END = /;;&?|;&/y;
export const COMMENT = /#[^\n]*/y;
export const NO_PARAMETERS = /\([ \t]*\)/y;
export const ARRAY = /^[A-Za-z_]\w*(?:\[[^\]]*\])?\+?=$/;
/** The operators of `[[` that calculate, or evaluate a subscript. */
export const CALCULATES = /^-(?:eq|ne|lt|le|gt|ge|v|R)$/;
