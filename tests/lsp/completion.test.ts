/* Completion at the `|` of a file. */
import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import * as v from 'valibot';
import { KIND_FIELDS, StepFields } from '../../src/frontend/schema/step_fields.ts';
import { Range } from '../support/lsp/editor.ts';
import { opened } from '../support/lsp/opened.ts';

const Completions = v.object({
  isIncomplete: v.literal(false),
  items: v.array(
    v.object({
      label: v.string(),
      detail: v.optional(v.string()),
      sortText: v.string(),
      textEdit: v.object({ range: Range, newText: v.string() }),
    }),
  ),
});

/** The completions at a position: the labels, and the line after the first one is inserted. */
async function complete(
  t: TestContext,
  text: string,
): Promise<{ labels: string[]; details: unknown[]; inserted: string }> {
  const { editor, uri, at } = await opened(t, text);
  const { items } = v.parse(Completions, await editor.at('textDocument/completion', uri, at));
  assert.deepEqual(
    items.map(({ sortText }) => sortText),
    items.map(({ sortText }) => sortText).toSorted(),
  );
  const [first] = items;
  const whole = text.replace('|', '');
  const inserted = first?.textEdit;
  const result =
    inserted === undefined
      ? ''
      : whole.slice(0, editor.offsetAt(uri, inserted.range.start)) +
        inserted.newText +
        whole.slice(editor.offsetAt(uri, inserted.range.end));
  return { labels: items.map(({ label }) => label), details: items.map(({ detail }) => detail), inserted: result };
}

const steps = (text: string): string =>
  `{"include": {"lib": "lib.json"}, "secrets": {"S1": {"command": ["x"]}, "S2": {"command": ["y"]}}, "env": {"GLOBAL": "1"},` +
  `"workflows": {"w": {"env": {"OWN": "1"}, "inputs": {"IN": {}}, "steps": [` +
  `{"name": "early", "run": "true", "outputs": {"ID": "text", "KEY": "text"}}, ${text}]},` +
  `"build": {"description": "Builds", "inputs": {"MODE": {"options": ["fast", "slow"]}, "FULL": {"type": "boolean", "required": true}}, "steps": []}}}`;

const CASES: readonly (readonly [title: string, text: string, labels: readonly string[], inserted?: string])[] = [
  [
    'a called workflow',
    steps('{"workflow": "|"}'),
    ['build', 'lib:test', 'lib:hidden'],
    steps('{"workflow": "build"}'),
  ],
  [
    'a called workflow without quotes',
    steps('{"workflow": li|}'),
    ['build', 'lib:test', 'lib:hidden'],
    steps('{"workflow": "build"}'),
  ],
  [
    'an unterminated name',
    steps('{"workflow": "bu|\n}'),
    ['build', 'lib:test', 'lib:hidden'],
    steps('{"workflow": "build"\n}'),
  ],
  [
    'inputs of a call',
    steps('{"workflow": "build", "with": {|}}'),
    ['FULL', 'MODE'],
    steps('{"workflow": "build", "with": {"FULL": }}'),
  ],
  ['inputs without those given', steps('{"workflow": "build", "with": {"FULL": "", "|"}}'), ['MODE']],
  ['values of a choice', steps('{"workflow": "build", "with": {"MODE": "|"}}'), ['fast', 'slow']],
  [
    'values of a boolean input',
    steps('{"workflow": "build", "with": {"FULL": |}}'),
    ['true', 'false'],
    steps('{"workflow": "build", "with": {"FULL": "true"}}'),
  ],
  ['secrets of a step', steps('{"run": "x", "secrets": ["S2", "|"]}'), ['S1']],
  [
    'variables after $',
    steps('{"with": {"A": "1"}, "run": "echo $|"}'),
    ['A', 'OWN', 'GLOBAL', 'IN'],
    steps('{"with": {"A": "1"}, "run": "echo $A"}'),
  ],
  [
    'variables in braces',
    steps('{"run": ["true", "echo ${GLO|x y"]}'),
    ['OWN', 'GLOBAL', 'IN'],
    steps('{"run": ["true", "echo ${OWN} y"]}'),
  ],
  ['a condition that is a word', steps('{"if": "O|", "run": "x"}'), ['OWN', 'GLOBAL', 'IN']],
  [
    'variables of outer scopes',
    steps('{"with": {"A": "${vars.|}"}, "run": "x"}'),
    ['OWN', 'GLOBAL', 'IN'],
    steps('{"with": {"A": "${vars.OWN}"}, "run": "x"}'),
  ],
  ['earlier steps', steps('{"run": "echo ${steps.|"}'), ['early'], steps('{"run": "echo ${steps.early"}')],
  ['outputs', steps('{"run": "echo ${steps.early.|"}'), ['ID', 'KEY'], steps('{"run": "echo ${steps.early.ID}"}')],
  ['a later step', steps('{"run": "${steps.|"}, {"name": "late", "run": "x", "outputs": {"A": "text"}}'), ['early']],
  ['fields of an include', '{"include": {"a": {"|"}}, "workflows": {}}', ['file', 'dir']],
  [
    'fields of a retry',
    steps('{"run": "x", "retry": {"delay": "1s", |}}'),
    ['max_attempts'],
    steps('{"run": "x", "retry": {"delay": "1s", "max_attempts": }}'),
  ],
  ['fixed values', steps('{"run": "x", "on_crash": "|"}'), ['ask', 'rerun', 'fail']],
  [
    'a boolean field',
    steps('{"run": "x", "allow_failure": |}'),
    ['true', 'false'],
    steps('{"run": "x", "allow_failure": true}'),
  ],
  ['the type of an input', '{"workflows": {"w": {"inputs": {"A": {"type": "|"}}}}}', ['string', 'boolean', 'choice']],
  ['the default workflow', '{"default": "|", "workflows": {"a": {"steps": []}, "b c": {"steps": []}}}', ['a', 'b c']],
  ['a text', steps('{"run": "echo |"}'), []],
  ['a comment', '{ // a |\n}', []],
  ['after a value', '{"workflows": {} |}', []],
];

for (const [title, text, labels, inserted] of CASES) {
  test(`completion of ${title}`, async (t) => {
    const found = await complete(t, text);
    assert.deepEqual(found.labels, labels);
    if (inserted !== undefined) assert.equal(found.inserted, inserted);
  });
}

test('a step is offered the fields in the order of the reference, without those that exclude each other', async (t) => {
  const { labels } = await complete(t, steps('{"run": "x", "|"}'));
  const fields = Object.keys(StepFields.entries).filter((field) => !KIND_FIELDS.includes(field));
  assert.deepEqual(labels, fields);
  assert.deepEqual((await complete(t, steps('{"workflow": "|"}'))).details, ['Builds', 'Tests', undefined]);
});
