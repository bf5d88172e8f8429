import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { Ajv } from 'ajv';
import { parse } from 'jsonc-parser';
import { EXTENSIONS } from '../src/frontend/extensions.ts';
import { parseWorkflowFile } from '../src/frontend/parse.ts';
import { cli, folder, ROOT } from './support/cli.ts';
import { caseOf, casesOf } from './support/goldens.ts';

const published = readFileSync(join(ROOT, 'dist/schema.json'), 'utf8');
const isValid = new Ajv({ allErrors: true, strict: true, strictRequired: false }).compile(JSON.parse(published));

/** jsonc-parser reads comments, but takes `__proto__` for the prototype. */
function valueOf(text: string): unknown {
  return text.includes('__proto__') ? JSON.parse(text) : parse(text);
}

/** What a JSON Schema can say; it cannot know of duplicate keys, or of which workflow calls which. */
const SHAPES = new Set([
  'broken rule',
  'missing field',
  'unknown field',
  'empty step',
  'ambiguous step',
  'misplaced field',
]);

for (const group of ['plans', 'runs', 'pipelines', 'warnings', 'invalid']) {
  describe(`the published schema and the tool agree on the shapes in fixtures/${group}:`, () => {
    for (const name of casesOf(group)) {
      test(name, () => {
        const given = caseOf(group, name);
        const bytes = readFileSync(join(given.folder, given.file));
        const codes = parseWorkflowFile(bytes, EXTENSIONS).errors.items.map(({ code }) => code);
        // What is no JSON has no shape.
        if (codes.includes('syntax')) return;
        const value = valueOf(bytes.toString().replace(/^\uFEFF/, ''));
        assert.equal(isValid(value), !codes.some((code) => SHAPES.has(code)), JSON.stringify(isValid.errors));
      });
    }
  });
}

for (const [name, file] of Object.entries({
  'a misspelt field': { workflows: {}, worklfows: {} },
  'a variable that the shell goes by': { env: { SHELLOPTS: 'noexec' }, workflows: {} },
  'a variable that is no text': { workflows: { a: { env: { A: 1 }, steps: [] } } },
  'a blank command': { workflows: { a: { steps: [' '] } } },
  'a workflow without a name': { workflows: { '': { steps: [] } } },
  'a step that does nothing': { workflows: { a: { steps: [{ name: 'x' }] } } },
  'a step that runs and calls': { workflows: { a: { steps: [{ run: 'true', workflow: 'a' }] } } },
})) {
  test(`the published schema refuses ${name}`, () => assert.equal(isValid(file), false));
}

test('the published schema takes what is for others', () => {
  const own = { 'x-note': 1 };
  const step = { run: 'true', with: { A: '1', ...own }, ...own };
  const file = { $schema: 'schema.json', ...own, env: own, workflows: { a: { steps: [step], ...own } } };
  assert.deepEqual([isValid(file), isValid.errors], [true, null]);
});

test('`cli workflow schema` prints the published schema, and every field in it is described', async (t) => {
  const printed = await cli(['workflow', 'schema', '--pretty'], { cwd: folder(t) });
  assert.deepEqual(printed, { code: 0, signal: null, stdout: published, stderr: '' });
  const fields = published.match(
    /^ +"(?:\$schema|env|before_all|after_all|error|workflows|finally|description|private|steps|run|workflow|name|if|with|dir|outputs|retry|timeout|allow_failure|max_attempts|delay)": \{$/gm,
  );
  assert.equal(fields?.length, published.match(/"description": "/g)?.length);
});
