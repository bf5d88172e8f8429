import { FILE_DOCS, STEP_DOCS, WORKFLOW_DOCS, type FieldDoc } from '../../../src/frontend/schema/field_docs.ts';
import { inlineJson } from '../../../src/frontend/schema/inline_json.ts';
import { INCLUDE_DOCS, INPUT_DOCS } from '../../../src/frontend/schema/object_docs.ts';
import {
  FileFields,
  IncludeFields,
  InputFields,
  StepFields,
  WorkflowFields,
  type ObjectShape,
} from '../../../src/frontend/schema/schema.ts';

type FieldTable = Readonly<{
  page: string;
  heading: string;
  shape: ObjectShape;
  docs: Readonly<Record<string, FieldDoc>>;
  /** The sections about fields. */
  links: Readonly<Record<string, string>>;
}>;

const HOOKS = { before_all: 'hooks.md', after_all: 'hooks.md', error: 'hooks.md', finally: 'hooks.md' };
const OWN_HOOKS = { error: 'hooks.md#hooks-of-workflows', finally: 'hooks.md#hooks-of-workflows' };
const SHARED = { env: 'variables.md', dotenv: 'variables.md#dotenv-files', dir: '#directories' };
const NAMES = '#the-default-workflow-and-aliases';

/** The tables of fields in the reference, which contain the descriptions of the schema. */
export const FIELD_TABLES: readonly FieldTable[] = [
  {
    page: 'files',
    heading: '# Workflow files',
    shape: FileFields,
    docs: FILE_DOCS,
    links: {
      ...SHARED,
      ...HOOKS,
      default: NAMES,
      agents: '#agents',
      include: '#includes',
      secrets: 'secrets.md',
      workflows: '#workflows',
    },
  },
  {
    page: 'files',
    heading: '## Workflows',
    shape: WorkflowFields,
    docs: WORKFLOW_DOCS,
    links: { ...SHARED, ...OWN_HOOKS, agents: '#agents', aliases: NAMES, inputs: 'inputs.md', steps: '#steps' },
  },
  {
    page: 'files',
    heading: '## Steps',
    shape: StepFields,
    docs: STEP_DOCS,
    links: {
      ...SHARED,
      run: '#scripts',
      workflow: '#calls',
      if: 'conditions.md',
      with: 'variables.md#layers',
      matrix: '#matrix',
      outputs: 'outputs.md',
      retry: 'failures.md#retries',
      timeout: 'failures.md#timeouts',
      allow_failure: 'failures.md#allowed-failures',
      on_crash: 'resuming.md#steps-in-flight',
      confirm: '#questions',
      secrets: 'secrets.md',
      parallel: '#groups',
    },
  },
  { page: 'files', heading: '## Includes', shape: IncludeFields, docs: INCLUDE_DOCS, links: { dir: '#directories' } },
  { page: 'inputs', heading: '## Fields', shape: InputFields, docs: INPUT_DOCS, links: {} },
];

/** A page with the table of fields below a heading replaced by the one that the schema gives. */
export function withFieldTable(markdown: string, table: FieldTable): string {
  const lines = markdown.split('\n');
  const heading = lines.indexOf(table.heading);
  const start = lines.findIndex((line, index) => index > heading && line.startsWith('| '));
  const end = lines.findIndex((line, index) => index > start && !line.startsWith('| '));
  if (heading === -1 || start === -1) throw new Error(`no table below ${table.heading}`);
  return [...lines.slice(0, start), ...tableLines(table), ...lines.slice(end)].join('\n');
}

function tableLines({ shape, docs, links }: FieldTable): string[] {
  const rows = Object.entries(shape.entries).map(([name, { type }]) => {
    const doc = docs[name];
    if (doc === undefined) throw new Error(`no help on ${name}`);
    const link = links[name];
    const field = link === undefined ? `\`${name}\`` : `[\`${name}\`](${link})`;
    const examples = doc.examples.slice(0, 2).map((example) => `\`${inlineJson(example)}\``);
    const isRequired = type !== 'optional';
    const place = isRequired ? 0 : name.startsWith('$') ? 2 : 1;
    return { place, cells: [field, examples.join(' or '), describe(doc, isRequired)] };
  });
  const ordered = rows.toSorted((one, other) => one.place - other.place).map(({ cells }) => cells);
  const all = [['Field', 'Example', 'Description'], ...ordered];
  const widths = [0, 1, 2].map((column) => Math.max(...all.map((row) => row[column]?.length ?? 0)));
  const lineOf = (cells: readonly string[]): string =>
    `| ${cells.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(' | ')} |`;
  const [first = [], ...rest] = all;
  return [lineOf(first), lineOf(widths.map((width) => '-'.repeat(width))), ...rest.map(lineOf)];
}

/** The description of a field, with its default. */
function describe({ description, default: preset }: FieldDoc, isRequired: boolean): string {
  const isTold = preset === undefined || /\bdefault/i.test(description);
  const text = isTold ? description : `${description} Default: \`${JSON.stringify(preset)}\`.`;
  return isRequired ? `Required. ${text}` : text;
}
