import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { Ajv } from 'ajv';
import { parse } from 'jsonc-parser';
import { parseWorkflowFile } from '../../src/frontend/parse.ts';
import * as schema from '../../src/frontend/schema/schema.ts';
import { StepFields } from '../../src/frontend/schema/step_fields.ts';
import { ReadyFields, RetryFields } from '../../src/frontend/schema/option_fields.ts';
import { temporaryDirectory, ROOT } from '../support/cli.ts';
import { quickCli as cli } from '../support/in_process.ts';
import { caseOf, casesOf } from '../support/goldens/goldens.ts';
import { CHECKER_PARTS } from '../support/plans.ts';

/** Keywords of VS Code, which other validators ignore. */
const EDITOR_KEYWORDS = [
  'allowComments',
  'allowTrailingCommas',
  'defaultSnippets',
  'doNotSuggest',
  'errorMessage',
  'markdownDescription',
  'patternErrorMessage',
];

const published = readFileSync(join(ROOT, 'dist/schema.json'), 'utf8');
const isValid = new Ajv({
  strictTuples: false,
  allErrors: true,
  strict: true,
  strictRequired: false,
  allowUnionTypes: true,
  keywords: EDITOR_KEYWORDS,
}).compile(JSON.parse(published));

/** Parses a text. jsonc-parser sets the prototype for `__proto__`. */
function valueOf(text: string): unknown {
  return text.includes('__proto__') ? JSON.parse(text) : parse(text);
}

/** The errors that a JSON Schema can express. It cannot express duplicate keys or calls between workflows. */
const SHAPES = new Set([
  'broken rule',
  'missing field',
  'unknown field',
  'empty step',
  'ambiguous step',
  'misplaced field',
]);

for (const group of ['plans', 'runs', 'pipelines', 'warnings', 'invalid']) {
  describe(`the shapes in fixtures/${group}`, () => {
    for (const name of casesOf(group)) {
      test(`the published schema and cli agree on the shape of ${group}/${name}`, () => {
        const given = caseOf(group, name);
        const bytes = readFileSync(join(given.directory, given.file));
        const codes = parseWorkflowFile(bytes, CHECKER_PARTS).errors.items.map(({ code }) => code);
        // Invalid JSON has no shape.
        if (codes.includes('syntax')) return;
        const value = valueOf(bytes.toString().replace(/^\uFEFF/, ''));
        assert.equal(isValid(value), !codes.some((code) => SHAPES.has(code)), JSON.stringify(isValid.errors));
      });
    }
  });
}

for (const [name, file] of Object.entries({
  'a misspelt field': { workflows: {}, worklfows: {} },
  'a variable that affects the shell': { env: { SHELLOPTS: 'noexec' }, workflows: {} },
  'a variable that is not a string': { workflows: { a: { env: { A: 1 }, steps: [] } } },
  'a blank command': { workflows: { a: { steps: [' '] } } },
  'a workflow without a name': { workflows: { '': { steps: [] } } },
  'a step that does nothing': { workflows: { a: { steps: [{ name: 'x' }] } } },
  'a step that runs and calls': { workflows: { a: { steps: [{ run: 'true', workflow: 'a' }] } } },
})) {
  test(`the published schema rejects ${name}`, () => assert.equal(isValid(file), false));
}

/** A file with a step, and a named step beside it. */
function withStep(step: object): object {
  return {
    workflows: {
      a: {
        steps: [
          { run: 'true', name: 'n', ...step },
          { run: 'true', name: 'last' },
        ],
      },
    },
  };
}

