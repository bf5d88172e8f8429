import { print, printDocument } from './document.ts';
import { escapeForTerminal } from './escape.ts';
import { EXIT, type Io, type Options } from './io.ts';
import { load, sayFindings } from './load.ts';

type Entry = Readonly<{ name: string; description: string; private: boolean; step_count: number }>;

/** `workflow list`: the file's workflows in file order. Needs well-formed ones, not sound calls. */
export async function list(io: Io, options: Options): Promise<number> {
  const loaded = await load(io, options.file);
  if (loaded?.file === undefined) {
    if (loaded !== undefined) await sayFindings(io, loaded);
    return EXIT.cannotStart;
  }
  const entries = [...loaded.file.workflows]
    .filter(([, workflow]) => options.switches.has('all') || !workflow.private)
    .map(([name, { description, private: isPrivate, steps }]) => {
      return { name, description, private: isPrivate, step_count: steps.length };
    });
  if (options.values.get('format') === 'table') return print(io, table(entries), EXIT.ok);
  return printDocument(io, entries, options, EXIT.ok);
}

/** The entries as columns for people. */
function table(entries: readonly Entry[]): string[] {
  const rows = entries.map(({ name, description, private: isPrivate, step_count: steps }) => {
    const about = [isPrivate ? '(private)' : '', description].filter((text) => text !== '').join(' ');
    return [name, `${steps} step${steps === 1 ? '' : 's'}`, about].map(escapeForTerminal);
  });
  const widths = [0, 1].map((column) => Math.max(0, ...rows.map((row) => row[column]?.length ?? 0)));
  return rows.map(
    (row) =>
      `${row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd()}\n`,
  );
}
