import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { ROOT } from '../cli.ts';

/** The cases: a directory for each group, with a directory for each case. */
export const FIXTURES = join(ROOT, 'fixtures');

/** Whether the golden files are rewritten. */
export const UPDATE = process.env['UPDATE_GOLDENS'] === '1';

/** The directory of a case, with the files named in its workflow file. */
const FILES = 'files';

/** The inputs and outputs of a kind of case. */
export interface Group {
  readonly name: string;
  /** The inputs in addition to the workflow file. */
  readonly inputs: readonly string[];
  /** The files of all outputs. An empty output has no file. */
  readonly outputs: readonly string[];
  produce(given: Case, t: TestContext): Promise<Map<string, string>> | Map<string, string>;
}

export interface Case {
  readonly directory: string;
  /** `workflow.json`, or another extension if the text is not JSON. */
  readonly file: string;
}

/** The arguments of a case after `cli workflow run`. */
export function argvOf({ directory }: Case): string[] {
  return readFileSync(join(directory, 'argv.txt'), 'utf8').trimEnd().split('\n');
}

/** The names of a group's cases. */
export function casesOf(group: string): string[] {
  return readdirSync(join(FIXTURES, group)).toSorted();
}

export function caseOf(group: string, name: string): Case {
  const directory = join(FIXTURES, group, name);
  const [file, ...more] = readdirSync(directory).filter((entry) => entry.startsWith('workflow.'));
  assert.ok(file !== undefined && more.length === 0, `${directory} needs one file workflow.*`);
  return { directory, file };
}

/** Declares a test for each case of a group. UPDATE_GOLDENS=1 writes the expected files. */
export function testGoldens(group: Group): void {
  const names = casesOf(group.name);
  test(`${group.name}: cases exist`, () => assert.notDeepEqual(names, []));
  for (const name of names) {
    test(`${group.name}: ${name.replaceAll('-', ' ')}`, async (t) => {
      const given = caseOf(group.name, name);
      const produced = await group.produce(given, t);
      if (UPDATE) rewrite(group, given, produced);
      assert.deepEqual(expected(group, given), produced);
      const more = readdirSync(given.directory).filter((name) => name === FILES);
      const known = new Set([given.file, ...more, ...group.inputs, ...produced.keys()]);
      assert.deepEqual(new Set(readdirSync(given.directory)), known, 'unused files of the case');
    });
  }
}

function expected(group: Group, { directory }: Case): Map<string, string> {
  const texts = group.outputs.filter((output) => existsSync(join(directory, output)));
  return new Map(texts.map((output) => [output, readFileSync(join(directory, output), 'utf8')]));
}

function rewrite(group: Group, { directory }: Case, produced: ReadonlyMap<string, string>): void {
  for (const output of group.outputs) rmSync(join(directory, output), { force: true });
  for (const [output, text] of produced) writeFileSync(join(directory, output), text);
}

/** The texts that are not empty. An empty golden file would not show its meaning. */
export function nonEmpty(texts: Readonly<Record<string, string>>): Map<string, string> {
  return new Map(Object.entries(texts).filter(([, text]) => text !== ''));
}

/** A text without the path of bash and the lines in its messages, which differ between its versions. */
export function withoutShell(text: string): string {
  return text.replace(/\/[\w./-]+\/bash: (?:-c: )?(?:line \d+: )?/g, 'bash: ');
}
