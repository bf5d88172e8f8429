import { COMMANDS, type Command } from '../../../src/cli/command_line/command_table.ts';
import { shortWords } from '../../../src/cli/command_line/find_command.ts';
import {
  FLAG_NAMES,
  flagSpec,
  flagsOf,
  LETTERS,
  type Flag,
  type FlagSpec,
} from '../../../src/cli/command_line/flags.ts';
import { FILE_DOCS, STEP_DOCS, WORKFLOW_DOCS } from '../../../src/frontend/schema/field_docs.ts';
import type { FieldDoc } from '../../../src/frontend/schema/field_help.ts';
import { inlineJson } from '../../../src/frontend/schema/field_help.ts';
import { INCLUDE_DOCS, INPUT_DOCS } from '../../../src/frontend/schema/object_docs.ts';
import {
  FileFields,
  IncludeFields,
  InputFields,
  WorkflowFields,
  type ObjectShape,
} from '../../../src/frontend/schema/schema.ts';
import { StepFields } from '../../../src/frontend/schema/step_fields.ts';

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
    links: {
      ...SHARED,
      ...OWN_HOOKS,
      agents: '#agents',
      aliases: NAMES,
      inputs: 'inputs.md',
      lock: '#locks',
      steps: '#steps',
    },
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
      sources: 'up-to-date.md',
      generates: 'up-to-date.md',
      outputs: 'outputs.md',
      retry: 'failures.md#retries',
      timeout: 'failures.md#timeouts',
      allow_failure: 'failures.md#allowed-failures',
      on_crash: 'resuming.md#steps-in-flight',
      on_resume: 'resuming.md#steps-that-run-again',
      background: '#steps-in-the-background',
      ready: '#steps-in-the-background',
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
  return withTable(markdown, table.heading, fieldRows(table));
}

/** A page with the first list below a heading replaced. */
export function withList(markdown: string, title: string, items: readonly string[]): string {
  return withBlock(markdown, title, '- ', items);
}

/** A page with the first table below a heading replaced. The first row contains the titles of the columns. */
function withTable(markdown: string, title: string, rows: readonly (readonly string[])[]): string {
  return withBlock(markdown, title, '| ', tableLines(rows));
}

/** A page with the first lines below a heading replaced that begin in the same way. */
function withBlock(markdown: string, title: string, begin: string, block: readonly string[]): string {
  const lines = markdown.split('\n');
  const heading = lines.indexOf(title);
  const start = lines.findIndex((line, index) => index > heading && line.startsWith(begin));
  const end = lines.findIndex((line, index) => index > start && !line.startsWith(begin));
  if (heading === -1 || start === -1) throw new Error(`no lines '${begin}' below ${title}`);
  return [...lines.slice(0, start), ...block, ...lines.slice(end)].join('\n');
}

function tableLines(all: readonly (readonly string[])[]): string[] {
  const [first = [], ...rest] = all;
  const widths = first.map((_, column) => Math.max(...all.map((row) => row[column]?.length ?? 0)));
  const lineOf = (cells: readonly string[]): string =>
    `| ${cells.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(' | ')} |`;
  return [lineOf(first), lineOf(widths.map((width) => '-'.repeat(width))), ...rest.map(lineOf)];
}

function fieldRows({ shape, docs, links }: FieldTable): string[][] {
  const rows = Object.entries(shape.entries).map(([name, { type }]) => {
    const doc = docs[name];
    if (doc === undefined) throw new Error(`no help on ${name}`);
    const link = links[name];
    const field = link === undefined ? `\`${name}\`` : `[\`${name}\`](${link})`;
    const examples = doc.examples.slice(0, 2).map((example) => `\`${inlineJson(example)}\``);
    const isRequired = type !== 'optional';
    const place = isRequired ? 0 : name.startsWith('$') ? 2 : 1;
    return { place, cells: [field, examples.join(' or '), describe(doc, isRequired, link !== undefined)] };
  });
  const ordered = rows.toSorted((one, other) => one.place - other.place).map(({ cells }) => cells);
  return [['Field', 'Example', 'Description'], ...ordered];
}

/** The description of a field, with its default. Of a field with a section, the first sentence is enough. */
function describe({ description, default: preset }: FieldDoc, isRequired: boolean, hasSection: boolean): string {
  const shown = hasSection ? description.replace(/(?<=\.) .*$/s, '') : description;
  const text =
    preset === undefined || /\bdefault/i.test(shown) ? shown : `${shown} Default: \`${JSON.stringify(preset)}\`.`;
  return isRequired ? `Required. ${text}` : text;
}

/** The sections about flags, seen from docs/reference. */
const FLAG_LINKS: Readonly<Partial<Record<Flag, string>>> = {
  file: '#finding-the-file',
  report: 'reports.md',
  events: 'reports.md#events',
  output: 'command-line.md#for-coding-agents',
  logs: 'resuming.md#logs',
  'no-logs': 'resuming.md#logs',
  raw: 'resuming.md#logs',
  web: '../page.md#the-page-of-one-run',
  'no-journal': 'resuming.md#records',
  from: 'resuming.md#parts-of-a-workflow',
  until: 'resuming.md#parts-of-a-workflow',
  only: 'resuming.md#parts-of-a-workflow',
  force: 'up-to-date.md',
  'no-wait': 'files.md#locks',
  trust: 'resuming.md#foreign-records',
  changed: 'resuming.md#edited-files',
  'on-crash': 'resuming.md#steps-in-flight',
  done: 'resuming.md#edited-files',
  rerun: 'resuming.md#edited-files',
  orphans: 'resuming.md#steps-in-flight',
  assume: 'plans.md#simulation',
  on: '../scaling.md',
  to: 'plans.md#comparison',
  check: 'plans.md#plan-files',
  digest: 'plans.md#digests',
  'plan-digest': 'plans.md#digests',
  'report-lines': 'reports.md#output-of-steps',
  port: '../page.md',
  watch: 'execution.md#watching',
  yes: 'files.md#questions',
  strict: 'diagnostics.md#warnings',
  portable: 'diagnostics.md#bash-32',
  'no-ci': '../ci.md',
};

/** The items of all flags: their arguments and their help. A flag has an item for each of its meanings, with its commands. */
export function flagItems(): string[] {
  return FLAG_NAMES.flatMap((flag) => {
    const commands = COMMANDS.filter((command) => flagsOf(command).includes(flag));
    if (commands.length === 0) return [itemOf(flag, flagSpec(flag, undefined))];
    const meanings = new Set(commands.map((command) => flagSpec(flag, command)));
    return [...meanings].map((spec) => {
      const users = commands.filter((command) => flagSpec(flag, command) === spec);
      return itemOf(flag, spec, meanings.size === 1 ? [] : users);
    });
  });
}

function itemOf(flag: Flag, spec: FlagSpec, users: readonly Command[] = []): string {
  const [letter] = Object.entries(LETTERS).find(([, name]) => name === flag) ?? [];
  const values = spec.values?.join('|') ?? spec.takes;
  const name = `\`--${flag}${spec.takes === 'nothing' ? '' : ` <${values}>`}\``;
  const link = flagSpec(flag, undefined) === spec ? FLAG_LINKS[flag] : undefined;
  const names = `${link === undefined ? name : `[${name}](${link})`}${letter === undefined ? '' : `, \`-${letter}\``}`;
  const describe = spec.describe.replaceAll(/'([^']+)'/g, '`$1`').replaceAll('*', '\\*');
  const commands = users.map((command) => `\`${shortWords(command)}\``).join(', ');
  return `- ${names}: ${commands === '' ? '' : `(${commands}) `}${describe}`;
}
