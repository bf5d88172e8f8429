import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import * as v from 'valibot';
import { temporaryDirectory, type CommandOptions, type CommandResult } from '../support/cli.ts';
import { ONLY_PATH } from '../support/environment.ts';
import { reportIn } from '../support/goldens/report.ts';
import { inProcess, quickCli as cli } from '../support/in_process.ts';
import { timed } from '../support/cpu_time.ts';

const Findings = v.object({ findings: v.array(v.object({ message: v.string() })) });

/** A directory with workflow files, by their path. */
function files(t: TestContext, texts: Readonly<Record<string, unknown>>): string {
  const cwd = temporaryDirectory(t);
  for (const [path, value] of Object.entries(texts)) {
    mkdirSync(join(cwd, path, '..'), { recursive: true });
    writeFileSync(join(cwd, path), typeof value === 'string' ? value : JSON.stringify(value));
  }
  return cwd;
}

const FAILING = {
  '.cli/workflow.json': {
    include: { app: '../app/flow.json' },
    workflows: { ci: { steps: [{ workflow: 'app:test' }] } },
  },
  'app/flow.json': '{\n  "workflows": {\n    "test": { "steps": ["true", "exit 3"] }\n  }\n}\n',
};

test('a report and an annotation refer to the line in the included file', async (t) => {
  const cwd = files(t, FAILING);
  const env = { ...ONLY_PATH, GITHUB_ACTIONS: 'true', GITHUB_WORKSPACE: cwd };
  const { stderr, code } = await cli(['run', 'ci', '--report', 'report.json'], { cwd, env });
  assert.equal(code, 1);
  assert.match(stderr, /::error file=app\/flow\.json,line=3,col=33/);
  const places = reportIn(cwd).ops.map(({ file, line, column }) => [file, line, column]);
  assert.deepEqual(places, [
    ['app/flow.json', 3, 25],
    ['app/flow.json', 3, 33],
  ]);
});

