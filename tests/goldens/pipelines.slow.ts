import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { basename } from 'node:path';
import { describe, test } from 'node:test';
import * as v from 'valibot';
import { caseOf, casesOf, nonEmpty, testGoldens, type Group } from '../support/goldens/goldens.ts';
import { runsOf, sandbox } from '../support/goldens/pipeline.ts';

/** Realistic release pipelines, run with stand-ins for the programs that they call. */
const pipelines: Group = {
  name: 'pipelines',
  inputs: ['argv.txt', 'answers.json'],
  outputs: ['result.json', 'calls.txt', 'exit.txt'],
  produce: async (given, t) => {
    const results: string[] = [];
    const calls: string[] = [];
    const codes: string[] = [];
    const used = new Set<string>();
    let programs: readonly string[] = [];
    for (const [index, words] of runsOf(given).entries()) {
      const box = sandbox(t, given, index + 1);
      const { code, signal, stdout, stderr } = await box.workflow('run', '--pretty', ...words);
      assert.equal(signal, null);
      // A run that does not start proves nothing, and must never become a golden file.
      assert.ok(code === 0 || code === 1, stderr);
      assert.deepEqual(warningsIn(stderr), []);
      assert.deepEqual(tracesIn(box.cwd), []);
      results.push(stdout);
      calls.push(box.calls());
      programs = box.programs;
      for (const call of box.calls().split('\n')) used.add(call.split(' ', 1).join());
      codes.push(`${code}\n`);
    }
    const unused = programs.filter((program) => !used.has(program));
    assert.deepEqual(unused, [], 'unused stand-ins');
    return nonEmpty({ 'result.json': results.join(''), 'calls.txt': calls.join('\n'), 'exit.txt': codes.join('') });
  },
};

const Input = v.object({
  name: v.string(),
  required: v.optional(v.boolean(), false),
  options: v.optional(v.array(v.string()), []),
});
const List = v.array(v.object({ name: v.string(), inputs: v.optional(v.array(Input), []) }));

/** The warnings about a realistic file, which must have none. */
function warningsIn(stderr: string): string[] {
  return stderr.split('\n').filter((line) => line.includes('warning: '));
}

/** Files that exist only if printed text was executed as code: some programs print `$(touch owned)`. */
function tracesIn(cwd: string): string[] {
  return readdirSync(cwd, { recursive: true, encoding: 'utf8' }).filter((path) => basename(path) === 'owned');
}

describe('pipelines', { concurrency: 2 }, () => testGoldens(pipelines));

// In the process of the tests, because these commands start no process. Calls must not overlap.
for (const name of casesOf(pipelines.name)) {
  const given = caseOf(pipelines.name, name);

  test(`${name}: the file is valid, without warnings`, async (t) => {
    const { code, stdout, stderr } = await sandbox(t, given, 1).view('validate', '--strict');
    assert.deepEqual({ code, stdout, stderr }, { code: 0, stdout: '{"valid":true,"errors":[]}\n', stderr: '' });
  });

  test(`${name}: a dry run calls no program`, async (t) => {
    const box = sandbox(t, given, 1);
    for (const words of runsOf(given)) {
      const { code, stderr } = await box.view('run', '--dry-run', ...words);
      assert.deepEqual(
        { code, warnings: warningsIn(stderr), calls: box.calls() },
        { code: 0, warnings: [], calls: '' },
      );
    }
  });

  test(`${name}: every workflow can be listed, drawn and explained`, async (t) => {
    const box = sandbox(t, given, 1);
    const listed = await box.view('list');
    const shown = [listed];
    for (const { name, inputs } of v.parse(List, JSON.parse(listed.stdout))) {
      const given = inputs.flatMap((input) => (input.required ? [`${input.name}:${input.options[0] ?? 'x'}`] : []));
      shown.push(await box.view('graph', name), await box.view('explain', name, ...given));
    }
    assert.deepEqual(
      shown.map(({ code, stderr }) => ({ code, stderr })),
      shown.map(() => ({ code: 0, stderr: '' })),
    );
  });
}
