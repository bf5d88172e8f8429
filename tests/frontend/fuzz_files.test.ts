import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { parseTree, type Node, type ParseError } from 'jsonc-parser';
import type { JsonNode } from '../../src/frontend/syntax/json_tree.ts';
import { decode } from '../../src/frontend/syntax/decode.ts';
import { eachItem, parseJson } from '../../src/frontend/syntax/json_parser.ts';
import { temporaryDirectory } from '../support/cli.ts';
import { toolInProcess, type Returned, quickCli as cli } from '../support/in_process.ts';
import { edited } from '../support/random/edited.ts';
import { fuzzing } from '../support/random/fuzzing.ts';
import { random } from '../support/random/random.ts';
import { randomFile } from '../support/random/random_file.ts';
import { fileTexts, ROOT_FILE } from '../support/random/random_file_text.ts';
import { assertCpuTime } from '../support/cpu_time.ts';

/** Command lines that only read a file. */
const COMMANDS: readonly ((name: string) => readonly string[])[] = [
  () => ['validate'],
  () => ['list', '--all', '--pretty'],
  (name) => ['run', '--dry-run', '--', name, 'A:1'],
  (name) => ['run', '--dry-run', '--debug', '--pretty', '--', name],
];

/** A random file after one to three edits, usually invalid, and the arguments of a command that reads it. */
const cases = fc.tuple(fc.nat(), fc.constantFrom(...COMMANDS)).chain(([seed, command]) => {
  const source = random(seed);
  const file = randomFile(source, { once: true });
  const args = ['workflow', '--file', '-', ...command(file.workflows[0]?.name ?? '')];
  return fc.record({ input: edited(fileTexts(file, source)[ROOT_FILE] ?? ''), args: fc.constant(args) });
});

/** Checks the promises of every command, for any file. */
function checkPromises({ code, stdout, stderr }: Returned): void {
  assert.ok([0, 1, 2].includes(code), `exit code ${code}: ${stderr}`);
  assert.doesNotMatch(stderr, /^ {4}at |this is a bug/m);
  if (code === 2) assert.equal(stdout, '');
  else assert.doesNotThrow(() => JSON.parse(stdout), `the document: ${stdout}`);
  if (code !== 0) assert.notEqual(stderr, '');
  const document: unknown = stdout === '' ? undefined : JSON.parse(stdout);
  const isInvalid =
    typeof document === 'object' && document !== null && 'valid' in document && document.valid === false;
  assert.equal(isInvalid, code === 1);
}

test('an edited file results in a document or in errors, within 10 times the CPU time of parsing 8 MB', async (t) => {
  const tool = toolInProcess(t);
  const property = fc.asyncProperty(cases, async ({ input, args }) => {
    checkPromises(await assertCpuTime(10, () => tool(args, { input })));
  });
  await fc.assert(property, fuzzing(200));
});

test('an edited file results in a document or in errors in the real process', async (t) => {
  const cwd = temporaryDirectory(t);
  const property = fc.asyncProperty(cases, async ({ input, args }) => {
    const { code, signal, ...output } = await cli(args, { cwd, input });
    assert.equal(signal, null);
    checkPromises({ code: code ?? -1, ...output });
  });
  await fc.assert(property, fuzzing(10));
});

/** A tree as nested lists: the kind, range and content of each node. */
function plain(node: JsonNode): unknown {
  const { kind, start, end } = node;
  const inner = (): unknown => {
    if (node.kind === 'object')
      return node.members.map((each) => [each.key, each.start, each.end, plain(each.value)] as const);
    return node.kind === 'array' ? node.items.map(plain) : node.kind === 'null' ? null : node.value;
  };
  return [kind, start, end, inner()];
}

/** A tree of jsonc-parser, in the same form. */
function theirs({ type, offset, length, children = [], value }: Node, base: number): unknown {
  const [start, end] = [base + offset, base + offset + length];
  if (type === 'array') return [type, start, end, children.map((child) => theirs(child, base))];
  if (type !== 'object') return [type, start, end, value];
  const members = children.map(({ children: [key, child] = [] }) => {
    assert.ok(key !== undefined && child !== undefined);
    return [key.value, base + key.offset, base + key.offset + key.length, theirs(child, base)];
  });
  return [type, start, end, members];
}

