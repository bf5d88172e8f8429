/* Renames change everything or nothing. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import * as v from 'valibot';
import { temporaryDirectory } from '../support/cli.ts';
import { newEditor, Range } from '../support/lsp/editor.ts';

const Edited = v.object({
  documentChanges: v.array(
    v.object({
      textDocument: v.object({ uri: v.string(), version: v.nullable(v.number()) }),
      edits: v.array(v.object({ range: Range, newText: v.string() })),
    }),
  ),
});
const Refusal = v.object({ code: v.literal(-32803), message: v.string() });

const LIB = '{"workflows": {"test": {"steps": ["echo $STAGE", {"workflow": "deep"}]}, "deep": {"steps": []}}}';

/** Renames what is at the `|` of a file; the texts after it, or the reason for the refusal. */
async function rename(
  t: TestContext,
  text: string,
  newName: string,
  lib = LIB,
  folderOf = '',
): Promise<string[] | string> {
  const folder = temporaryDirectory(t, { '.cli/lib.json': lib, 'inside/x': '' });
  const editor = newEditor();
  await editor.start(join(folder, folderOf));
  const uri = editor.open(join(folder, '.cli/workflow.json'), text.replace('|', ''), 'workflow-plan');
  const other = editor.open(join(folder, '.cli/lib.json'), lib, 'workflow-plan');
  const answer = await editor.at('textDocument/rename', uri, text.indexOf('|'), { newName });
  if (answer === null) return 'nothing to rename';
  if (v.is(Refusal, answer)) return answer.message;
  const { documentChanges } = v.parse(Edited, answer);
  return [uri, other].map((each) => {
    const edits = documentChanges
      .filter(({ textDocument }) => textDocument.uri === each)
      .flatMap((change) => change.edits);
    const places = edits.map(
      ({ range, newText }) => [editor.offsetAt(each, range.start), editor.offsetAt(each, range.end), newText] as const,
    );
    return places
      .toSorted(([one], [next]) => next - one)
      .reduce((all, [start, end, word]) => all.slice(0, start) + word + all.slice(end), editor.text(each));
  });
}

const MAIN =
  '{"include": {"lib": "lib.json", "again": "./lib.json"}, "default": "lib:deep", "env": {"STAGE": "1"}, "workflows": {"w": {"steps": [' +
  '{"name": "b", "run": "echo \\"\\u00e9$STAGE\\"", "outputs": {"ID": "text"}}, {"if": "STAGE", "run": ["echo ${steps.b.ID}", "x"]}, ' +
  '{"workflow": "lib:test"}, {"workflow": "again:test", "with": {"T": "${vars.STAGE} ${steps.b.ID:-}"}}]}}}';

/** A file with `|` before the first place of a text. */
const at = (text: string, before = ''): string => MAIN.replace(before + text, `${before}|${text}`);

test('names are renamed in all files, and prefixes of includes stay', async (t) => {
  assert.deepEqual(await rename(t, at('test', 'lib:'), 'check "x"'), [
    MAIN.replace('lib:test', 'lib:check \\"x\\"').replace('again:test', 'again:check \\"x\\"'),
    LIB.replace('test', 'check \\"x\\"'),
  ]);
  assert.deepEqual(await rename(t, at('deep', 'lib:'), 'low'), [
    MAIN.replace('lib:deep', 'lib:low'),
    LIB.replaceAll('deep', 'low'),
  ]);
  assert.deepEqual(await rename(t, at('STAGE', '$'), 'LEVEL'), [
    MAIN.replaceAll('STAGE', 'LEVEL'),
    LIB.replace('STAGE', 'LEVEL'),
  ]);
  assert.deepEqual(await rename(t, at('b.ID', 'steps.'), 'make'), [
    MAIN.replace('"b"', '"make"').replaceAll('steps.b.', 'steps.make.'),
    LIB,
  ]);
  assert.deepEqual(await rename(t, at('ID": "text"', '"'), 'KEY'), [
    MAIN.replace('"ID"', '"KEY"').replaceAll('.ID', '.KEY'),
    LIB,
  ]);
});

const one = (steps: string, more = ''): string =>
  `{${more}"workflows": {"w": {"steps": [${steps}]}, "v": {"aliases": ["u"], "steps": []}}}`;

