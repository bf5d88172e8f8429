import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { neededLint } from '../../src/cli/driver/warnings.ts';
import { lintDataFlow } from '../../src/frontend/lint/lint.ts';
import { readWorkflowFile } from '../../src/frontend/parse.ts';
import { FIXTURES } from '../support/goldens/goldens.ts';
import { caseNumbers } from '../support/random/fuzzing.ts';
import { random } from '../support/random/random.ts';
import { randomFile } from '../support/random/random_file.ts';
import { fileTexts, ROOT_FILE } from '../support/random/random_file_text.ts';

/** Whether the lint is loaded for a file, and the codes of its findings in the file and in runs of each workflow. */
async function lintOf(text: string): Promise<Readonly<{ isLoaded: boolean; codes: readonly string[] }>> {
  const { lines, file } = await readWorkflowFile(Buffer.from(text));
  const isLoaded = (await neededLint({ lines, included: [] }, {})) !== undefined;
  if (file === undefined) return { isLoaded, codes: [] };
  const runs = [...file.workflows.keys()].map((workflow) => ({
    workflow,
    params: new Map([['A', '1']]),
    inherits: () => false,
  }));
  const found = [undefined, ...runs].flatMap((run) => lintDataFlow(file, run).items);
  return { isLoaded, codes: found.map(({ code }) => code) };
}

const FIELDS = ['env', 'with', 'matrix', 'inputs', 'if', 'private'];

/** A random file without some fields, without variables in most cases, and with some private workflows. */
function prunedFile(seed: number): string {
  const source = random(seed);
  const removed = new Set(FIELDS.filter(() => source.chance(0.7)));
  const hasVariables = source.chance(0.3);
  const { [ROOT_FILE]: text = '' } = fileTexts(randomFile(source, { once: true }), source);
  const inText = hasVariables ? text : text.replaceAll('$', 'S');
  // The names of workflows are no fields.
  const without = [...removed].reduce((left, field) => left.replaceAll(`"${field}"`, `"x-${field}"`), inText);
  const unescaped = source.chance(0.2)
    ? without
    : without.replace(/\\u00([2-7][0-9a-f])/g, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)));
  return source.chance(0.2) ? unescaped.replace(/"steps"/, '"private": true, "steps"') : unescaped;
}

for (const [sign, code, file] of [
  ['a variable', 'undefined variable', '{"workflows":{"a":{"steps":["echo $TARGET"]}}}'],
  ['a variable that ends a command', 'undefined variable', '{"workflows":{"a":{"steps":["echo $schema"]}}}'],
  ['a variable as a command', 'undefined variable', '{"$schema":"x","workflows":{"a":{"steps":["$schema"]}}}'],
  ['a condition', 'constant condition', '{"workflows":{"a":{"steps":[{"run":"b","if":"true"}]}}}'],
  ['env', 'variable as command', '{"env":{"UP":"1"},"workflows":{"a":{"steps":["! UP"]}}}'],
  [
    'with',
    'variable as command',
    '{"workflows":{"a":{"steps":[{"workflow":"b","with":{"UP":"1"}}]},"b":{"steps":["! UP"]}}}',
  ],
  [
    'a matrix',
    'variable as command',
    '{"workflows":{"a":{"steps":[{"workflow":"b","matrix":{"UP":["1"]}}]},"b":{"steps":["! UP"]}}}',
  ],
  ['inputs', 'variable as command', '{"workflows":{"a":{"inputs":{"UP":{}},"steps":["! UP"]}}}'],
  [
    'a private workflow',
    'unreachable workflow',
    '{"workflows":{"a":{"steps":["b"]},"c":{"private":true,"steps":["d"]}}}',
  ],
  ['an escape', 'undefined variable', String.raw`{"workflows":{"a":{"steps":["echo \u0024TARGET"]}}}`],
] as const) {
  test(`the lint is loaded for a file with ${sign}`, async () => {
    const { isLoaded, codes } = await lintOf(file);
    assert.deepEqual([isLoaded, new Set(codes)], [true, new Set([code])]);
  });
}

test('the lint that is not loaded for a file finds nothing in it: fixtures and random files', async () => {
  const texts = readdirSync(FIXTURES, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('workflow.json'))
    .map((path) => readFileSync(join(FIXTURES, path), 'utf8'));
  for (const number of caseNumbers(100)) texts.push(prunedFile(number));
  const counts = { passedOver: 0, found: 0 };
  for (const text of texts) {
    const { isLoaded, codes } = await lintOf(text);
    assert.ok(isLoaded || codes.length === 0, `${codes.join(', ')} in ${text}`);
    if (!isLoaded) counts.passedOver += 1;
    else if (codes.length > 0) counts.found += 1;
  }
  assert.ok(counts.passedOver > 40 && counts.found > 50, JSON.stringify(counts));
});