/** Checks that a text has the tree, or no tree, of jsonc-parser. Returns whether it has one. */
function checkTree(text: string, base: number): boolean {
  const errors: ParseError[] = [];
  const tree = parseTree(text, errors, { allowTrailingComma: true });
  const own = parseJson(text, base);
  const expected = tree === undefined || errors.length > 0 ? undefined : theirs(tree, base);
  assert.deepEqual(own && plain(own), expected, JSON.stringify(text.slice(0, 1000)));
  return own !== undefined;
}

const SCALARS = [
  '0',
  '-0',
  '1e400',
  '-1.5E+3',
  '01',
  '1.',
  '.5',
  '+1',
  '1e',
  '-',
  'NaN',
  '123456789012345678901234567890',
  'true',
  'truefalse',
  'True',
  'null',
  'nullx',
  'undefined',
  "'a'",
  '"',
  '""',
  '"a\nb"',
  '"a\tb"',
  '"\u0000"',
  '"\\"',
  '"\\\""',
  '"\\x"',
  '"\\ud800"',
  '"\\uD83D\\uDE00"',
  '"\\u12"',
  '"\ud800"',
  '"é 😀"',
  '"\\',
  '"\\n\\/"',
  '/',
  '//',
  '/*',
  '/*/',
  '/**/1',
  '// x\n1',
  '// x\r1',
  '1// x',
  '1/* \n */',
  '\ufeff1',
  '1\u00a0',
  '1\f',
  '1\u2028',
  '{}',
  '[]',
  '{,}',
  '[,]',
  '[1,,2]',
  '[1,]',
  '[1 2]',
  '{"a"}',
  '{"a":}',
  '{"a":1,}',
  '{"a":1 "b":2}',
  '{a:1}',
  '{"a" ]',
  '[{"a" ]',
  '{"__proto__":1,"__proto__":{"2":0,"1":0}}',
  '1 2',
  '[1]]',
  '{"a":[}',
  '',
  ' ',
  '//',
  '1 /',
  '[1 /*',
];

test('the tree of a text, or its absence, is that of jsonc-parser', () => {
  let valid = 0;
  for (const text of SCALARS) {
    // Alone, as a member, an item, a key, and an item of an array that is too long to be kept.
    const many = '{"a":[1,"b"]},'.repeat(1000);
    for (const each of [text, `{"x":${text}}`, `[1,${text}, 2]`, `{${text}:1}`, `{"s":[${many}${text},"last"] }`])
      if (checkTree(each, 7)) valid += 1;
  }
  assert.ok(valid > 60, `${valid} valid texts`);
  fc.assert(
    fc.property(cases, fc.nat(3), ({ input }, base) => void checkTree(decode(input).text, base)),
    fuzzing(200),
  );
});

test('the items of a long array and of arrays in it have the places of those in a short one', () => {
  const item = '{"parallel":[{"run":"a"},/* b */ ["\\u0061", 1e3,],]}';
  const text = `{"steps":[${`${item}, `.repeat(1200)}"last"], "more":[[${'1,'.repeat(2000)}]]}`;
  assert.ok(checkTree(text, 0) && checkTree(text, 12_345));
});

test('long arrays in long arrays are kept, so that none is read once more at each level', () => {
  const open = `[${'1,'.repeat(1001)}`.repeat(3);
  const tree = parseJson(`${open}2]]]`, 0);
  assert.ok(tree?.kind === 'array' && !Array.isArray(eachItem(tree)));
  const inner = tree.items.at(-1);
  assert.ok(inner?.kind === 'array' && Array.isArray(eachItem(inner)));
  const innermost = inner.items.at(-1);
  assert.ok(innermost?.kind === 'array' && Array.isArray(eachItem(innermost)));
});
