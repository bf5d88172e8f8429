import type { Workflow } from '../frontend/ast.ts';
import { isSecret } from '../ir/secrets.ts';
import { inputEntry, inputLines, type InputEntry } from '../ir/views/describe_input.ts';
import { escapeForTerminal } from './escape.ts';
import type { Io } from './io.ts';
import { createPainter, type Rules } from './paint.ts';
import { terminalColumns } from './terminal_width.ts';
import { widthOf, wrap } from './text_width.ts';

/** A workflow in the document of `list`. */
type ListEntry = Readonly<{ name: string; description: string; private: boolean; step_count: number }> &
  Readonly<{ aliases: readonly string[] | undefined; inputs: readonly InputEntry[] | undefined }>;

export function listEntry([name, workflow]: NamedWorkflow): ListEntry {
  const { description, private: isPrivate, steps, inputs } = workflow;
  const aliases = workflow.aliases.length === 0 ? undefined : workflow.aliases;
  const declared = inputs === null || inputs.length === 0 ? undefined : inputs.map(inputEntry);
  return { name, description, private: isPrivate, step_count: steps.length, aliases, inputs: declared };
}

type NamedWorkflow = readonly [name: string, workflow: Workflow];

/** The minimum width of a description. A name takes at most half of the terminal's width. */
const MIN_DESCRIPTION = 20;

/** The colours of a table: names, and the parentheses before a description. */
const TABLE_RULES: Rules = [
  [/(?<= {2})\((?:private|default|alias)[^()]*\)/, 'faint'],
  [/^\S+(?: \S+)*/, 'bold'],
];

/**
 * Workflows in columns, as escaped lines. If the descriptor is a terminal, it determines the width and the colours. A
 * long name gets its own line, and a long description is wrapped. The inputs follow. `preset` is the default workflow.
 */
export function workflowTable(
  io: Io,
  descriptor: number,
  workflows: readonly NamedWorkflow[],
  preset: string | undefined,
): string[] {
  const columns = terminalColumns(descriptor) ?? Infinity;
  const painter = createPainter(io, descriptor, TABLE_RULES) ?? ((line: string) => line);
  const rows = workflows.map(
    ([
      name,
      {
        description,
        private: isPrivate,
        aliases,
        steps: { length: steps },
        inputs,
      },
    ]) => ({
      below: inputLines(inputs ?? [], isSecret).map(escapeForTerminal),
      name: escapeForTerminal(name),
      count: `${steps} step${steps === 1 ? '' : 's'}`,
      about: escapeForTerminal([marksOf(isPrivate, name === preset, aliases), description].join(' ').trimStart()),
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

/** The parentheses before a description: `(private, aliases b, r)`. */
function marksOf(isPrivate: boolean, isDefault: boolean, aliases: readonly string[]): string {
  const marks = [
    ...(isPrivate ? ['private'] : []),
    ...(isDefault ? ['default'] : []),
    ...(aliases.length === 0 ? [] : [`alias${aliases.length === 1 ? '' : 'es'} ${aliases.join(', ')}`]),
  ];
  return marks.length === 0 ? '' : `(${marks.join(', ')})`;
}

function pad(text: string, width: number): string {
  return text + ' '.repeat(width - widthOf(text));
}
