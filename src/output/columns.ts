import { escapeForTerminal } from './escape.ts';
import { widthOf, wrap } from './text_width.ts';

/** The minimum width of the last column. */
const MIN_LAST = 20;

/**
 * The lines of each row, in columns two blanks apart. At a terminal of `columns`, a first text that is wider than half
 * of it gets its own line, and the last text is wrapped.
 */
export function inColumns(rows: readonly (readonly string[])[], columns = Infinity): readonly string[][] {
  const isOwnLine = (text: string, column: number): boolean => column === 0 && widthOf(text) > columns / 2;
  const widths: number[] = [];
  for (const row of rows) {
    for (const [column, text] of row.slice(0, -1).entries())
      widths[column] = Math.max(widths[column] ?? 0, isOwnLine(text, column) ? 0 : widthOf(text));
  }
  const indent = widths.reduce((sum, width) => sum + width + 2, 0);
  return rows.map((row) => {
    const own = row.filter(isOwnLine);
    const start = widths.map((width, column) => pad(own.length > 0 && column === 0 ? '' : (row[column] ?? ''), width));
    const [first = '', ...more] = wrap(row.at(-1) ?? '', Math.max(columns - indent, MIN_LAST));
    const lines = [...own, [...start, first].join('  '), ...more.map((line) => ' '.repeat(indent) + line)];
    return lines.map((line) => line.trimEnd());
  });
}

/** The text of a table at a terminal of `columns`. A dash stands for a missing value. */
export function table(rows: readonly (readonly (string | null | undefined)[])[], columns?: number): string[] {
  const texts = rows.map((row) => row.map((cell) => escapeForTerminal(cell ?? '-')));
  return inColumns(texts, columns).map((lines) => `${lines.join('\n')}\n`);
}

function pad(text: string, width: number): string {
  return text + ' '.repeat(width - widthOf(text));
}
