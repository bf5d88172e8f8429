import { rangeOf, type SourceRange } from '../syntax/source_range.ts';
import type { LineIndex } from '../syntax/line_index.ts';
import type { Diagnostic } from '../diagnostics/diagnostic.ts';
import { markedRange } from '../diagnostics/marked_range.ts';
import { isUnquoted, message, quotedValue } from '../diagnostics/diagnostic_message.ts';

/** A correction of a mistake: its title, and JSON text for a range of the file. */
export type Fix = Readonly<{ title: string; range: SourceRange; text: string }>;

/** The correction that a message suggests, if it changes one word or value. `lines` is the index of the file. */
export function fixOf(diagnostic: Diagnostic, lines: LineIndex): Fix | undefined {
  if (diagnostic.code === 'negative value') {
    return { title: 'Leave it empty', range: rangeOf(diagnostic.range), text: '""' };
  }
  if (diagnostic.code === 'foreign reference') {
    const { instead } = diagnostic;
    if (instead === undefined) return undefined;
    const range = markedRange(diagnostic, lines);
    return { title: `Change to ${instead}`, range, text: JSON.stringify(instead).slice(1, -1) };
  }
  if (isUnquoted(diagnostic)) {
    const text = quotedValue(diagnostic, lines);
    return { title: `Change to ${text}`, range: rangeOf(diagnostic.range), text };
  }
  const [, suggested] = /; did you mean '([^']+)'\?$/.exec(message(diagnostic, lines)) ?? [];
  const wrong = suggested === undefined ? undefined : wrongWord(diagnostic);
  if (suggested === undefined || wrong === undefined) return undefined;
  const marked = markedRange(diagnostic, lines);
  const written = JSON.stringify(wrong.word).slice(1, -1);
  const at = wordIn(lines.slice(marked.start, marked.end), wrong.before, written);
  if (at === -1) return undefined;
  const start = marked.start + at;
  const range = { start, end: start + written.length };
  return { title: `Change to '${suggested}'`, range, text: JSON.stringify(suggested).slice(1, -1) };
}

/** The word in place of which a message suggests another, and the text before it. */
function wrongWord(diagnostic: Diagnostic): Readonly<{ word: string; before: string }> | undefined {
  const { code } = diagnostic;
  if (code === 'unknown field' || code === 'ignored field') return { word: diagnostic.field, before: '"' };
  if (code === 'unknown workflow' || code === 'unknown secret') return { word: diagnostic.name, before: '"' };
  if (code === 'undefined variable') return { word: diagnostic.variable, before: '' };
  if (code === 'unresolved variable') return { word: diagnostic.variable, before: 'vars.' };
  if (code !== 'unresolved reference') return undefined;
  const { step, key, outputs } = diagnostic;
  return outputs === undefined ? { word: step, before: 'steps.' } : { word: key, before: '.' };
}

/** The offset of a whole word that follows a text; -1 if there is none. */
function wordIn(text: string, before: string, word: string): number {
  for (let at = text.indexOf(before + word); at !== -1; at = text.indexOf(before + word, at + 1)) {
    const start = at + before.length;
    const isWhole =
      !/^\w/.test(text.slice(start + word.length)) && (before !== '' || !/\w$/.test(text.slice(0, start)));
    if (isWhole) return start;
  }
  return -1;
}