const REFUSED: readonly (readonly [title: string, text: string, name: string, reason: string])[] = [
  [
    'a duplicate',
    one('{"workflow": "|v"}'),
    'w',
    "cannot rename v: circular dependency detected: w -> w; duplicate key 'w', first defined at line 1, column 16",
  ],
  ['an alias', one('{"workflow": "|v"}'), 'u', "cannot rename v: 'aliases': 'u' is already the name of a workflow"],
  [
    'an empty name',
    one('{"workflow": "|v"}'),
    '',
    "cannot rename v: step 1: 'workflow' must not be empty; '' in 'workflows' must not be empty",
  ],
  [
    'a name of an include',
    one('{"workflow": "|v"}', '"include": {"lib": "lib.json"}, '),
    'lib:x',
    "cannot rename v: 'lib:x' cannot be the name of a workflow: names that begin with 'lib:' belong to the included file",
  ],
  [
    'an invalid name of a variable',
    one('"$A"', '"env": {"|A": ""}, '),
    'a-b',
    "cannot rename A: 'a-b' in 'env' is not a valid variable name: use letters, digits and underscores, and do not start with a digit",
  ],
  [
    'a reserved variable',
    one('"$A"', '"env": {"|A": ""}, '),
    'SHELLOPTS',
    "cannot rename A: 'SHELLOPTS' in 'env' cannot be set: it is reserved for the shell or this tool",
  ],
  [
    'a variable that is used',
    one('"$A $B"', '"env": {"|A": ""}, '),
    'B',
    "cannot rename A: 'B' is already at .cli/workflow.json:1:55",
  ],
  [
    'a variable that is mentioned',
    one('"$A"," # B"', '"env": {"|A": ""}, '),
    'B',
    "cannot rename A: 'B' is already at .cli/workflow.json:1:59",
  ],
  [
    'a step that exists',
    one('{"name": "|a", "run": "x"}, {"name": "b", "run": "y"}'),
    'b',
    "cannot rename a: 'b' is already at .cli/workflow.json:1:69",
  ],
  [
    'a generated name',
    one('"x", {"name": "|a", "run": "x"}'),
    'step_1',
    "cannot rename a: 'step_1' is already at .cli/workflow.json:1:33",
  ],
  [
    'two steps of a name',
    one('{"name": "|a", "run": "x"}, {"name": "a", "run": "y"}'),
    'b',
    "cannot rename a: there are several steps with the name 'a'",
  ],
  [
    'a step with a matrix',
    one('{"name": "|a", "run": "x", "matrix": {"M": ["1"]}}'),
    'b',
    'cannot rename a: the step has a matrix',
  ],
  [
    'words that are not expanded',
    one('"$A", "A=1 x", "echo \'$A\'", {"run": ["y", "# A"]}', '"env": {"|A": ""}, '),
    'B',
    'cannot rename A: it is also a word that is not expanded there: .cli/workflow.json:1:57, .cli/workflow.json:1:73, .cli/workflow.json:1:95',
  ],
  ['a variable from outside', one('"$|A"'), 'B', 'cannot rename A: its value is set outside of the file'],
  [
    'text that is not JSON',
    `${one('"$|A"', '"env": {"A": ""}, ')}}`,
    'B',
    'cannot rename A: .cli/workflow.json is not valid JSON',
  ],
  ['an alias itself', one('"x"').replace('"u"', '"|u"'), 'x', 'nothing to rename'],
  ['a field', one('"x"').replace('"steps"', '"|steps"'), 'x', 'nothing to rename'],
  ['the name of an include', one('"x"', '"include": {"|lib": "lib.json"}, '), 'x', 'nothing to rename'],
  ['a word of a command', one('"ec|ho"'), 'x', 'nothing to rename'],
];

for (const [title, text, name, reason] of REFUSED) {
  test(`the rename is refused: ${title}`, async (t) => assert.equal(await rename(t, text, name), reason));
}

test('the rename is refused if a file is outside of the workspace', async (t) => {
  const refused = await rename(t, at('deep', 'lib:'), 'low', LIB, 'inside');
  assert.match(String(refused), /^cannot rename deep: .*workflow\.json is outside of the workspace$/);
});
