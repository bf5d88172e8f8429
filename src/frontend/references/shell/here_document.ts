import type { ReferenceProblem } from './reference_problems.ts';

/** What an operator `<<` says of the body that follows after the line. */
export type HereDocument = Readonly<{
  delimiter: string;
  quoted: boolean;
  /** `<<-`: tabs in front of lines do not count. */
  tabs: boolean;
  refusal: ReferenceProblem | undefined;
}>;

/** A delimiter that is all plain, or all in one kind of quotes. */
const OPERATOR = /<<(-?)[ \t]*(?:(['"])([^'"\\$`\n]*)\2|(\\?)([\w@%+=:,./!^~-]+\r?))(?=[\s;&|<>()]|$)/y;

/** Reads the operator at an offset, and gives the offset after it too; undefined for a less plain one. */
export function readOperator(
  text: string,
  at: number,
  refusal: ReferenceProblem | undefined,
): { readonly document: HereDocument; readonly end: number } | undefined {
  OPERATOR.lastIndex = at;
  const found = OPERATOR.exec(text);
  if (found === null) return undefined;
  const [, dash, quote, inQuotes, backslash, bare = ''] = found;
  const quoted = quote !== undefined || backslash === '\\';
  const document = { delimiter: inQuotes ?? bare, quoted, tabs: dash === '-', refusal };
  return { document, end: OPERATOR.lastIndex };
}

/**
 * Where the body that begins at an offset ends, and where the text goes on after its delimiter. Undefined
 * if there is no delimiter, or one beside a continued line, of which shells think differently.
 */
export function findBody(
  text: string,
  at: number,
  { delimiter, quoted, tabs }: HereDocument,
): { readonly end: number; readonly after: number } | undefined {
  const without = (line: string): string => (tabs ? line.replace(/^\t+/, '') : line);
  for (let start = at, continued = false; start < text.length;) {
    const found = text.indexOf('\n', start);
    const end = found === -1 ? text.length : found;
    const line = text.slice(start, end);
    const continues = !quoted && endsInBackslash(line);
    if (without(line) === delimiter) return continued ? undefined : { end: start, after: end + 1 };
    if (continues && delimiter.startsWith(without(line).slice(0, -1))) return undefined;
    continued = continues;
    start = end + 1;
  }
  return undefined;
}

/** Whether a line ends in a backslash that no other one quotes. */
function endsInBackslash(line: string): boolean {
  let before = line.length;
  while (line.charAt(before - 1) === '\\') before -= 1;
  return (line.length - before) % 2 === 1;
}
