import type { Imported, ImportedStep, ImportedWorkflow } from './imported.ts';
import { schemaLine } from './starter_file.ts';

const REQUIRED = new Map([['required', true]]);

/** The text of a workflow file. Written as text, because an object would move names such as `10` to the front. */
export function renderImported(imported: Imported, schema: string | undefined): string {
  const { default: first, dotenv = [], env, workflows } = imported;
  const fields = [
    ...field('default', workflows.find(({ name }) => name === first)?.name),
    ...field('env', env),
    ...field('dotenv', dotenv),
  ];
  return `{${schemaLine(schema)}${fields.map((each) => `\n  ${each},`).join('')}
  "workflows": {${block(workflows.map(renderWorkflow), 4)}}
}
`;
}

function renderWorkflow({ name, steps, ...fields }: ImportedWorkflow): string {
  const lines = [
    ...field('description', fields.description),
    ...field('x-comment', fields.comment),
    ...field('private', fields.private),
    ...field('once', fields.once),
    ...field('aliases', fields.aliases),
    ...field('inputs', new Map(fields.required?.map((input) => [input, REQUIRED]))),
    ...field('env', fields.env),
    ...field('dir', fields.dir),
    `"steps": [${block(steps.map(renderStep), 8)}]`,
  ];
  return `${JSON.stringify(name)}: {${block(lines, 6)}}`;
}

function renderStep(step: ImportedStep): string {
  if ('parallel' in step) return `{ "parallel": [${step.parallel.map(renderStep).join(', ')}] }`;
  const fields = Object.entries(step).filter(([name]) => name !== 'once');
  return 'run' in step && fields.length === 1 ? inline(step.run) : inline(new Map(fields));
}

/** A field on a line of its own; none without a value. */
function field(name: string, value: unknown): string[] {
  const isEmpty = Array.isArray(value) ? value.length === 0 : value instanceof Map && value.size === 0;
  return value === undefined || value === false || isEmpty ? [] : [`"${name}": ${inline(value)}`];
}

/** A value on one line. */
function inline(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(inline).join(', ')}]`;
  if (!(value instanceof Map)) return JSON.stringify(value);
  const members = [...value].map(([key, member]) => `${JSON.stringify(key)}: ${inline(member)}`);
  return members.length === 0 ? '{}' : `{ ${members.join(', ')} }`;
}

/** Items on separate lines, with the closing bracket. */
function block(items: readonly string[], indent: number): string {
  if (items.length === 0) return '';
  const space = ' '.repeat(indent);
  return `\n${items.map((item) => `${space}${item}`).join(',\n')}\n${' '.repeat(indent - 2)}`;
}
