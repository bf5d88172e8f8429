import { print, printDocument } from '../output/document.ts';
import { escapeForTerminal } from '../output/escape.ts';
import { widthOf, wrap } from '../output/text_width.ts';
import type { Options } from '../command_line/parse.ts';
import { EXIT, type Io } from '../output/io.ts';
import { createPainter, type Rules } from '../output/paint.ts';
import { load, printDiagnostics } from '../driver/load.ts';
import { terminalColumns } from '../output/terminal_width.ts';

type ListEntry = Readonly<{ name: string; description: string; private: boolean; step_count: number }>;

/** `workflow list`: the workflows in file order. The calls between them need not be valid. */
export async function list(io: Io, options: Options): Promise<number> {
  const loaded = await load(io, options.file);
  if (loaded?.file === undefined) {
    if (loaded !== undefined) await printDiagnostics(io, options, loaded);
    return EXIT.cannotStart;
  }
  const entries = [...loaded.file.workflows]
    .filter(([, workflow]) => options.switches.has('all') || !workflow.private)
    .map(([name, { description, private: isPrivate, steps }]) => {
      return { name, description, private: isPrivate, step_count: steps.length };
    });
  if (options.values.get('format') === 'table')
    return print(io, table(io, entries, terminalColumns(io.stdout) ?? Infinity), EXIT.ok);
  return printDocument(io, entries, options, EXIT.ok);
}

/** The fewest columns of a description. A name gets at most half of the terminal. */
const MIN_DESCRIPTION = 20;

/** The colours of a table: names, and private workflows. */
const TABLE_RULES: Rules = [
  [/(?<= {2})\(private\)/, 'faint'],
  [/^\S+(?: \S+)*/, 'bold'],
];

/** The entries in columns. A long name gets a line of its own; a long description is wrapped. */
function table(io: Io, entries: readonly ListEntry[], columns: number): string[] {
  const rows = entries.map(({ name, description, private: isPrivate, step_count: steps }) => ({
    name: escapeForTerminal(name),
    count: `${steps} step${steps === 1 ? '' : 's'}`,
    about: escapeForTerminal([isPrivate ? '(private)' : '', description].filter((text) => text !== '').join(' ')),
  }));
  const painter = createPainter(io, io.stdout, TABLE_RULES) ?? ((line: string) => line);
  const fits = (name: string): boolean => widthOf(name) <= columns / 2;
  const names = Math.max(0, ...rows.map(({ name }) => (fits(name) ? widthOf(name) : 0)));
  const counts = Math.max(0, ...rows.map(({ count }) => count.length));
  const indent = ' '.repeat(names + counts + 4);
  return rows.flatMap(({ name, count, about }) => {
    const [first = '', ...more] = wrap(about, Math.max(columns - indent.length, MIN_DESCRIPTION));
    const [above, start] = fits(name) ? [[], pad(name, names)] : [[name], ' '.repeat(names)];
    const lines = [...above, `${start}  ${count.padEnd(counts)}  ${first}`, ...more.map((line) => indent + line)];
    return lines.map((line) => `${painter(line.trimEnd())}\n`);
  });
}

function pad(text: string, width: number): string {
  return text + ' '.repeat(width - widthOf(text));
}
