/* Properties of the server on random files: renames keep plans, and no edit makes it fail. */
import assert from 'node:assert/strict';
import { join, relative } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath, pathToFileURL } from 'node:url';
import * as v from 'valibot';
import * as library from '../../src/api.ts';
import { temporaryDirectory } from '../support/cli.ts';
import { newEditor, Range, type Editor } from '../support/lsp/editor.ts';
import { random, SEED, type Random } from '../support/random/random.ts';
import { randomFile } from '../support/random/random_file.ts';
import { fileTexts, ROOT_FILE } from '../support/random/random_file_text.ts';

/** The numbers of renames and of edits: many with these variables. */
const RENAMES = Number(process.env['RENAMES'] ?? 25);
const EDITS = Number(process.env['EDITS'] ?? 150);

const INTERNAL_ERROR = -32603;
const REFUSED = -32803;

const Edited = v.object({
  documentChanges: v.array(
    v.object({
      textDocument: v.object({ uri: v.string(), version: v.nullable(v.number()) }),
      edits: v.array(v.object({ range: Range, newText: v.string() })),
    }),
  ),
});
const Prepared = v.object({ range: Range, placeholder: v.string() });
const Refusal = v.object({ code: v.number(), message: v.string() });

type Texts = Readonly<Record<string, string>>;

/** Editors show files without their byte-order mark. */
function withoutMarks(texts: Texts): Texts {
  return Object.fromEntries(Object.entries(texts).map(([path, text]) => [path, text.replace(/^\uFEFF/, '')]));
}

function projectOf(texts: Texts): library.Project {
  return library.parse(texts[ROOT_FILE] ?? '', { path: ROOT_FILE, files: { read: (path) => texts[path] } });
}

/** The plans of all workflows, in the order of the files. */
function plansOf(texts: Texts): readonly string[] {
  const project = projectOf(texts);
  return library.list(project).map(({ name }) => {
    const compiled = library.compile(project, name);
    const text = compiled.ok ? library.planText(compiled.plan) : 'no plan';
    return text.replaceAll(/ +/g, ' ');
  });
}

/** Applies the answer to a rename to texts. */
function applied(editor: Editor, folder: string, texts: Texts, answer: unknown): Texts {
  const changed = { ...texts };
  for (const { textDocument, edits } of v.parse(Edited, answer).documentChanges) {
    const { uri, version } = textDocument;
    assert.equal(version, editor.version(uri));
    const places = edits.map(({ range, newText }) => {
      return { start: editor.offsetAt(uri, range.start), end: editor.offsetAt(uri, range.end), newText };
    });
    let text = editor.text(uri);
    for (const { start, end, newText } of places.toSorted((one, other) => other.start - one.start)) {
      text = text.slice(0, start) + newText + text.slice(end);
    }
    changed[relative(folder, fileURLToPath(uri))] = text;
  }
  return changed;
}

test('a rename keeps the plan of every workflow, except for the name', async (t) => {
  const folder = temporaryDirectory(t);
  let renamed = 0;
  for (let index = 0; index < RENAMES; index += 1) {
    const source = random(SEED * 1_000_003 + index);
    const written = fileTexts(
      randomFile(source, { references: source.chance(0.8), includes: true, once: true }),
      source,
    );
    // Editors show files without their byte-order mark.
    const texts = Object.fromEntries(
      Object.entries(written).map(([path, text]) => [path, text.replace(/^\uFEFF/, '')]),
    );
    const project = projectOf(texts);
    const candidates = library.names(project).filter(({ certain, name }) => certain && name !== '');
    if (candidates.length === 0) continue;
    const { file, line, column, name } = source.pick(candidates);
    const editor = newEditor();
    await editor.start(folder);
    for (const [path, text] of Object.entries(texts)) editor.open(join(folder, path), text, 'workflow-plan');
    const uri = pathToFileURL(join(folder, file)).href;
    const offset = editor.offsetAt(uri, { line: line - 1, character: column - 1 });
    const prepared = await editor.at('textDocument/prepareRename', uri, offset);
    if (prepared === null) continue;
    const { placeholder: local } = v.parse(Prepared, prepared);
    const answer = await editor.at('textDocument/rename', uri, offset, { newName: `${local}Zq9` });
    const shown = `${index}: ${name} at ${file}:${line}:${column}\n${JSON.stringify(texts)}`;
    if (v.is(Refusal, answer)) {
      assert.equal(answer.code, REFUSED, `${shown}\n${answer.message}`);
      continue;
    }
    renamed += 1;
    const changed = applied(editor, folder, texts, answer);
    const after = plansOf(changed).map((plan) => plan.replaceAll('Zq9', ''));
    assert.deepEqual(after, plansOf(texts), shown);
  }
  t.diagnostic(`${renamed} of ${RENAMES} renames`);
  assert.ok(renamed >= RENAMES / 5, `only ${renamed} renames`);
});

