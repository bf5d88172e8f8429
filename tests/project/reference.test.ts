import assert from 'node:assert/strict';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import * as v from 'valibot';
import { EXIT_CODES } from '../../src/cli/command_line/help/help_layout.ts';
import { topicText } from '../../src/cli/command_line/help/topics.ts';
import { EXIT } from '../../src/cli/output/io.ts';
import { ROOT } from '../support/cli.ts';
import { findingRows } from '../support/tables/finding_codes.ts';
import { FIELD_TABLES, flagRows, withFieldTable, withTable } from '../support/tables/field_tables.ts';

const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8');
const COMMAND_LINE = read('docs/reference/command-line.md');

/** The cells of the tables below a heading of the same level as the next one. */
function rowsBelow(markdown: string, heading: string): readonly (readonly string[])[] {
  const [, section = ''] = markdown.split(`\n## ${heading}\n`);
  const [text = ''] = section.split('\n## ');
  return text
    .split('\n')
    .filter((line) => /^\| (?!-)/.test(line))
    .map((line) => line.split(/(?<!\\)\|/).map((cell) => cell.trim()));
}

/** The names in backticks in the first column. */
const namesBelow = (markdown: string, heading: string): readonly string[] =>
  rowsBelow(markdown, heading).flatMap(([, first = '']) =>
    [...first.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name),
  );

const byText = (one: string, other: string): number => (one < other ? -1 : 1);