test('JUnit, HTML, GitLab reports and annotations of warnings name the line in the included file', async (t) => {
  const cwd = files(t, FAILING);
  await cli(['run', 'ci', '--report', 'r.xml'], { cwd, env: ONLY_PATH });
  await cli(['run', 'ci', '--report', 'r.html'], { cwd, env: ONLY_PATH });
  const [xml, html] = ['r.xml', 'r.html'].map((name) => readFileSync(join(cwd, name), 'utf8'));
  assert.deepEqual(xml?.match(/file="[^"]*" line="\d+"/g), Array(2).fill('file="app/flow.json" line="3"'));
  assert.deepEqual(html?.match(/[\w/.]+:\d+:\d+(?=<br>)/g), ['app/flow.json:3:25', 'app/flow.json:3:33']);
  writeFileSync(join(cwd, 'app/flow.json'), '{\n "workflows": { "test": { "steps": ["echo $X"] } }\n}');
  const { stdout } = await cli(['validate', '--format', 'gitlab'], { cwd, env: ONLY_PATH });
  assert.deepEqual(JSON.parse(stdout)[0].location, { path: 'app/flow.json', lines: { begin: 2 } });
  const env = { ...ONLY_PATH, GITHUB_ACTIONS: 'true', GITHUB_WORKSPACE: cwd };
  const { stderr } = await cli(['workflow', 'validate'], { cwd, env });
  assert.match(stderr, /^::warning file=app\/flow\.json,line=2,col=43,title=Workflow 'app%3Atest'::/m);
});

test('validate, explain, list and Tab support included workflows', async (t) => {
  const cwd = files(t, {
    ...FAILING,
    'app/flow.json': '{\n "workflows": { "test": { "steps": ["echo $A"], "x": 1 } } }',
  });
  const tool = (...args: string[]): Promise<CommandResult> => cli(args, { cwd, env: ONLY_PATH });
  const { stdout } = await tool('validate', '--format', 'json');
  const found: unknown = JSON.parse(stdout).findings;
  assert.deepEqual(found, [
    {
      file: 'app/flow.json',
      line: 2,
      column: 49,
      severity: 'error',
      workflow: 'app:test',
      step: null,
      code: 'unknown-field',
      message:
        "unknown field 'x'; expected one of: description, private, agents, aliases, inputs, env, dotenv, dir, error, finally, once, logs, lock, steps",
    },
  ]);
  const long = await tool('workflow', 'validate');
  assert.match(long.stdout, /"message":"app\/flow\.json:2:49: unknown field 'x'/);
  writeFileSync(join(cwd, 'app/flow.json'), '{\n "workflows": { "test": { "steps": ["echo $A"] } } }');
  assert.equal((await tool('list')).stdout, 'ci        1 step\napp:test  1 step\n');
  assert.match(
    (await tool('explain', 'ci')).stdout,
    /^app:test > step_1 {2}\(step 1 of app:test\)\n {2}at app\/flow\.json:2:37\n/,
  );
  const completed = await tool('completion', 'words', '--', 'fish', 'cli', 'run', 'app');
  assert.match(completed.stdout, /^app:test/m);
});

test('the time to load 10 included files is linear in their size', async (t) => {
  const cost = async (count: number, steps: number): Promise<number> => {
    const names = Array.from({ length: count }, (_, index) => `f${index}`);
    const step = { name: 'a', run: 'echo "some text"', with: { A: 'x' } };
    const included = names.map(
      (name) => [`${name}.json`, { workflows: { w: { steps: Array.from({ length: steps }, () => step) } } }] as const,
    );
    const include = Object.fromEntries(names.map((name) => [name, `${name}.json`]));
    const cwd = files(t, { 'w.json': { include, workflows: {} }, ...Object.fromEntries(included) });
    const { result, seconds } = await timed(() => inProcess(t, ['workflow', 'list', '--file', 'w.json'], { cwd }));
    assert.equal(result.code, 0);
    return seconds;
  };
  await cost(10, 1000);
  const [small, large] = [await cost(10, 1000), await cost(10, 8000)];
  assert.ok(large < 14 * small, `8 times the bytes took ${(large / small).toFixed(1)} times as long`);
});

/** The position, severity and workflow of each diagnostic. */
function places(text: string): readonly string[] {
  return Array.from(text.matchAll(/^(\S+:\d+:\d+): (\w+): (workflow '[^']*')/gm), ([, ...found]) => found.join(' '));
}

/** A file that `main` includes as `one` and as `two`. */
const TWICE = (workflows: object, main: object = {}): Readonly<Record<string, unknown>> => ({
  '.cli/workflow.json': {
    include: { one: 'lib.json', two: { file: './lib.json', dir: 'sub' } },
    workflows: { main: { steps: [{ workflow: 'one:test' }, { workflow: 'two:test' }], ...main } },
  },
  '.cli/lib.json': { workflows },
  'sub/x': '',
});

test('an error in a file that is included twice is reported once by every command', async (t) => {
  const cwd = files(
    t,
    TWICE({
      test: {
        steps: [
          { run: 'echo $NAME', if: 'true' },
          { workflow: 'inner', with: { A: 'x' } },
        ],
      },
      inner: { private: true, env: { A: 'b2' }, steps: [{ run: 'echo $A', with: { A: '1' } }] },
    }),
  );
  const tool = (...args: string[]): Promise<CommandResult> => cli(args, { cwd, env: ONLY_PATH });
  const expected = [
    ".cli/lib.json:1:45 warning workflow 'one:test'",
    ".cli/lib.json:1:57 warning workflow 'one:test'",
    ".cli/lib.json:1:97 warning workflow 'one:test'",
    ".cli/lib.json:1:140 warning workflow 'one:inner'",
  ];
  assert.deepEqual(places((await tool('validate')).stdout), expected);
  assert.deepEqual(places((await tool('run', 'main')).stderr), expected);
  assert.deepEqual((await tool('list')).stderr, '');
  // A run of one copy reports the warnings of that copy.
  assert.deepEqual(
    places((await tool('run', 'two:test')).stderr),
    expected.map((line) => line.replace("'one:", "'two:")),
  );
});

test('an unresolved reference in a file that is included twice is reported once', async (t) => {
  const step = { run: 'echo ${steps.none.KEY}', with: { A: '${vars.NONE}' } };
  const cwd = files(t, TWICE({ test: { steps: [step] } }));
  const errors = async (...args: string[]): Promise<number> =>
    [...(await cli(args, { cwd, env: ONLY_PATH })).stderr.matchAll(/: error: /g)].length;
  assert.equal(await errors('workflow', 'validate'), 1);
  assert.equal(await errors('run', 'main'), 1);
  writeFileSync(
    join(cwd, '.cli/lib.json'),
    JSON.stringify({ workflows: { test: { steps: [{ ...step, run: 'true' }] } } }),
  );
  assert.equal(await errors('run', 'main'), 1);
});

test('a private workflow is reported as unused only if no copy of its file uses it', async (t) => {
  const cwd = files(
    t,
    TWICE(
      { test: { steps: [] }, used: { private: true, steps: [] }, unused: { private: true, steps: [] } },
      { steps: [{ workflow: 'two:used' }] },
    ),
  );
  const { stdout } = await cli(['validate'], { cwd, env: ONLY_PATH });
  assert.deepEqual(stdout.match(/workflow '[^']*': never used/g), ["workflow 'one:unused': never used"]);
});

test('calls into an unreadable or malformed file cause no further errors', async (t) => {
  const cwd = files(t, {
    '.cli/workflow.json': {
      include: { none: 'none.json', broken: 'broken.json', round: 'round.json', lib: 'lib.json' },
      default: 'none:a',
      workflows: { ci: { steps: ['none:a', 'broken:a', 'round:main:a', 'lib:a'].map((workflow) => ({ workflow })) } },
    },
    '.cli/broken.json': '{',
    '.cli/round.json': { include: { main: 'workflow.json' }, workflows: {} },
    '.cli/lib.json': { workflows: {} },
  });
  const { stdout } = await cli(['validate', '--format', 'json'], { cwd, env: ONLY_PATH });
  const messages = v.parse(Findings, JSON.parse(stdout)).findings.map(({ message }) => message);
  assert.deepEqual(messages, [
    "cannot read '.cli/none.json': it does not exist",
    "step 4: unknown workflow 'lib:a'",
    "expected ',' or '}', but the file ends here",
    'circular include: .cli/workflow.json -> .cli/round.json -> .cli/workflow.json',
  ]);
});

/** A file that includes another one, whose commands run in `app`. */
function including(path: string): object {
  return { include: { lib: { file: path, dir: 'app' } }, workflows: {} };
}

test('paths of includes are relative to the including file, and dir and dotenv to the directory of commands', async (t) => {
  const build = { steps: ['echo "$A in ${PWD##*/}"'] };
  const cwd = files(t, {
    '.cli/workflow.json': including('../app/flow.json'),
    '.git/HEAD': '',
    'app/sub/x': '',
    'app/flow.json': { include: { deep: 'deep.json' }, dotenv: 'a.env', workflows: { build } },
    'app/deep.json': { workflows: { build } },
    'a.env': 'A=of-the-root',
    'app/a.env': 'A=of-the-file',
  });
  const ran = async (words: readonly string[], options: Partial<CommandOptions> = {}): Promise<string> =>
    (await cli(['run', ...words, '--quiet'], { cwd, env: ONLY_PATH, ...options })).stderr;
  assert.equal(await ran(['lib:build']), 'of-the-root in app\n');
  assert.equal(await ran(['lib:deep:build'], { cwd: join(cwd, 'app/sub') }), 'of-the-root in app\n');
  const input = JSON.stringify(including('app/flow.json'));
  assert.equal(await ran(['lib:build', '--file', '-'], { input }), 'of-the-root in app\n');
});

test('aliases and defaults of included files do not count', async (t) => {
  const cwd = files(t, {
    '.cli/workflow.json': { include: { lib: 'lib.json' }, workflows: {} },
    '.cli/lib.json': { default: 'build', workflows: { build: { aliases: ['b'], steps: ['echo built'] } } },
  });
  const code = async (...words: string[]): Promise<number | null> => (await cli(['run', ...words], { cwd })).code;
  assert.deepEqual([await code('lib:build'), await code('lib:b'), await code('b'), await code()], [0, 2, 2, 2]);
  assert.equal((await cli(['list'], { cwd })).stdout, 'lib:build  1 step\n');
});

test('a file that includes itself through a link is a circular include', async (t) => {
  const cwd = files(t, {
    '.cli/workflow.json': { include: { lib: 'lib.json' }, workflows: {} },
    '.cli/lib.json': { include: { again: 'link.json' }, workflows: {} },
  });
  symlinkSync('workflow.json', join(cwd, '.cli/link.json'));
  const { stdout } = await cli(['validate'], { cwd, env: ONLY_PATH });
  const path = '.cli/workflow.json -> .cli/lib.json -> .cli/link.json';
  assert.equal(stdout.split('\n')[0], `.cli/lib.json:1:21: error: circular include: ${path}`);
});
