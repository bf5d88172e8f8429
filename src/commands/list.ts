import { print, printDocument } from '../output/document.ts';
import { escapeForTerminal } from '../output/escape.ts';
import { widthOf, wrap } from '../output/text_width.ts';
import type { Options } from '../command_line/parse.ts';
import { EXIT, type Io } from '../output/io.ts';
import { load, printDiagnostics } from '../driver/load.ts';
import { terminalColumns } from '../output/terminal_width.ts';

type Entry = Readonly<{ name: string; description: string; private: boolean; step_count: number }>;

/** `workflow list`: the file's workflows in file order. Needs well-formed ones, not sound calls. */
export async function list(io: Io, options: Options): Promise<number> {
  const loaded = await load(io, options.file);
  if (loaded?.file === undefined) {
    if (loaded !== undefined) await printDiagnostics(io, loaded);
    return EXIT.cannotStart;
  }
  const entries = [...loaded.file.workflows]
    .filter(([, workflow]) => options.switches.has('all') || !workflow.private)
    .map(([name, { description, private: isPrivate, steps }]) => {
      return { name, description, private: isPrivate, step_count: steps.length };
    });
  if (options.values.get('format') === 'table')
    return print(io, table(entries, terminalColumns(io.stdout) ?? Infinity), EXIT.ok);
  return printDocument(io, entries, options, EXIT.ok);
}

/** A description gets at least so many columns of a terminal, and a name at most half of them all. */
const NARROWEST = 20;

/** The entries as columns for people: no wider than a terminal, with one below the other what is too long for a line. */
function table(entries: readonly Entry[], columns: number): string[] {
  const rows = entries.map(({ name, description, private: isPrivate, step_count: steps }) => ({
    name: escapeForTerminal(name),
    count: `${steps} step${steps === 1 ? '' : 's'}`,
    about: escapeForTerminal([isPrivate ? '(private)' : '', description].filter((text) => text !== '').join(' ')),
  }));
  const fits = (name: string): boolean => widthOf(name) <= columns / 2;
  const names = Math.max(0, ...rows.map(({ name }) => (fits(name) ? widthOf(name) : 0)));
  const counts = Math.max(0, ...rows.map(({ count }) => count.length));
  const indent = ' '.repeat(names + counts + 4);
  return rows.flatMap(({ name, count, about }) => {
    const [first = '', ...more] = wrap(about, Math.max(columns - indent.length, NARROWEST));
    const [above, start] = fits(name) ? [[], pad(name, names)] : [[name], ' '.repeat(names)];
    const lines = [...above, `${start}  ${count.padEnd(counts)}  ${first}`, ...more.map((line) => indent + line)];
    return lines.map((line) => `${line.trimEnd()}\n`);
  });
}

function pad(text: string, width: number): string {
  return text + ' '.repeat(width - widthOf(text));
}
