import { DEPTH_LIMIT } from '../../syntax/json_tree.ts';

/** Messages by problem: the ones of this parser, and those of jsonc-parser. */
const MESSAGES: ReadonlyMap<string, string> = new Map([
  ['Utf16', 'the file is UTF-16; save it as UTF-8'],
  ['NotUtf8', 'not valid UTF-8; save the file as UTF-8'],
  ['TooDeep', `nested more than ${DEPTH_LIMIT} levels deep`],
  ['InvalidSymbol', 'unexpected text; strings need double quotes, and comments start with //'],
  ['PropertyNameExpected', 'expected a key in double quotes'],
  ['ValueExpected', 'expected a value'],
  ['ColonExpected', "expected ':' after the key"],
  ['CommaExpected', "expected ',' or a closing bracket"],
  ['CloseBraceExpected', "expected ',' or '}'"],
  ['CloseBracketExpected', "expected ',' or ']'"],
  ['EndOfFileExpected', 'unexpected text after the end of the JSON document'],
  ['UnexpectedEndOfString', 'unterminated string'],
  ['UnexpectedEndOfComment', 'unterminated comment'],
  ['UnexpectedEndOfNumber', 'incomplete number'],
  ['InvalidUnicode', 'invalid Unicode escape: \\u needs four hexadecimal digits'],
  ['InvalidEscapeCharacter', 'invalid escape; to write a backslash, double it'],
  ['InvalidCharacter', 'control character in a string; write it as an escape such as \\t'],
]);

/** The message for a syntax error. `isAtEnd` is true if only blanks follow it in the file. */
export function syntaxMessage(problem: string, isAtEnd: boolean): string {
  const text = MESSAGES.get(problem) ?? problem;
  return isAtEnd && problem.endsWith('Expected') ? `${text}, but the file ends here` : text;
}
