import type { Workflow } from '../frontend/ast.ts';
import { isSecret } from '../ir/mask.ts';
import { inputEntry, inputLines, type InputEntry } from '../ir/views/describe_input.ts';
import { escapeForTerminal } from './escape.ts';
import type { Io } from './io.ts';
import { createPainter, type Rules } from './paint.ts';
import { terminalColumns } from './terminal_width.ts';
import { widthOf, wrap } from './text_width.ts';

/** A workflow in the document of `list`. */
type ListEntry = Readonly<{ name: string; description: string; private: boolean; step_count: number }> &
  Readonly<{ inputs: readonly InputEntry[] | undefined }>;

export function listEntry([name, { description, private: isPrivate, steps, inputs }]: NamedWorkflow): ListEntry {
  const declared = inputs === null || inputs.length === 0 ? undefined : inputs.map(inputEntry);
  return { name, description, private: isPrivate, step_count: steps.length, inputs: declared };
}

type NamedWorkflow = readonly [name: string, workflow: Workflow];

/** The fewest columns of a description. A name gets at most half of the terminal. */
const MIN_DESCRIPTION = 20;

/** The colours of a table: names, and private workflows. */
const TABLE_RULES: Rules = [
  [/(?<= {2})\(private\)/, 'faint'],
  [/^\S+(?: \S+)*/, 'bold'],
];

/**
 * Workflows in columns, escaped and with line breaks; a descriptor of a terminal gives their width and colours. A long
 * name gets a line of its own; a long description is wrapped. The inputs stand below.
 */
export function workflowTable(io: Io, descriptor: number, workflows: readonly NamedWorkflow[]): string[] {
  const columns = terminalColumns(descriptor) ?? Infinity;
  const painter = createPainter(io, descriptor, TABLE_RULES) ?? ((line: string) => line);
  const rows = workflows.map(
    ([
      name,
      {
        description,
        private: isPrivate,
        steps: { length: steps },
        inputs,
      },
    ]) => ({
      below: inputLines(inputs ?? [], isSecret).map(escapeForTerminal),
      name: escapeForTerminal(name),
      count: `${steps} step${steps === 1 ? '' : 's'}`,
      about: escapeForTerminal([isPrivate ? '(private)' : '', description].filter((text) => text !== '').join(' ')),
    }),
  );
  const fits = (name: string): boolean => widthOf(name) <= columns / 2;
  const names = Math.max(0, ...rows.map(({ name }) => (fits(name) ? widthOf(name) : 0)));
  const counts = Math.max(0, ...rows.map(({ count }) => count.length));
  const indent = ' '.repeat(names + counts + 4);
  return rows.flatMap(({ name, count, about, below }) => {
    const [first = '', ...more] = wrap(about, Math.max(columns - indent.length, MIN_DESCRIPTION));
    const [above, start] = fits(name) ? [[], pad(name, names)] : [[name], ' '.repeat(names)];
    const lines = [
      ...above,
      `${start}  ${count.padEnd(counts)}  ${first}`,
      ...more.map((line) => indent + line),
      ...below,
    ];
    return lines.map((line) => `${painter(line.trimEnd())}\n`);
  });
}

function pad(text: string, width: number): string {
  return text + ' '.repeat(width - widthOf(text));
}
