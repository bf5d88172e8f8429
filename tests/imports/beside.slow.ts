import assert from 'node:assert/strict';
import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { before, test, type TestContext } from 'node:test';
import * as v from 'valibot';
import { cli, finish, temporaryDirectory } from '../support/cli.ts';
import { installJust, JUST } from '../support/imports/just.ts';
import { FIXTURES } from '../support/goldens/goldens.ts';
import { inProcess } from '../support/in_process.ts';
import { standIns } from '../support/imports/stand_ins.ts';

/** Rewrites the expected files, and runs npm, which is slow. */
const UPDATE = process.env['UPDATE_GOLDENS'] === '1';
const WITH_NPM = UPDATE || process.env['WITH_NPM'] === '1';

/** The tools, with their files, flags for runs like theirs (`make -B`), and the command that runs a recipe. */
const TOOLS = {
  make: { source: 'Makefile', flags: ['--force'], command: (name: string) => ['make', '-s', '-B', name] },
  just: {
    source: 'justfile',
    flags: [],
    command: (name: string, values: string[]) => ['just', '--yes', name, ...values],
  },
  npm: { source: 'package.json', flags: [], command: (name: string) => ['npm', 'run', '--silent', name] },
} as const;

const File = v.object({
  workflows: v.record(
    v.string(),
    v.object({ inputs: v.optional(v.record(v.string(), v.object({ required: v.optional(v.boolean()) }))) }),
  ),
});

/** What a recipe did: its calls, what it printed, and whether it succeeded. */
type Effect = Readonly<{ calls: string; printed: string; isSuccess: boolean }>;

before(installJust);

/** The output of the commands, without messages of shells and of the tool. */
function printed(text: string): string {
  return text
    .split('\n')
    .filter((line) => !/^(?:cli: |[Mm]ake|error: |Sure\?|(?:\S*\/)?(?:ba)?sh: )/.test(line))
    .join('\n');
}

/** Runs all converted recipes of a file in both tools. */
async function effects(t: TestContext, tool: keyof typeof TOOLS): Promise<Map<string, readonly [Effect, Effect]>> {
  const { source, flags, command } = TOOLS[tool];
  const directory = join(FIXTURES, 'beside', tool);
  const cwd = join(temporaryDirectory(t), 'project');
  cpSync(directory, cwd, { recursive: true });
  const { env, takeCalls } = standIns(dirname(cwd), cwd, [JUST, dirname(process.execPath)]);
  const converted = await cli(['workflow', 'init', '--from', source, '--no-fallback'], { cwd, env });
  assert.equal(converted.code, 0, converted.stderr);
  const text = readFileSync(join(cwd, '.cli/workflow.json'), 'utf8');
  compare(join(directory, 'expected.json'), text);
  compare(join(directory, 'left_out.txt'), converted.stderr);
  assert.match((await cli(['validate'], { cwd, env })).stdout, /: valid, 0 errors/);

  const recorded = recordedEffects(join(directory, 'effects.json'), tool);
  const found = new Map<string, readonly [Effect, Effect]>();
  for (const [name, { inputs = {} }] of Object.entries(v.parse(File, JSON.parse(text)).workflows)) {
    // A copy of a recipe, which only the converted file has.
    if (name.includes(' ')) continue;
    const values = Object.entries(inputs).filter(([, input]) => input.required === true);
    takeCalls();
    const parameters = values.map(([input]) => `${input}:${input}-value`);
    const run = await inProcess(t, ['workflow', 'run', name, '--yes', ...flags, ...parameters], { cwd, env });
    const ours = { calls: takeCalls(), printed: printed(run.stderr), isSuccess: run.code === 0 };
    let original = recorded?.get(name);
    if (original === undefined) {
      const [program = '', ...args] = command(
        name,
        values.map(([input]) => `${input}-value`),
      );
      const bash = ['-c', 'exec "$@" </dev/null', 'bash', program, ...args];
      const { code, stdout } = await finish('bash', bash, { cwd, env });
      original = { calls: takeCalls(), printed: printed(stdout), isSuccess: code === 0 };
    }
    found.set(name, [ours, original]);
  }
  if (UPDATE && tool === 'npm') {
    const all = Object.fromEntries([...found].map(([name, [, original]]) => [name, original]));
    writeFileSync(join(directory, 'effects.json'), `${JSON.stringify(all, undefined, 2)}\n`);
  }
  return found;
}

function compare(path: string, text: string): void {
  if (UPDATE) writeFileSync(path, text);
  assert.equal(text, readFileSync(path, 'utf8'), path);
}

const Effects = v.record(v.string(), v.object({ calls: v.string(), printed: v.string(), isSuccess: v.boolean() }));

/** What npm did when the file was written; undefined to run the tool. */
function recordedEffects(path: string, tool: keyof typeof TOOLS): Map<string, Effect> | undefined {
  if (tool !== 'npm' || WITH_NPM) return undefined;
  return new Map(Object.entries(v.parse(Effects, JSON.parse(readFileSync(path, 'utf8')))));
}

for (const [tool, least] of [
  ['make', 80],
  ['just', 55],
  ['npm', 44],
] as const) {
  test(`each converted ${tool} recipe calls the same programs, prints the same and ends in the same way`, async (t) => {
    const found = await effects(t, tool);
    assert.deepEqual(
      Object.fromEntries([...found].map(([name, [ours]]) => [name, ours])),
      Object.fromEntries([...found].map(([name, [, original]]) => [name, original])),
    );
    assert.ok(found.size >= least, `${found.size} recipes`);
  });
}
