import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { temporaryDirectory } from '../support/cli.ts';
import { toolInProcess, type Returned, quickCli as cli } from '../support/in_process.ts';
import { edited } from '../support/random/edited.ts';
import { fuzzing } from '../support/random/fuzzing.ts';
import { random } from '../support/random/random.ts';
import { randomFile } from '../support/random/random_file.ts';
import { fileTexts, ROOT_FILE } from '../support/random/random_file_text.ts';

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

test('an edited file results in a document or in errors, within a second', async (t) => {
  const tool = toolInProcess(t);
  const property = fc.asyncProperty(cases, async ({ input, args }) => {
    const before = process.cpuUsage();
    checkPromises(await tool(args, { input }));
    const { user, system } = process.cpuUsage(before);
    assert.ok(user + system < 1e6, `it took ${user + system} µs`);
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
