import { escapeForTerminal } from './escape.ts';
import { truncateEnd, widthOf, wrap } from './text_width.ts';

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

/**
 * The text of a table at a terminal of `columns`, where its widest columns but the last are cut. A dash stands for a
 * missing value.
 */
export function table(rows: readonly (readonly (string | null | undefined)[])[], columns = Infinity): string[] {
  const texts = rows.map((row) => row.map((cell) => escapeForTerminal(cell ?? '-')));
  const last = Math.max(...texts.map((row) => widthOf(row.at(-1) ?? '')));
  const widths = widthsOf(texts.map((row) => row.slice(0, -1)));
  fitWidths(widths, columns - Math.min(last, MIN_LAST) - 2);
  const fitted = texts.map((row) =>
    row.map((text, column) => (column === row.length - 1 ? text : truncateEnd(text, widths[column] ?? 0))),
  );
  return inColumns(fitted, columns).map((lines) => `${lines.join('\n')}\n`);
}

/** The width of each column of a table. */
export function widthsOf(rows: readonly (readonly string[])[]): number[] {
  const widths: number[] = [];
  for (const row of rows) {
    for (const [column, text] of row.entries()) widths[column] = Math.max(widths[column] ?? 0, widthOf(text));
  }
  return widths;
}

/** The least width of a column that is cut before others. */
const LEAST = 3;

/**
 * Cuts the widths of columns to fit into a line of `columns`: those of `first` in their order, and then the widest, of
 * equal ones the last, because the first names the row.
 */
export function fitWidths(widths: number[], columns: number, first: readonly number[] = []): void {
  let excess = widths.reduce((sum, width) => sum + width + 2, -2) - columns;
  for (const column of first) {
    const width = widths[column] ?? 0;
    const cut = Math.max(0, Math.min(excess, width - LEAST));
    widths[column] = width - cut;
    excess -= cut;
  }
  for (; excess > 0; excess -= 1) {
    const widest = Math.max(...widths);
    widths[widths.lastIndexOf(widest)] = widest - 1;
  }
}

function pad(text: string, width: number): string {
  return text + ' '.repeat(width - widthOf(text));
}
