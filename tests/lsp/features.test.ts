/* Hover, definitions, references, fixes, symbols, links and lenses, at the `|` of a file. */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';
import * as v from 'valibot';
import { cli } from '../support/cli.ts';
import { Range } from '../support/lsp/editor.ts';
import { LIB, opened } from '../support/lsp/opened.ts';

const Hover = v.object({ contents: v.object({ kind: v.literal('markdown'), value: v.string() }), range: Range });

const HOVERED = `{
  "env": { "STAGE": "dev", "API_TOKEN": "x" },
  "workflows": {
    "release": {
      "description": "Publish it",
      "inputs": { "VERSION": { "description": "The version", "required": true } },
      "steps": [
        { "name": "build", "run": "make \\"$STAGE\\" é", "outputs": { "ID": "$.id" } },
        { "with": { "STAGE": "beta" }, "run": "echo \${steps.build.ID} $STAGE $API_TOKEN" }
      ]
    }
  }
}`;

test('hover shows workflows, variables as explain does, steps, outputs and fields', async (t) => {
  const { editor, uri, folder } = await opened(t, HOVERED);
  writeFileSync(join(folder, '.cli/workflow.json'), HOVERED);
  const shown = async (word: string, skip = 0): Promise<string> => {
    const hover = v.parse(Hover, await editor.at('textDocument/hover', uri, HOVERED.indexOf(word) + skip));
    const [start, end] = [hover.range.start, hover.range.end].map((each) => editor.offsetAt(uri, each));
    return `${HOVERED.slice(start, end)}: ${hover.contents.value}`;
  };
  assert.equal(
    await shown('release'),
    'release: **release**\n\nPublish it\n\n```text\nInputs:\n  VERSION  (required) The version\n```',
  );
  const explained = await cli(['explain', 'release', 'STAGE', '--step', '2'], { cwd: folder });
  assert.equal(await shown('$STAGE $API', 1), `STAGE: \`\`\`text\n${explained.stdout.trimEnd()}\n\`\`\``);
  assert.match(await shown('$API_TOKEN', 1), /API_TOKEN=\*\*\*/);
  assert.equal(await shown('steps.build', 6), 'build: **build** (step 1 of release)\n\n```sh\nmake "$STAGE" é\n```');
  assert.equal(
    await shown('build.ID', 6),
    'ID: **build** (step 1 of release)\n\n```sh\nmake "$STAGE" é\n```\n\n`ID`: `$.id`',
  );
  assert.match(await shown('"required"', 1), /^"required": Whether a value is required\./);
  assert.equal(await editor.at('textDocument/hover', uri, HOVERED.indexOf('make')), null);
});

test('definitions and references lead through includes and escapes', async (t) => {
  const text =
    '{"include": {"lib": "lib.json"}, "env": {"A": "1"}, "workflows": {"w": {"steps": ["echo \\"\\u00e9$A\\" ${A:-} \'$A\'", {"if": "A", "workflow": "lib:test"}]}}}';
  const { editor, uri, folder } = await opened(t, text);
  const lib = pathToFileURL(join(folder, '.cli/lib.json')).href;
  const Places = v.array(v.object({ uri: v.string(), range: Range }));
  const places = async (method: string, word: string, skip: number, more = {}): Promise<string[]> => {
    const found = v.parse(Places, await editor.at(`textDocument/${method}`, uri, text.indexOf(word) + skip, more));
    return found.map(
      ({ uri: own, range: { start, end } }) => `${own === uri ? 'main' : 'lib'} ${start.character}-${end.character}`,
    );
  };
  const place = (word: string, skip: number, length: number): string =>
    `main ${text.indexOf(word) + skip}-${text.indexOf(word) + skip + length}`;
  const defined = LIB.indexOf('test');
  assert.deepEqual(await places('definition', 'lib:test', 5), [`lib ${defined}-${defined + 4}`]);
  assert.deepEqual(await places('definition', 'lib.json', 2), ['lib 0-0']);
  const uses = [place('$A', 1, 1), place('${A', 2, 1), place('"if": "A"', 7, 1)];
  assert.deepEqual(await places('references', '{"A"', 2, { context: { includeDeclaration: false } }), uses);
  assert.deepEqual(await places('references', '$A', 1, { context: { includeDeclaration: true } }), [
    place('{"A"', 2, 1),
    ...uses,
  ]);
  const links = await editor.request('textDocument/documentLink', { textDocument: { uri } });
  assert.deepEqual(v.parse(v.array(v.object({ target: v.string() })), links.result), [{ target: lib }]);
});

