import type { Diagnostic, Expected, Flaw, Place, Warning } from './diagnostic.ts';
import type { Lines } from './lines.ts';
import { unreachable } from '../unreachable.ts';

/** The words for a diagnostic. Needs the file's lines because some faults name a second place. */
export function message(diagnostic: Diagnostic, lines: Lines): string {
  return `${stepPrefix(diagnostic.place)}${fault(diagnostic, lines)}`;
}

/** The words for a warning. */
export function warningMessage(warning: Warning): string {
  return `${stepPrefix(warning.place)}${oddity(warning)}`;
}

function stepPrefix(place: Place): string {
  return place.step === undefined ? '' : `step ${place.step}: `;
}

function fault(diagnostic: Diagnostic, lines: Lines): string {
  switch (diagnostic.code) {
    case 'syntax':
      return `${lines.words(diagnostic.range.start)}: ${SYNTAX.get(diagnostic.problem) ?? diagnostic.problem}`;
    case 'too deep':
      return `${lines.words(diagnostic.range.start)}: nested more than ${diagnostic.limit} levels deep`;
    case 'encoding':
      return diagnostic.encoding === 'UTF-16'
        ? 'line 1, column 1: the file is UTF-16; save it as UTF-8'
        : `${lines.words(diagnostic.range.start)}: not valid UTF-8; save the file as UTF-8`;
    case 'wrong type': {
      const what = `must be ${TYPES[diagnostic.expected]}, found ${article(diagnostic.found)}`;
      if (diagnostic.field !== '') {
        const hint = diagnostic.expected === 'string' && isScalar(diagnostic.found);
        return `'${diagnostic.field}' ${what}${hint ? '; put it in double quotes' : ''}`;
      }
      if (diagnostic.place.step !== undefined) return what;
      return `the ${diagnostic.place.workflow === '' ? 'file' : 'workflow'} ${what}`;
    }
    case 'bad text':
      return `'${diagnostic.field}' ${FLAW_WORDS[diagnostic.flaw]}`;
    case 'bad key':
      return `'${diagnostic.key}' in '${diagnostic.field}' ${FLAW_WORDS[diagnostic.flaw]}`;
    case 'missing field':
      return `missing '${diagnostic.field}' field`;
    case 'unknown field':
      return `unknown field '${diagnostic.field}'; ${didYouMean(diagnostic.nearest, `expected one of: ${diagnostic.known.join(', ')}`)}`;
    case 'duplicate key':
      return `duplicate key '${diagnostic.key}'${diagnostic.field === '' ? '' : ` in '${diagnostic.field}'`}, first given at ${lines.words(diagnostic.first.start)}`;
    case 'empty step':
      return "missing 'run' or 'workflow' field";
    case 'ambiguous step':
      return "'run' and 'workflow' are mutually exclusive";
    case 'unknown workflow':
      return `'workflow' must name a workflow of this file, found '${diagnostic.name}'; ${didYouMean(diagnostic.nearest, 'there is none of that name')}`;
    case 'cycle':
      return `circular dependency detected: ${diagnostic.path.join(' -> ')}`;
    case 'too large':
      return `calls expand to ${diagnostic.operations} operations; the limit is ${diagnostic.limit}`;
    default:
      return unreachable(diagnostic);
  }
}

function oddity(warning: Warning): string {
  switch (warning.code) {
    case 'condition expands':
      return `'if' runs the value of $${warning.variable} as a command; to test the variable, write "${warning.variable}"`;
    case 'value not expanded':
      return `'${warning.field}' holds $${warning.variable}, which is not expanded here: values reach the command as they are written`;
    case 'almost a field':
      return `'${warning.field}' is ignored, as every 'x-' key is; did you mean '${warning.nearest}'?`;
    default:
      return unreachable(warning);
  }
}

function didYouMean(nearest: string | undefined, otherwise: string): string {
  return nearest === undefined ? otherwise : `did you mean '${nearest}'?`;
}

function article(noun: string): string {
  if (noun === 'null') return noun;
  return /^[aeiou]/.test(noun) ? `an ${noun}` : `a ${noun}`;
}

function isScalar(found: string): boolean {
  return found === 'number' || found === 'boolean';
}

const TYPES: Record<Expected, string> = {
  object: 'an object',
  array: 'an array',
  string: 'a string',
  boolean: 'true or false',
  step: 'a command (a string) or an object',
};

/** Each completes a sentence that begins with what has the flaw. */
export const FLAW_WORDS: Record<Flaw, string> = {
  empty: 'must not be empty',
  blank: 'must be a command, found a blank string',
  nul: 'must not contain a NUL character',
  'control character': 'must not contain control characters',
  'lone surrogate': 'must be valid Unicode, found half of a surrogate pair',
  'not a variable name':
    'is not a variable name; expected letters, digits and underscores, not beginning with a digit',
  'shell option variable': 'cannot be set: it changes how the shell itself runs',
};

/** jsonc-parser's names for syntax errors. */
const SYNTAX: ReadonlyMap<string, string> = new Map([
  ['InvalidSymbol', 'unexpected text; a string needs double quotes'],
  ['InvalidNumberFormat', 'malformed number'],
  ['PropertyNameExpected', 'expected a key in double quotes'],
  ['ValueExpected', 'expected a value'],
  ['ColonExpected', "expected ':' after the key"],
  ['CommaExpected', "expected ',' before the next entry"],
  ['CloseBraceExpected', "expected ',' or '}'"],
  ['CloseBracketExpected', "expected ',' or ']'"],
  ['EndOfFileExpected', 'unexpected text after the end of the JSON document'],
  ['InvalidCommentToken', 'malformed comment'],
  ['UnexpectedEndOfComment', 'the comment is not closed'],
  ['UnexpectedEndOfString', 'the string is not closed on its line'],
  ['UnexpectedEndOfNumber', 'malformed number'],
  ['InvalidUnicode', 'malformed \\u escape in a string'],
  ['InvalidEscapeCharacter', 'unknown escape in a string'],
  ['InvalidCharacter', 'control character in a string; write it as an escape'],
]);
