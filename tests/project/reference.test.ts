import assert from 'node:assert/strict';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import * as v from 'valibot';
import { EXIT_CODES } from '../../src/cli/command_line/help/help_layout.ts';
import { topicText } from '../../src/cli/command_line/help/topics.ts';
import { EXIT } from '../../src/cli/output/io.ts';
import { ROOT } from '../support/cli.ts';
import { findingItems } from '../support/tables/finding_codes.ts';
import { FIELD_TABLES, flagItems, withFieldTable, withList } from '../support/tables/field_tables.ts';

const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8');
const COMMAND_LINE = read('docs/reference/command-line.md');

/** The text below a heading, up to the next one of its level. */
function sectionOf(markdown: string, heading: string): string {
  return markdown.split(`\n## ${heading}\n`)[1]?.split('\n## ')[0] ?? '';
}

/** The names and the text of each item of a list. */
function itemsOf(section: string): readonly (readonly [names: readonly string[], text: string])[] {
  return [...section.matchAll(/^- ((?:`[^`]+`(?:, )?)+): (.*)$/gm)].map(([, names = '', text = '']) => [
    [...names.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name),
    text,
  ]);
}

const SOURCES = ['src', 'packages/postgres/src'].flatMap((directory) =>
  readdirSync(join(ROOT, directory), { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.ts'))
    .map((path) => read(join(directory, path))),
);

test('the documents have one list of all environment variables that the sources read or set', () => {
  const pattern = /\benv\??\.?\[?'([A-Z][A-Z\d_]*)'\]|'(XDG_[A-Z_]+|CLI_[A-Z\d_]+|CI|BASH_ENV|BASHOPTS|SHELLOPTS)'/g;
  const used = SOURCES.flatMap((text) => [...text.matchAll(pattern)].map(([, one, other]) => one ?? other ?? ''));
  // A variable of go-task, in its files.
  const expected = [...new Set(used)].filter((name) => name !== 'CLI_ARGS');
  const documented = itemsOf(sectionOf(read('docs/embedding.md'), 'Environment variables')).flatMap(([names]) =>
    names.map((name) => name.replace(/<.*/, '')),
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
  const rows = [...sectionOf(COMMAND_LINE, 'Exit codes').matchAll(/^\| (\d+|by signal) /gm)].map(([, code]) => code);
  assert.deepEqual(rows, [...codes, 'by signal']);
  const inHelp = [...EXIT_CODES.matchAll(/^ {2}(\d+)/gm)].map(([, code]) => code);
  assert.deepEqual(inHelp, codes);
});

test('the list of flags has the commands and the help of the command line', () => {
  const expected = withList(COMMAND_LINE, '## Flags', flagItems());
  if (process.env['UPDATE_DOCS'] === '1') writeFileSync(join(ROOT, 'docs/reference/command-line.md'), expected);
  assert.equal(COMMAND_LINE, expected, 'To write the list: npm run docs');
});

test('the list of codes of findings has every code', () => {
  const path = 'docs/reference/diagnostics.md';
  const expected = withList(read(path), '## Codes', findingItems());
  if (process.env['UPDATE_DOCS'] === '1') writeFileSync(join(ROOT, path), expected);
  assert.equal(read(path), expected, 'To write the list: npm run docs');
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

test('the pages to which the list of schemas links describe every field of the documents', () => {
  const items = itemsOf(sectionOf(read('docs/reference/documents.md'), 'Schemas'));
  const missing = items.flatMap(([[path = ''], text]) => {
    const [, link = ''] = /\]\(([^#)]*)/.exec(text) ?? [];
    const pages = [link === '' ? 'documents.md' : link, 'documents.md', ...(ALSO[path] ?? [])];
    const code = pages.flatMap((page) => read(join('docs/reference', page)).match(/`[^`\n]+`|"\w+":/g) ?? []);
    const words = new Set(code.join(' ').match(/\w+/g));
    const fields = new Set(fieldsIn(JSON.parse(read(path))));
    return [...fields].filter((field) => !words.has(field)).map((field) => `${path} ${field}`);
  });
  assert.deepEqual(missing, []);
});

test('the lists of reports have the fields and the statuses of the schema', () => {
  const Property = v.object({ enum: v.optional(v.array(v.string())) });
  const Ops = v.object({ items: v.object({ properties: v.record(v.string(), Property) }) });
  const Schema = v.object({ properties: v.object({ ops: Ops }) });
  const { properties } = v.parse(Schema, JSON.parse(read('schemas/report.json'))).properties.ops.items;
  const names = itemsOf(sectionOf(read('docs/reference/reports.md'), 'Fields')).map(([own]) => own);
  const fields = names.flatMap(([first = '', ...others]) =>
    first.startsWith('ops[].') ? [first.replace('ops[].', ''), ...others] : [],
  );
  assert.deepEqual(fields.toSorted(), Object.keys(properties).toSorted());
  const statuses = names.slice(names.findIndex(([first]) => first === 'succeeded')).flat();
  assert.deepEqual(statuses.toSorted(), properties['status']?.enum?.toSorted());
});