const PIECES = [
  '"',
  '{',
  '}',
  '[',
  ']',
  ',',
  ':',
  '$',
  '${',
  '${steps.',
  '${vars.',
  '\\',
  '\n',
  ' ',
  'é',
  '😀',
  '"run"',
  '"w":',
];
const MORE = [
  '"workflow": "',
  '"with": {',
  '"include": {"x": "x.json"}',
  '"secrets": ["',
  '\\u00',
  '//',
  '/*',
  '"steps": [',
  '""',
];
const REQUESTS = [
  'completion',
  'hover',
  'definition',
  'references',
  'prepareRename',
  'documentSymbol',
  'documentLink',
  'codeAction',
  'rename',
];

function editAtRandom(editor: Editor, uri: string, source: Random): void {
  const { length } = editor.text(uri);
  const start = source.below(length + 1);
  const end = source.chance(0.5) ? start : Math.min(length, start + source.below(source.chance(0.1) ? 400 : 12));
  editor.edit(uri, start, end, source.chance(0.7) ? source.pick([...PIECES, ...MORE]) : '');
}

test('random edits, with requests between them, never make the server fail, and the last diagnostics are those of validate', async (t) => {
  const folder = temporaryDirectory(t);
  const source = random(SEED);
  for (let done = 0; done < EDITS;) {
    const texts = withoutMarks(fileTexts(randomFile(source, { references: true, once: true }), source));
    // No position is between the two characters of a line break.
    const text = texts[ROOT_FILE]?.replaceAll('\r\n', '\n') ?? '';
    const editor = newEditor();
    await editor.start(folder, { initializationOptions: { commands: ['workflow-plan.run'] } });
    const uri = editor.open(join(folder, 'w.json'), text, 'workflow-plan');
    for (let index = 0; index < 50; index += 1, done += 1) {
      editAtRandom(editor, uri, source);
      const offset = source.below(editor.text(uri).length + 1);
      const name = source.pick(REQUESTS);
      const position = editor.positionAt(uri, offset);
      const more = { newName: 'new', context: { includeDeclaration: true }, range: { start: position, end: position } };
      const { error } = await editor.request(`textDocument/${name}`, { textDocument: { uri }, position, ...more });
      const shown = `seed ${SEED}, edit ${done}, ${name} at ${offset}: ${error?.message}\n${editor.text(uri)}`;
      assert.notEqual(error?.code, INTERNAL_ERROR, shown);
    }
    const found = await editor.diagnostics(uri);
    const expected = library.check(library.parse(editor.text(uri), { path: 'w.json', files: library.disk }));
    assert.deepEqual(
      found.map(({ code, message, range: { start } }) => [code, message, start.line + 1, start.character + 1]),
      expected.map(({ code, message, line, column }) => [code, message, line, column]),
      editor.text(uri),
    );
  }
});

const CUT = `{
  "include": { "lib": "lib.json" }, // "x"
  "env": { "STAGE": "d\\u00e9v" },
  "workflows": {
    "a": {
      "inputs": { "V": { "required": true } },
      "steps": [
        { "name": "b", "run": ["echo $STAGE", "x"], "outputs": { "ID": "$.a" }, "retry": { "max_attempts": 3 } },
        { "if": "STAGE", "with": { "X": "\${steps.b.ID} \${vars.V}" }, "workflow": "lib:c", "secrets": ["T"] }
      ]
    }
  }
}`;

test('completion, hover and symbols go on wherever a file is cut', async (t) => {
  const editor = newEditor();
  await editor.start(temporaryDirectory(t));
  const uri = editor.open(join(temporaryDirectory(t), 'w.json'), CUT, 'workflow-plan');
  for (let end = CUT.length - 1; end >= 0; end -= 3) {
    editor.edit(uri, end, editor.text(uri).length, '');
    for (const name of ['completion', 'hover', 'documentSymbol', 'definition']) {
      const answer = await editor.at(`textDocument/${name}`, uri, end);
      assert.ok(!v.is(Refusal, answer), `${name} at ${end}: ${JSON.stringify(answer)}`);
    }
    if (end > CUT.indexOf('"steps"')) {
      const symbols = v.parse(
        v.array(v.object({ name: v.string() })),
        await editor.at('textDocument/documentSymbol', uri, 0),
      );
      assert.deepEqual(
        symbols.map(({ name }) => name),
        ['a'],
      );
    }
  }
});
