import type { Imported, ImportedStep, ImportedWorkflow } from './imported.ts';
import { schemaLine } from './starter_file.ts';

const REQUIRED = new Map([['required', true]]);

/** The text of a workflow file. Written as text, because an object would move names such as `10` to the front. */
export function renderImported(imported: Imported, schema: string | undefined): string {
  const { default: first, dotenv = [], env, workflows } = imported;
  const fields = [
    ...(workflows.some(({ name }) => name === first) ? [`"default": ${inline(first)}`] : []),
    ...(env.size === 0 ? [] : [`"env": ${inline(env)}`]),
    ...(dotenv.length === 0 ? [] : [`"dotenv": ${inline(dotenv)}`]),
  ];
  return `{${schemaLine(schema)}${fields.map((field) => `\n  ${field},`).join('')}
  "workflows": {${block(workflows.map(renderWorkflow), 4)}}
}
`;
}

function renderWorkflow({ name, steps, ...fields }: ImportedWorkflow): string {
  const lines = [
    ...(fields.description === undefined ? [] : [`"description": ${inline(fields.description)}`]),
    ...(fields.comment === undefined ? [] : [`"x-comment": ${inline(fields.comment)}`]),
    ...(fields.private === true ? ['"private": true'] : []),
    ...(fields.once === true ? ['"once": true'] : []),
    ...(fields.aliases === undefined || fields.aliases.length === 0 ? [] : [`"aliases": ${inline(fields.aliases)}`]),
    ...(fields.required === undefined || fields.required.length === 0
      ? []
      : [`"inputs": ${inline(new Map(fields.required.map((input) => [input, REQUIRED])))}`]),
    ...(fields.env === undefined || fields.env.size === 0 ? [] : [`"env": ${inline(fields.env)}`]),
    ...(fields.dir === undefined ? [] : [`"dir": ${inline(fields.dir)}`]),
    `"steps": [${block(steps.map(renderStep), 8)}]`,
  ];
  return `${JSON.stringify(name)}: {${block(lines, 6)}}`;
}

function renderStep(step: ImportedStep): string {
  if ('parallel' in step) return `{ "parallel": [${step.parallel.map(renderStep).join(', ')}] }`;
  const fields = Object.entries(step).filter(([name]) => name !== 'once');
  return 'run' in step && fields.length === 1 ? inline(step.run) : inline(new Map(fields));
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
