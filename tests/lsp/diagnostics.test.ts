/* The language server finds what `cli validate` finds. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { cpSync, readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';
import * as v from 'valibot';
import { load, check } from '../../src/api.ts';
import { temporaryDirectory } from '../support/cli.ts';
import { caseOf, casesOf } from '../support/goldens/goldens.ts';
import { toolInProcess } from '../support/in_process.ts';
import { newEditor, type Editor } from '../support/lsp/editor.ts';

const Findings = v.object({
  findings: v.array(
    v.object({
      file: v.string(),
      line: v.number(),
      column: v.number(),
      severity: v.string(),
      code: v.string(),
      message: v.string(),
    }),
  ),
});

/** Published diagnostics in the form of findings. */
function asFindings(file: string, diagnostics: Awaited<ReturnType<Editor['diagnostics']>>): unknown[] {
  return diagnostics.map(({ range: { start }, severity, code, message }) => {
    const level = severity === 1 ? 'error' : 'warning';
    return { file, line: start.line + 1, column: start.character + 1, severity: level, code, message };
  });
}

for (const group of ['invalid', 'warnings', 'realistic', 'plans', 'runs', 'pipelines', 'views']) {
  test(`the server publishes the findings of validate for the cases of ${group}`, async (t) => {
    const before = process.cwd();
    t.after(() => process.chdir(before));
    const tool = toolInProcess(t);
    for (const name of casesOf(group)) {
      const { directory, file } = caseOf(group, name);
      process.chdir(directory);
      const bytes = readFileSync(join(directory, file));
      // An editor decodes files itself.
      if (!bytes.equals(Buffer.from(bytes.toString('utf8'))) || bytes[0] === 0xef) continue;
      const { stdout } = await tool(['validate', '--portable', '--format', 'json', '--file', file]);
      const { findings } = v.parse(Findings, JSON.parse(stdout));
      const editor = newEditor();
      await editor.start(directory, { initializationOptions: { portable: true } });
      const uri = editor.open(join(directory, file), bytes.toString('utf8'), 'workflow-plan');
      const found = await editor.diagnostics(uri);
      assert.deepEqual(
        asFindings(file, found),
        findings.filter((each) => each.file === file),
        `${group}/${name}`,
      );
      const ends = check(load(file), { portable: true }).filter((each) => each.file === file);
      assert.deepEqual(
        found.map(({ range: { end } }) => [end.line + 1, end.character + 1]),
        ends.map(({ endLine, endColumn }) => [endLine, endColumn]),
      );
    }
  });
}

const MAIN = '{"include": {"lib": "lib.json"}, "workflows": {"w": {"steps": [{"workflow": "lib:b"}]}}}';
const LIB = '{"workflows": {"a": {"steps": ["echo a"]}}}';

test('an included file is checked as a part of its root, buffers win over the disk, and closed files have no diagnostics', async (t) => {
  const folder = temporaryDirectory(t, { '.git/x': '', '.cli/workflow.json': MAIN, '.cli/lib.json': LIB });
  const editor = newEditor();
  await editor.start(folder);
  const lib = editor.open(join(folder, '.cli/lib.json'), LIB);
  const wrong = "step 1: unknown workflow 'lib:b'; did you mean 'lib:a'?";
  // The default file is the root of the library, although it is not open.
  await editor.shows(pathToFileURL(join(folder, '.cli/workflow.json')).href, wrong);
  assert.deepEqual(await editor.diagnostics(lib), []);
  const main = editor.open(join(folder, '.cli/workflow.json'), MAIN);
  await editor.shows(main, wrong);
  const name = LIB.indexOf('"a"') + 1;
  editor.edit(lib, name, name + 1, 'b');
  await editor.shows(main);
  editor.notify('textDocument/didClose', { textDocument: { uri: lib } });
  await editor.shows(main, wrong);
  writeFileSync(join(folder, '.cli/lib.json'), LIB.replace('"a"', '"b"'));
  editor.notify('workspace/didChangeWatchedFiles', { changes: [] });
  await editor.shows(main);
  writeFileSync(join(folder, '.cli/lib.json'), LIB);
  editor.notify('workspace/didChangeWatchedFiles', { changes: [] });
  await editor.shows(main, wrong);
  editor.notify('textDocument/didClose', { textDocument: { uri: main } });
  await editor.shows(main);
});