const SOURCES = ['src', 'packages/postgres/src'].flatMap((directory) =>
  readdirSync(join(ROOT, directory), { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.ts'))
    .map((path) => read(join(directory, path))),
);

test('the documents have one table of all environment variables that the sources read or set', () => {
  const pattern = /\benv\??\.?\[?'([A-Z][A-Z\d_]*)'\]|'(XDG_[A-Z_]+|CLI_[A-Z\d_]+|CI|BASH_ENV|BASHOPTS|SHELLOPTS)'/g;
  const used = SOURCES.flatMap((text) => [...text.matchAll(pattern)].map(([, one, other]) => one ?? other ?? ''));
  // A variable of go-task, in its files.
  const expected = [...new Set(used)].filter((name) => name !== 'CLI_ARGS');
  const documented = namesBelow(read('docs/embedding.md'), 'Environment variables').map((name) =>
    name.replace(/<.*/, ''),
  );
  const patterns = ['CLI_OUTPUT_', 'CLI_RUN_'];
  assert.deepEqual(documented.toSorted(), [...expected, ...patterns].toSorted());
});

test('SKILL.md has the text of cli help file', () => {
  const [before = ''] = read('SKILL.md').split('\n## The file\n');
  const expected = `${before}\n## The file\n\n\`\`\`text\n${topicText('file', 80)}\n\`\`\`\n`;
  if (process.env['UPDATE_DOCS'] === '1') writeFileSync(join(ROOT, 'SKILL.md'), expected);
  assert.equal(read('SKILL.md'), expected, 'To write it: npm run docs');
});

test('the reference and the help list all exit codes', () => {
  const [, temporary = ''] = /TEMPORARY_FAILURE = (\d+)/.exec(read('packages/postgres/src/client/follow.ts')) ?? [];
  const codes = [...Object.values(EXIT).map(String), temporary].toSorted((one, other) => Number(one) - Number(other));
  const [, ...rows] = rowsBelow(COMMAND_LINE, 'Exit codes').map(([, code]) => code);
  assert.deepEqual(rows, [...codes, 'by signal']);
  const inHelp = [...EXIT_CODES.matchAll(/^ {2}(\d+)/gm)].map(([, code]) => code);
  assert.deepEqual(inHelp, codes);
});

test('the table of flags has the commands and the help of the command line', () => {
  const expected = withTable(COMMAND_LINE, '## Flags', flagRows());
  if (process.env['UPDATE_DOCS'] === '1') writeFileSync(join(ROOT, 'docs/reference/command-line.md'), expected);
  assert.equal(COMMAND_LINE, expected, 'To write the table: npm run docs');
});

test('the table of codes of findings has every code', () => {
  const path = 'docs/reference/diagnostics.md';
  const expected = withTable(read(path), '## Codes', findingRows());
  if (process.env['UPDATE_DOCS'] === '1') writeFileSync(join(ROOT, path), expected);
  assert.equal(read(path), expected, 'To write the table: npm run docs');
});

for (const page of new Set(FIELD_TABLES.map((table) => table.page))) {
  test(`the tables of fields in ${page}.md have the descriptions of the schema`, () => {
    const path = `docs/reference/${page}.md`;
    const tables = FIELD_TABLES.filter((table) => table.page === page);
    const expected = tables.reduce(withFieldTable, read(path));
    if (process.env['UPDATE_DOCS'] === '1') writeFileSync(join(ROOT, path), expected);
    assert.equal(read(path), expected, 'To write the tables: npm run docs');
  });
}

/** Pages that describe a part of a document, or fields that it has in common with another one. */
const ALSO: Readonly<Record<string, readonly string[]>> = {
  'schemas/dry-run.json': ['files.md'],
  'schemas/list.json': ['inputs.md'],
  'schemas/runs-list.json': ['../scaling.md'],
  'schemas/remote-runs-show.json': ['resuming.md'],
};

/** The names of the properties in a schema, at all levels. */
function* fieldsIn(schema: unknown): Generator<string> {
  if (typeof schema !== 'object' || schema === null) return;
  if ('properties' in schema && typeof schema.properties === 'object') yield* Object.keys(schema.properties ?? {});
  for (const value of Object.values(schema)) yield* fieldsIn(value);
}

test('the pages to which the table of schemas links describe every field of the documents', () => {
  const rows = rowsBelow(read('docs/reference/documents.md'), 'Schemas').slice(1);
  const missing = rows.flatMap(([, schema = '', text = '']) => {
    const path = schema.replaceAll('`', '');
    const [, link = ''] = /\]\(([^#)]*)/.exec(text) ?? [];
    const pages = [link === '' ? 'documents.md' : link, 'documents.md', ...(ALSO[path] ?? [])];
    const code = pages.flatMap((page) => read(join('docs/reference', page)).match(/`[^`\n]+`|"\w+":/g) ?? []);
    const words = new Set(code.join(' ').match(/\w+/g));
    const fields = new Set(fieldsIn(JSON.parse(read(path))));
    return [...fields].filter((field) => !words.has(field)).map((field) => `${path} ${field}`);
  });
  assert.deepEqual(missing, []);
});

test('the tables of reports have the statuses and the types of the schema', () => {
  const Property = v.object({
    type: v.optional(v.union([v.string(), v.array(v.string())]), 'string'),
    enum: v.optional(v.array(v.string())),
  });
  const Ops = v.object({ items: v.object({ properties: v.record(v.string(), Property) }) });
  const Schema = v.object({ properties: v.object({ ops: Ops }) });
  const { properties } = v.parse(Schema, JSON.parse(read('schemas/report.json'))).properties.ops.items;
  const reports = read('docs/reference/reports.md');
  const rows = reports.split('\n').flatMap((line) => {
    const [, names, types = ''] = /^\| `ops\[\]\.([^|]+)` +\| ([a-z, ]+?) +\|/.exec(line) ?? [];
    return (names?.split('`, `') ?? []).map((name) => [
      name,
      types
        .split(/, | or /)
        .toSorted()
        .join(' '),
    ]);
  });
  const expected = Object.entries(properties).map(([name, { type }]) => [
    name,
    (typeof type === 'string' ? [type] : type).toSorted(byText).join(' '),
  ]);
  assert.deepEqual(Object.fromEntries(rows), Object.fromEntries(expected));
  const [, text = ''] = reports.split(/^\| Status +\| Meaning +\|$/m);
  const [table = ''] = text.split('\n\n');
  const cells = [...table.matchAll(/^\|([^|]+)\|/gm)].map(([, cell = '']) => cell);
  const statuses = cells.flatMap((cell) => [...cell.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name));
  assert.deepEqual(statuses.toSorted(), properties['status']?.enum?.toSorted());
});
