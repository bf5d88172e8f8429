import type { Workflow } from '../../frontend/ast.ts';
import { isSecret } from '../../ir/secret_names.ts';
import { inputEntry, inputLines, type InputEntry } from '../../ir/views/describe_input.ts';
import { inColumns } from './columns.ts';
import { escapeForTerminal } from './escape.ts';
import type { Io } from './io.ts';
import { createPainter, type Rules } from './paint.ts';
import { terminalColumns } from './terminal.ts';
import { wrapLine } from './text_width.ts';

/** A workflow in the document of `list`. */
export type ListEntry = Readonly<{ name: string; description: string; private: boolean; step_count: number }> &
  Readonly<{ aliases: readonly string[] | undefined; inputs: readonly InputEntry[] | undefined }> &
  Pick<Workflow, 'logs' | 'agents'>;

export function listEntry([name, workflow]: NamedWorkflow): ListEntry {
  const { description, private: isPrivate, steps, inputs, logs, agents } = workflow;
  const aliases = workflow.aliases.length === 0 ? undefined : workflow.aliases;
  const declared = inputs === null || inputs.length === 0 ? undefined : inputs.map(inputEntry);
  return { name, description, private: isPrivate, step_count: steps.length, aliases, inputs: declared, logs, agents };
}

type NamedWorkflow = readonly [name: string, workflow: Workflow];

/** The colours of a table: names, and the parentheses before a description. */
const TABLE_RULES: Rules = [
  [/(?<= {2})\((?:private|default|alias)[^()]*\)/, 'faint'],
  [/^(?: *\d+ {2})?\S+(?: \S+)*/, 'bold'],
];

/**
 * Workflows in columns, as escaped lines. If the descriptor is a terminal, it determines the width and the colours. A
 * long name gets its own line, and a long description is wrapped. The inputs follow. `preset` is the default workflow.
 * `isNumbered`: the names have numbers before them.
 */
export function workflowTable(
  io: Io,
  descriptor: number,
  workflows: readonly NamedWorkflow[],
  preset: string | undefined,
  isNumbered = false,
): string[] {
  const columns = terminalColumns(descriptor) ?? Infinity;
  const painter = createPainter(io, descriptor, TABLE_RULES) ?? ((line: string) => line);
  const digits = String(workflows.length).length;
  const rows = workflows.map(([name, { description, private: isPrivate, aliases, steps }], index) => [
    `${isNumbered ? `${String(index + 1).padStart(digits)}  ` : ''}${escapeForTerminal(name)}`,
    `${steps.length} step${steps.length === 1 ? '' : 's'}`,
    escapeForTerminal([marksOf(isPrivate, name === preset, aliases), description].join(' ').trimStart()),
  ]);
  return inColumns(rows, columns).flatMap((lines, index) => {
    const below = inputLines(workflows[index]?.[1].inputs ?? [], isSecret).map(escapeForTerminal);
    const rest = below.flatMap((line) => wrapLine(line, columns));
    return [...lines, ...rest].map((line) => `${painter(line)}\n`);
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