test('an include that is a pipe, a device, a directory or larger than 16 MiB is an error, and is not read', async (t) => {
  const folder = temporaryDirectory(t, { '.cli/directory/x': '' });
  execFileSync('mkfifo', [join(folder, '.cli/pipe')]);
  writeFileSync(join(folder, '.cli/large'), '');
  truncateSync(join(folder, '.cli/large'), 17 * 1024 * 1024);
  const editor = newEditor();
  await editor.start(folder);
  const include = { pipe: 'pipe', device: '/dev/zero', directory: 'directory', large: 'large' };
  const text = JSON.stringify({ include, workflows: {} });
  const found = await editor.diagnostics(editor.open(join(folder, '.cli/workflow.json'), text));
  assert.deepEqual(
    found.map(({ code, message }) => [code, message]),
    [
      ['unreadable-include', "cannot read '.cli/pipe': it is not a regular file"],
      ['unreadable-include', "cannot read '/dev/zero': it is not a regular file"],
      ['unreadable-include', "cannot read '.cli/directory': EISDIR: illegal operation on a directory"],
      ['unreadable-include', "cannot read '.cli/large': it has more than 16777216 bytes (16 MiB)"],
    ],
  );
});

test('each version is published, older ones never after newer ones, and an empty file has one error', async (t) => {
  const folder = temporaryDirectory(t, {});
  const editor = newEditor();
  await editor.start(folder);
  const uri = editor.open(join(folder, '.cli/workflow.json'), '');
  assert.deepEqual(
    (await editor.diagnostics(uri)).map(({ code, range }) => [code, range.start]),
    [['unreadable-file', { line: 0, character: 0 }]],
  );
  for (const character of LIB) editor.edit(uri, editor.text(uri).length, editor.text(uri).length, character);
  await editor.diagnostics(uri);
  const versions = editor.published.map(({ version = 0 }) => version);
  assert.deepEqual(
    versions,
    versions.toSorted((one, other) => one - other),
  );
  assert.ok(versions.length <= 5, `${versions.length} checks for ${LIB.length} keys`);
});

test('files that are no workflow files have no diagnostics and empty answers', async (t) => {
  const folder = temporaryDirectory(t, {});
  cpSync(import.meta.filename, join(folder, 'x.json'));
  const editor = newEditor();
  await editor.start(folder);
  const other = editor.open(join(folder, 'package.json'), '{"name": ');
  const schema = editor.open(join(folder, '.cli/schema.json'), '{');
  const uri = editor.open(join(folder, '.cli/workflow.json'), '{"workflows": {}}');
  await editor.diagnostics(uri);
  assert.deepEqual(
    editor.published.map((each) => each.uri),
    [uri],
  );
  for (const each of [other, schema, 'file:///nowhere', 'untitled:1', 'file://%zz']) {
    const params = {
      textDocument: { uri: each },
      position: { line: 0, character: 1 },
      context: {},
      range: { start: { line: 0 }, end: { line: 0 } },
    };
    const answers = [
      'completion',
      'hover',
      'definition',
      'references',
      'prepareRename',
      'codeAction',
      'documentSymbol',
    ].map(async (name) => [name, (await editor.request(`textDocument/${name}`, params)).result]);
    assert.deepEqual(await Promise.all(answers), [
      ['completion', { isIncomplete: false, items: [] }],
      ['hover', null],
      ['definition', []],
      ['references', []],
      ['prepareRename', null],
      ['codeAction', []],
      ['documentSymbol', []],
    ]);
  }
});
