/* The library, of which the playground shows what it returns, gives for the fixtures what `cli` prints. */
import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { test } from 'node:test';
import {
  compile,
  convert,
  diff,
  explainText,
  graph,
  link,
  list,
  parse,
  preview,
  validateText,
  type Project,
} from '../../src/api.ts';
import { casesOf, FIXTURES } from '../support/goldens/goldens.ts';

/** The text of a file of a fixture; empty if there is none. */
const textIn = (...path: readonly string[]): string => {
  const file = join(FIXTURES, ...path);
  return existsSync(file) ? readFileSync(file, 'utf8') : '';
};

/** The project of a fixture; undefined if it has more files than that of the workflows. */
function projectOf(group: string, name: string): Project | undefined {
  const entries = readdirSync(join(FIXTURES, group, name));
  const file = entries.find((entry) => entry.startsWith('workflow.'));
  assert.ok(file !== undefined);
  const bytes = readFileSync(join(FIXTURES, group, name, file));
  return entries.includes('files') ? undefined : parse(bytes, { path: file });
}

for (const group of ['invalid', 'warnings', 'realistic']) {
  test(`validateText returns what cli validate prints for fixtures/${group}`, () => {
    let compared = 0;
    for (const name of casesOf(group)) {
      const project = projectOf(group, name);
      if (project === undefined) continue;
      compared += 1;
      assert.equal(validateText(project).replace(/.*\n$/, '').toWellFormed(), textIn(group, name, 'stderr.txt'), name);
    }
    assert.ok(compared > 5, String(compared));
  });
}

/** The arguments of a fixture as parameters and assumptions; undefined for others. */
function requestOf(words: readonly string[]): { params: Record<string, string>; assume: string[] } | undefined {
  const [params, assume]: [Record<string, string>, string[]] = [{}, []];
  for (let index = 0; index < words.length; index += 1) {
    const word = words[index] ?? '';
    const [, key, value] = /^(\w+):(.*)$/.exec(word) ?? [];
    if (word === '--assume') assume.push(words[(index += 1)] ?? '');
    else if (key !== undefined && value !== undefined) params[key] = value;
    else if (word !== '--dry-run') return undefined;
  }
  return { params, assume };
}

for (const group of ['runs', 'simulations']) {
  test(`preview returns what cli run --dry-run prints for fixtures/${group}`, async () => {
    let compared = 0;
    for (const name of casesOf(group)) {
      const [workflow = '', ...words] = textIn(group, name, 'argv.txt').trimEnd().split('\n');
      const project = projectOf(group, name);
      const request = requestOf(words);
      if (group === 'runs' && !words.includes('--dry-run')) continue;
      if (project === undefined || request === undefined) continue;
      if (!list(project).some((each) => each.name === workflow)) continue;
      compared += 1;
      const { messages, dryRun, simulation, exitCode } = await preview(project, workflow, request);
      const shown = group === 'runs' ? dryRun : simulation;
      const printed = textIn(group, name, group === 'runs' ? 'stderr.txt' : 'lines.txt');
      assert.equal(messages + (shown?.text ?? ''), printed, name);
      const document = textIn(group, name, 'result.json');
      assert.deepEqual(shown?.document ?? null, document === '' ? null : JSON.parse(document), name);
      if (group === 'simulations') assert.equal(exitCode, document.includes('"success": true') ? 0 : 1, name);
    }
    assert.ok(compared >= 4, String(compared));
  });
}

test('diff returns what cli diff prints for fixtures/comparisons', async () => {
  for (const name of casesOf('comparisons')) {
    const after = projectOf('comparisons', name);
    const before = textIn('comparisons', name, 'before.json');
    if (after === undefined || textIn('comparisons', name, 'argv.txt') !== '--from\nbefore.json\n') continue;
    const found = await diff(parse(before, { path: 'before.json' }), after);
    assert.equal(found.messages + found.text, textIn('comparisons', name, 'diff.txt'), name);
    assert.deepEqual(found.document, JSON.parse(textIn('comparisons', name, 'diff.json')), name);
  }
});

test('convert returns the file that cli init --from writes for fixtures/imports', async () => {
  const names = ['Makefile', 'package.json', 'Taskfile.yml'];
  let compared = 0;
  for (const name of casesOf('imports')) {
    const source = names.find((each) => existsSync(join(FIXTURES, 'imports', name, each)));
    if (source === undefined) continue;
    const { text } = await convert(textIn('imports', name, source), basename(source));
    const expected = textIn('imports', name, 'workflow.json').replace(/^ {2}"\$schema".*\n/m, '');
    assert.equal(text, expected, name);
    compared += 1;
  }
  assert.ok(compared >= 6, String(compared));
});

test('explainText and graph return what cli explain and cli graph print for fixtures/views', () => {
  let compared = 0;
  for (const name of casesOf('views')) {
    const [workflow = '', ...words] = textIn('views', name, 'argv.txt').trimEnd().split('\n');
    const project = projectOf('views', name);
    const request = requestOf(words);
    if (project === undefined || request === undefined) continue;
    const compiled = compile(project, workflow, request);
    assert.ok(compiled.ok, name);
    for (const [format, file] of [
      ['mermaid', 'graph.mmd'],
      ['dot', 'graph.dot'],
    ] as const) {
      assert.equal(graph(compiled.plan, { format }), textIn('views', name, file), name);
    }
    const env = { STAGE: 'of the process' };
    const linked = link(compiled.plan, { env });
    assert.ok(linked.ok, name);
    assert.equal(explainText(linked.plan, { env }), textIn('views', name, 'explain.txt'), name);
    compared += 1;
  }
  assert.ok(compared >= 10, String(compared));
});