test('fixes change only the wrong word, also in a command, and empty a value that says no', async (t) => {
  const text =
    '{"env": {"STAGE": "false"}, "workflows": {"build": {"steps": ["true"]}, "w": {"descripton": "W", "setps": 1, "steps": [' +
    '{"workflow": "biuld"}, "echo \\"\\u00e9 $STAEG\\"", "echo ${{ env.STAGE }}", {"if": "STAGE", "run": "true"}]}}}';
  const Actions = v.array(
    v.object({
      title: v.string(),
      kind: v.literal('quickfix'),
      isPreferred: v.literal(true),
      diagnostics: v.pipe(v.array(v.unknown()), v.length(1)),
      edit: v.object({ changes: v.record(v.string(), v.array(v.object({ range: Range, newText: v.string() }))) }),
    }),
  );
  const fixed = async (content: string): Promise<string[]> => {
    const { editor, uri } = await opened(t, content);
    const range = { start: { line: 0, character: 0 }, end: { line: 0, character: 999 } };
    const { result } = await editor.request('textDocument/codeAction', {
      textDocument: { uri },
      range,
      context: { diagnostics: [] },
    });
    return v.parse(Actions, result).map(({ title, edit }) => {
      const [change] = edit.changes[uri] ?? [];
      assert.ok(change !== undefined);
      const [start, end] = [change.range.start, change.range.end].map((each) => editor.offsetAt(uri, each));
      return `${title}: ${content.slice(start, end)} -> ${change.newText}`;
    });
  };
  // No fix leads to a second field 'steps'.
  assert.deepEqual(await fixed(text), [
    "Change to 'description': descripton -> description",
    "Change to 'build': biuld -> build",
  ]);
  assert.deepEqual(await fixed('{"workflows": {"w": {"setps": ["true"]}}}'), ["Change to 'steps': setps -> steps"]);
  assert.deepEqual(await fixed(text.replace('"false"', '1.10')), [
    'Change to "1.10": 1.10 -> "1.10"',
    "Change to 'description': descripton -> description",
    "Change to 'build': biuld -> build",
  ]);
  const valid = text.replace('"descripton": "W", "setps": 1, ', '').replace('biuld', 'build');
  assert.deepEqual(await fixed(valid), [
    'Leave it empty: "false" -> ""',
    "Change to 'STAGE': STAEG -> STAGE",
    'Change to "$STAGE": ${{ env.STAGE }} -> \\"$STAGE\\"',
  ]);
});

test('symbols are workflows with their steps, and lenses the commands that the editor executes', async (t) => {
  const commands = ['workflow-plan.graph', 'other', 'workflow-plan.run'];
  const text =
    '{"workflows": {"a": {"description": "A", "steps": ["x", {"parallel": [{"name": "p", "run": "y"}, "z"]}]}, "b": {"private": true, "steps": []}}}';
  const { editor, uri } = await opened(t, text, { initializationOptions: { commands } });
  const Node: v.GenericSchema = v.object({ name: v.string(), children: v.array(v.lazy(() => Node)) });
  const { result } = await editor.request('textDocument/documentSymbol', { textDocument: { uri } });
  assert.deepEqual(v.parse(v.array(Node), result), [
    {
      name: 'a',
      children: [
        { name: 'step_1', children: [] },
        {
          name: 'step_2',
          children: [
            { name: 'p', children: [] },
            { name: 'step_2.2', children: [] },
          ],
        },
      ],
    },
    { name: 'b', children: [] },
  ]);
  const lenses = await editor.request('textDocument/codeLens', { textDocument: { uri } });
  const Lenses = v.array(
    v.object({ command: v.object({ title: v.string(), command: v.string(), arguments: v.array(v.string()) }) }),
  );
  assert.deepEqual(
    v.parse(Lenses, lenses.result).map(({ command }) => command),
    [
      { title: 'Run', command: 'workflow-plan.run', arguments: [uri, 'a'] },
      { title: 'Graph', command: 'workflow-plan.graph', arguments: [uri, 'a'] },
    ],
  );
});

test('the environment of the server changes no answer', async (t) => {
  const { editor, uri } = await opened(t, HOVERED);
  const ask = (): Promise<unknown> => editor.at('textDocument/hover', uri, HOVERED.indexOf('$STAGE') + 1);
  const before = await ask();
  process.env['STAGE'] = 'process';
  assert.deepEqual(await ask(), before);
  delete process.env['STAGE'];
});
