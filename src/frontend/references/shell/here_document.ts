import type { Reader } from './reader.ts';
import type { ReferenceProblem } from './found_reference.ts';

/** A here-document whose body follows after the current line. */
export interface HereDocument {
  readonly delimiter: string;
  /** Whether the delimiter is quoted, which turns off expansion in the body. */
  readonly quoted: boolean;
  /** Whether tabs at the beginning of lines are removed (`<<-`). */
  readonly tabs: boolean;
  /** The reason why a reference is not allowed in the body. */
  problem: ReferenceProblem | undefined;
}

/** `<<` and a delimiter that is plain or in one kind of quotes. Only blanks and operators end it. */
const OPERATOR = /<<(-?)[ \t]*(?:(['"])([^'"\\$`\n]*)\2|(\\?)([\w@%+=:,./!^~-]+\r?))(?=[ \t\n;&|<>()]|$)/y;

/**
 * Reads the operator at the current position, up to the end of the delimiter. Returns undefined for a more complex
 * delimiter.
 */
export function readOperator(reader: Reader): HereDocument | undefined {
  OPERATOR.lastIndex = reader.at;
  const found = OPERATOR.exec(reader.text);
  if (found === null) return undefined;
  const [, dash, quote, inQuotes, backslash, bare = ''] = found;
  reader.at = OPERATOR.lastIndex;
  const quoted = quote !== undefined || backslash === '\\';
  return { delimiter: inQuotes ?? bare, quoted, tabs: dash === '-', problem: undefined };
}

/**
 * Finds the end of the body that begins at an offset, and the offset after the delimiter's line. Returns undefined if
 * there is no such line, or if it is next to a continued line, where shells differ.
 */
export function findBody(
  text: string,
  at: number,
  { delimiter, quoted, tabs }: HereDocument,
): { readonly end: number; readonly after: number } | undefined {
  const withoutTabs = (line: string): string => (tabs ? line.replace(/^\t+/, '') : line);
  for (let start = at, isContinued = false; start < text.length;) {
    const found = text.indexOf('\n', start);
    const end = found === -1 ? text.length : found;
    const line = text.slice(start, end);
    const continues = !quoted && endsInBackslash(line);
    if (withoutTabs(line) === delimiter) return isContinued ? undefined : { end: start, after: end + 1 };
    if (continues && delimiter.startsWith(withoutTabs(line).slice(0, -1))) return undefined;
    isContinued = continues;
    start = end + 1;
  }
  return undefined;
}

/** Whether a line ends in an unquoted backslash. */
function endsInBackslash(line: string): boolean {
  let before = line.length;
  while (line.charAt(before - 1) === '\\') before -= 1;
  return (line.length - before) % 2 === 1;
}