const ONCE_MORE = { max_attempts: 2, delay: '1s' };
const SHAPED: readonly (readonly [what: string, isRight: boolean, files: readonly object[]])[] = [
  ['durations', true, ['500ms', '30s', '2m', '1h30m', '24h', '1h1m1s1ms', '0h1s', '007s', '86400000ms'].map(limit)],
  [
    'invalid durations',
    false,
    [
      '',
      '0s',
      '0h0m',
      '1.5s',
      '10',
      '-1s',
      '1m1h',
      '1s1s',
      '1 s',
      '1S',
      ' 1s',
      '1s\n',
      '٣s',
      'ms',
      '1000000000s',
      10,
      null,
      ['1s'],
    ].map(limit),
  ],
  ['numbers of attempts', true, [2, 3, 100, 1e1, 2.0].map(attempts)],
  ['invalid numbers of attempts', false, [1, 0, -2, 101, 2.5, '3', null, true, 1e9].map(attempts)],
  [
    'retries',
    true,
    [3, { max_attempts: 2 }, ONCE_MORE, { ...ONCE_MORE, 'x-why': 1 }].map((retry) => withStep({ retry })),
  ],
  ['invalid retries', false, [{}, { delay: '1s' }, { max_attempts: 3, dealy: '' }].map((retry) => withStep({ retry }))],
  ['retries that are neither numbers nor objects', false, [1, '3', null, []].map((retry) => withStep({ retry }))],
  [
    'outputs',
    true,
    [{}, { A: '$' }, { __: '$.a[0]', 'x-y': 1 }, { constructor: '$' }].map((outputs) => withStep({ outputs })),
  ],
  [
    'invalid outputs',
    false,
    [{ A: 1 }, { '1': '$' }, { 'A-B': '$' }, { CLI_OUTPUT_1: '$' }, { BASH_ENV: '$' }, { _: '$' }, [], '$', null].map(
      (outputs) => withStep({ outputs }),
    ),
  ],
  [
    'outputs of a step without a name',
    false,
    [{}, { A: '$' }].map((outputs) => withStep({ outputs, name: undefined })),
  ],
  ['allowed failures', true, [true, false].map((allow_failure) => withStep({ allow_failure }))],
  ['values other than true and false', false, ['true', 1, null].map((allow_failure) => withStep({ allow_failure }))],
  ['choices after a crash', true, ['ask', 'rerun', 'fail'].map((on_crash) => withStep({ on_crash }))],
  ['choices in a resume', true, ['keep', 'rerun'].map((on_resume) => withStep({ on_resume }))],
  ['other choices', false, ['', 'Ask', true, null].map((on_crash) => withStep({ on_crash }))],
  ['directories', true, ['a', '/a b', '..', '$A'].flatMap(inDirectory)],
  ['invalid directories', false, ['', 'a\0b', 1, null, ['a']].flatMap(inDirectory)],
  ['calls with a directory', true, [withStep({ run: undefined, workflow: 'b', dir: 'x' })]],
  [
    'calls with fields of commands',
    false,
    [{ outputs: {} }, { retry: ONCE_MORE }, { timeout: '1s' }, { allow_failure: false }, { on_crash: 'ask' }].map(
      (field) => withStep({ run: undefined, workflow: 'b', ...field }),
    ),
  ],
  ['scripts', true, [['a'], ['a', '', 'b \t']].map((run) => withStep({ run }))],
  ['invalid scripts', false, [['a', 1], ['a', null], [['a']], ['a\n'], {}].map((run) => withStep({ run }))],
  [
    'the hook finally',
    true,
    ['make', '', ' ', [], ['make', ' ', 'make all']].map((hook) => ({ finally: hook, workflows: {} })),
  ],
  [
    'invalid hooks',
    false,
    [1, null, {}, 'a\0b', ['make', 1], ['a\nb']].map((hook) => ({ finally: hook, workflows: {} })),
  ],
  [
    'misplaced fields',
    false,
    [
      ...['before_all', 'outputs', 'retry', 'timeout'].map((field) => ({
        workflows: { a: { steps: [], [field]: 'x' } },
      })),
      { dir: 'x', workflows: {} },
      withStep({ finally: 'x' }),
    ],
  ],
];

function limit(timeout: unknown): object {
  return withStep({ timeout });
}

function attempts(count: unknown): object {
  return withStep({ retry: { ...ONCE_MORE, max_attempts: count } });
}

function inDirectory(dir: unknown): object[] {
  return [withStep({ dir }), { workflows: { a: { dir, steps: [] } } }];
}

for (const [what, isRight, files] of SHAPED) {
  test(`the published schema and cli both ${isRight ? 'accept' : 'reject'} ${what}`, () => {
    for (const file of files) {
      const text = JSON.stringify(file);
      const codes = parseWorkflowFile(Buffer.from(text), CHECKER_PARTS).errors.items.map(({ code }) => code);
      const tool = !codes.some((code) => SHAPES.has(code));
      assert.deepEqual({ tool, schema: isValid(JSON.parse(text)) }, { tool: isRight, schema: isRight }, text);
    }
  });
}

test('the published schema cannot check the length of a duration, a JSON path, or the step of a reference', () => {
  const step = { run: 'echo ${steps.none.X} ${steps.x}', timeout: '24h1ms', outputs: { A: '$..a' } };
  const codes = parseWorkflowFile(Buffer.from(JSON.stringify(withStep(step))), CHECKER_PARTS).errors.items;
  assert.deepEqual(
    codes.map(({ code }) => code),
    ['bad reference', 'unresolved reference', 'broken rule', 'bad path'],
  );
  assert.equal(isValid(withStep(step)), true);
});

test('the published schema accepts extension keys', () => {
  const own = { 'x-note': 1 };
  const step = { run: 'true', with: { A: '1', ...own }, ...own };
  const file = { $schema: 'schema.json', ...own, env: own, workflows: { a: { steps: [step], ...own } } };
  assert.deepEqual([isValid(file), isValid.errors], [true, null]);
});

test('`cli workflow schema` prints the published schema, in which every field is described', async (t) => {
  const printed = await cli(['workflow', 'schema', '--pretty'], { cwd: temporaryDirectory(t) });
  assert.deepEqual(printed, { code: 0, signal: null, stdout: published, stderr: '' });
  const files = [schema.FileFields, schema.IncludeFields, schema.WorkflowFields, schema.InputFields];
  const shapes = [...files, schema.SecretFields, StepFields, schema.HookFields, RetryFields, ReadyFields];
  assert.deepEqual(
    new Set(describedFields(JSON.parse(published))),
    new Set(shapes.flatMap(({ entries }) => Object.keys(entries))),
  );
});

/** The names of all properties that an editor offers. Each must have a description in both forms. */
function describedFields(schema: unknown): string[] {
  if (typeof schema !== 'object' || schema === null) return [];
  const properties = 'properties' in schema ? Object.entries(schema.properties ?? {}) : [];
  const own = properties.flatMap(([name, property]) => {
    if (typeof property !== 'object' || 'doNotSuggest' in property) return [];
    assert.ok('description' in property && 'markdownDescription' in property, name);
    return [name];
  });
  return [...own, ...Object.values(schema).flatMap(describedFields)];
}
