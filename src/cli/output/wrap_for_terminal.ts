import { terminalColumns } from './terminal.ts';
import { wrapLine } from './text_width.ts';

/** No terminal breaks a shorter text. */
const SHORT = 40;

/** A function that breaks a line at words; undefined if the descriptor is not a terminal of a known width. */
export function lineBreaker(descriptor: number): ((line: string) => string) | undefined {
  const columns = terminalColumns(descriptor);
  if (columns === undefined || columns === Infinity) return undefined;
  return (line) => wrapLine(line, columns).join('\n');
}

/** A text with the lines of the tool broken at words, if the descriptor is a terminal that is narrower. */
export function wrapForTerminal(descriptor: number, text: string): string {
  if (text.length <= SHORT || !/^(?:cli|debug): /.test(text)) return text;
  const breakLine = lineBreaker(descriptor);
  return breakLine === undefined ? text : text.split('\n').map(breakLine).join('\n');
}
