import { widthOf, wrap } from '../../output/text_width.ts';

/** A line as lines of at most `columns`, broken at words and indented further. Output of commands is not broken. */
export function brokenLine(line: string, columns = Infinity): readonly string[] {
  if (widthOf(line) <= columns || /^ {6}\| /.test(line)) return [line];
  const indent = /^ */.exec(line)?.[0] ?? '';
  const parts = wrap(line.slice(indent.length), columns - indent.length - 4);
  return parts.map((part, index) => `${indent}${index === 0 ? '' : '    '}${part}`);
}
