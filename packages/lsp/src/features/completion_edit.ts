import type { FoundName, Location, NamedPart } from '../../../../src/internal.ts';

type SourceRange = FoundName['range'];
type Lines = NamedPart['lines'];

/** Inserts a word. `isLiteral`: it is `true` or `false`, which has no quotes. */
export type Edit = (word: string, isLiteral: boolean) => Readonly<{ range: SourceRange; text: string }>;

/** Replaces the whole key or value around an offset; undefined where neither can be. */
export function editAt(lines: Lines, offset: number, { isKey, string }: Location): Edit | undefined {
  const { base } = lines;
  if (string !== undefined) {
    // Outside of the quotes.
    if (offset <= string.start) return undefined;
    const isClosed = isClosedString(lines.slice(string.start, string.end));
    if (isClosed && offset >= string.end) return undefined;
    const word = /^[\w:.-]*/.exec(lines.slice(offset, string.end))?.[0] ?? '';
    const inner = { start: string.start + 1, end: isClosed ? string.end - 1 : offset + word.length };
    return (text, isLiteral) => {
      if (isLiteral) return { range: { start: string.start, end: isClosed ? string.end : inner.end }, text };
      return { range: inner, text: `${JSON.stringify(text).slice(1, -1)}${isClosed ? '' : '"'}` };
    };
  }
  const text = lines.text;
  const at = offset - base;
  const start = at - (/[\w:.$-]*$/.exec(text.slice(Math.max(0, at - 200), at))?.[0] ?? '').length;
  const end = at + (/^[\w:.$-]*/.exec(text.slice(at, at + 200))?.[0] ?? '').length;
  const previous = lastCharacter(text, start);
  if (!(isKey ? '{,' : '[,:').includes(previous) || previous === '') return undefined;
  const colon = isKey && !/^\s*:/.test(text.slice(end, end + 200)) ? ': ' : '';
  const range = { start: base + start, end: base + end };
  return (word, isLiteral) => ({ range, text: isLiteral ? word : `${JSON.stringify(word)}${colon}` });
}

/** Whether a string as it is written ends with its closing quote. */
export function isClosedString(written: string): boolean {
  return /^"(?:[^"\\]|\\[^])*"$/.test(written);
}

/** The last character before an offset that is no blank and not in a comment; empty if there is none near. */
function lastCharacter(text: string, offset: number): string {
  const before = text.slice(Math.max(0, offset - 2000), offset);
  return before.replace(/(?:\s|\/\/[^\n"]*\n|\/\*[^*]*\*+\/)*$/, '').slice(-1);
}
