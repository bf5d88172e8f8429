import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import * as v from 'valibot';
import { readWorkflow } from '../../src/cli/driver/include/read_workflow.ts';
import { temporaryDirectory } from '../support/cli.ts';
import { inProcess } from '../support/in_process.ts';

const Findings = v.object({ findings: v.array(v.object({ message: v.string() })) });

/** A file that includes others. */
function including(...paths: readonly string[]): object {
  const include = Object.fromEntries(paths.map((path, index) => [`i${index}`, path]));
  return { include, workflows: { main: { steps: paths.map((_, index) => ({ workflow: `i${index}:w` })) } } };
}

test('a file and its includes have at most 16 MiB, each of which counts once, and their copies 64 MiB', async (t) => {
  const text = `{ "workflows": { "w": { "steps": ["true"] } } } // ${'x'.repeat(6 * 1024 * 1024)}`;
  const cwd = temporaryDirectory(t);
  for (const name of ['a', 'b', 'c']) writeFileSync(join(cwd, `${name}.json`), text);
  const found = async (...paths: readonly string[]): Promise<readonly string[]> => {
    writeFileSync(join(cwd, 'main.json'), JSON.stringify(including(...paths)));
    const { stdout } = await inProcess(t, ['validate', '--file', 'main.json', '--format', 'json'], { cwd });
    return v.parse(Findings, JSON.parse(stdout)).findings.map(({ message }) => message);
  };
  assert.deepEqual(await found('a.json', './a.json', 'a.json', 'b.json'), []);
  assert.deepEqual(await found('a.json', 'b.json', 'c.json', 'missing.json'), [
    "cannot read 'c.json': with it, the file and its includes have more than 16777216 bytes (16 MiB)",
  ]);
  assert.deepEqual(await found(...Array<string>(10).fill('a.json')), []);
  assert.deepEqual(await found(...Array<string>(10).fill('a.json'), 'b.json', 'missing.json'), [
    "cannot read 'b.json': with it, all copies of the included files have more than 67108864 bytes (64 MiB)",
  ]);
});

test('a file that is included several times is read once, and its positions are those of each copy', async () => {
  const lib = '{ "workflows": {\n  "w": { "steps": ["true", { "run": "false" }] }\n} }';
  const include = { one: 'lib.json', two: 'dir/../lib.json', three: 'lib.json' };
  const read: string[] = [];
  const parsed = await readWorkflow(Buffer.from(JSON.stringify({ include, workflows: {} })), 'w.json', {
    read: (path) => {
      read.push(path);
      return { ok: true, value: Buffer.from(lib) };
    },
    realPath: (path) => path,
  });
  assert.deepEqual(read, ['lib.json']);
  const offsets = Array.from(parsed.file?.workflows.values() ?? [], ({ steps }) => steps.at(-1)?.offset ?? 0);
  assert.deepEqual(
    parsed.included.map(({ lines }, index) => lines.describe(offsets[index] ?? 0)),
    Array.from({ length: 3 }, () => 'line 2, column 28'),
  );
});
