/** Comments and string literals. */
const TEXT = /\/\*[\s\S]*?\*\/|\/\/[^\n]*|'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"|`(?:[^`\\]|\\.)*`/g;

/** A source with spaces in place of comments and the contents of strings. */
export function withoutText(source: string): string {
  return source.replaceAll(TEXT, blanks);
}

/** A source with spaces in place of comments. */
export function withoutComments(source: string): string {
  return source.replaceAll(TEXT, (text) => (text.startsWith('/') ? blanks(text) : text));
}

function blanks(text: string): string {
  return text.replaceAll(/[^\n]/g, ' ');
}
