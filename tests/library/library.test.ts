import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import * as library from '../../src/api.ts';
import type { Diagnostic, Files, Plan, Result } from '../../src/api.ts';
import { temporaryDirectory } from '../support/cli.ts';
import { VERSION } from '../support/package.ts';

const FILE = `{
  "include": { "lib": "lib.json" },
  "env": { "STAGE": "dev" },
  "before_all": "echo \\"$STAGE\\"",
  "workflows": {
    "release": {
      "description": "Publish",
      "steps": [
        { "name": "build", "run": "make", "outputs": { "ID": "text" } },
        { "if": "test -n \\"$STAGE\\"", "run": ["echo \\u00e9 '$STAGE'", "echo \${steps.build.ID}"] },
        { "workflow": "lib:publish", "if": "STAGE" }
      ]
    }
  }
}
`;
const LIBRARY = '{"workflows": {"publish": {"private": true, "steps": ["echo $STAGE"]}}}';

/** Files in memory. */
const files = (texts: Readonly<Record<string, string>>): Files => ({ read: (path) => texts[path] });
const PROJECT = library.parse(FILE, { path: 'main.json', files: files({ 'lib.json': LIBRARY }) });

function planIn(result: Result): Plan {
  assert.ok(result.ok, result.ok ? '' : result.diagnostics[0]?.message);
  return result.plan;
}

/** Whether a value can stand for a plan. */
type IsPlan<Value> = Value extends Plan ? true : false;

/** Compiles only if plans have a mark that no other object has. */
const ONLY_COMPILED: IsPlan<{ readonly workflow: string }> = false;

/** Diagnostics in short: `file:line:column-end severity code message`. */
function short(diagnostics: readonly Diagnostic[]): string[] {
  return diagnostics.map(
    ({ file, line, column, endLine, endColumn, severity, code, message }) =>
      `${file}:${line}:${column}-${endLine}:${endColumn} ${severity} ${code} ${message}`,
  );
}

function failures(result: Result): string[] {
  assert.ok(!result.ok);
  return short(result.diagnostics);
}

test('the versions are those of the package and of the format of plans', () => {
  assert.deepEqual([library.version, library.planFormat], [VERSION, 4]);
});

test('a project has its files, the root first, and each included file once', () => {
  const twice = '{"include": {"a": "lib.json", "b": "./lib.json"}, "workflows": {}}';
  const {
    path,
    valid,
    files: all,
  } = library.parse(twice, {
    path: 'x/main.json',
    files: { read: () => LIBRARY, realPath: (path) => join('/', path) },
  });
  assert.deepEqual(
    { path, valid, all },
    {
      path: 'x/main.json',
      valid: true,
      all: [
        { path: 'x/main.json', text: twice },
        { path: 'x/lib.json', text: LIBRARY },
      ],
    },
  );
  assert.ok(PROJECT.valid);
});

test('workflows and commands have the names and places of their files', () => {
  assert.deepEqual(library.list(PROJECT), [
    { name: 'release', description: 'Publish', private: false, step_count: 3 },
    { name: 'lib:publish', description: '', private: true, step_count: 1 },
  ]);
  assert.deepEqual(
    library.commands(PROJECT).map(({ kind, workflow, step, name, file, line, column, endLine, endColumn, command }) => {
      return [kind, workflow, step, name, `${file}:${line}:${column}-${endLine}:${endColumn}`, command];
    }),
    [
      ['hook', '', null, 'before_all', 'main.json:4:17-4:34', 'echo "$STAGE"'],
      ['step', 'release', 1, 'build', 'main.json:9:35-9:41', 'make'],
      ['condition', 'release', 2, 'step_2', 'main.json:10:17-10:37', 'test -n "$STAGE"'],
      ['step', 'release', 2, 'step_2', 'main.json:10:46-10:96', "echo é '$STAGE'\necho ${steps.build.ID}"],
      ['step', 'lib:publish', 1, 'step_1', 'lib.json:1:55-1:68', 'echo $STAGE'],
    ],
  );
});

test('names have the places of their uses, through JSON escapes and lines of scripts', () => {
  const shown = library.names(PROJECT).map(({ kind, name, role, certain, file, line, column, endColumn }) => {
    const texts = PROJECT.files.find(({ path }) => path === file)?.text.split('\n') ?? [];
    const written = texts[line - 1]?.slice(column - 1, endColumn - 1);
    return `${file}:${line} ${kind} ${name} ${role}${certain ? '' : ' uncertain'} ${written}`;
  });
  assert.deepEqual(shown, [
    'main.json:3 variable STAGE definition STAGE',
    'main.json:4 variable STAGE use STAGE',
    'main.json:6 workflow release definition release',
    'main.json:9 step build definition build',
    'main.json:9 output ID definition ID',
    'main.json:10 variable STAGE use STAGE',
    'main.json:10 variable STAGE use uncertain STAGE',
    'main.json:10 step build use build',
    'main.json:10 output ID use ID',
    'main.json:11 workflow lib:publish use publish',
    'main.json:11 variable STAGE use STAGE',
    'lib.json:1 workflow lib:publish definition publish',
    'lib.json:1 variable STAGE use STAGE',
  ]);
});

test('names are found in text that is not JSON', () => {
  const text = '{"env": {"A": "1"}, "workflows": {"w": {"steps": ["echo $A", {"workflow": "w"';
  const found = library.names(library.parse(text)).map(({ kind, name, role }) => `${kind} ${name} ${role}`);
  assert.deepEqual(found, ['variable A definition', 'workflow w definition', 'variable A use', 'workflow w use']);
});

test('parse reads no file, and link no dotenv file, unless files are given', () => {
  const read: string[] = [];
  const all: Files = { read: (path) => (read.push(path), path === '.env' ? 'A=1\n' : LIBRARY) };
  const text = '{"include": {"lib": "lib.json"}, "dotenv": ".env", "workflows": {"w": {"steps": ["true"]}}}';
  const alone = library.parse(text);
  assert.deepEqual(short(library.check(alone)), [
    ".cli/workflow.json:1:21-1:31 error unreadable-include cannot read '.cli/lib.json': no files are given",
  ]);
  const project = library.parse(text, { files: all });
  assert.deepEqual(read, ['.cli/lib.json']);
  const plan = planIn(library.compile(project, 'w'));
  assert.deepEqual(library.explain(planIn(library.link(plan)))[0]?.variables, []);
  assert.deepEqual(read, ['.cli/lib.json']);
  assert.deepEqual(library.explain(planIn(library.link(plan, { files: all })))[0]?.variables, [
    { name: 'A', value: '1', source: '.env', over: [] },
  ]);
});

test('nothing comes from the environment of the process', () => {
  process.env['STAGE_OF_TESTS'] = 'process';
  const text = '{"workflows": {"w": {"env": {"A": "${vars.STAGE_OF_TESTS}"}, "steps": ["true"]}}}';
  const plan = planIn(library.compile(library.parse(text), 'w'));
  assert.deepEqual(failures(library.link(plan)), [
    ".cli/workflow.json:1:35-1:59 error unresolved-variable 'env.A': ${vars.STAGE_OF_TESTS}: nothing outside of this scope sets STAGE_OF_TESTS; give it as STAGE_OF_TESTS:VALUE, or write ${vars.STAGE_OF_TESTS:-text}",
  ]);
  const linked = planIn(library.link(plan, { env: { STAGE_OF_TESTS: 'given' } }));
  assert.equal(library.explain(linked)[0]?.variables[0]?.value, 'given');
  delete process.env['STAGE_OF_TESTS'];
});

test('problems with files are diagnostics', (t) => {
  const directory = temporaryDirectory(t, { 'empty.json': '' });
  const missing = join(directory, 'missing.json');
  const empty = join(directory, 'empty.json');
  const problems = [missing, empty, directory].flatMap((path) => {
    const project = library.load(path);
    assert.ok(!project.valid);
    assert.deepEqual([library.list(project), library.commands(project), library.names(project)], [[], [], []]);
    assert.deepEqual(failures(library.compile(project, 'w')), short(library.check(project)));
    return short(library.check(project));
  });
  assert.deepEqual(problems, [
    `${missing}:1:1-1:1 error unreadable-file cannot read ${missing}: it does not exist`,
    `${empty}:1:1-1:1 error unreadable-file cannot read ${empty}: it is empty`,
    `${directory}:1:1-1:1 error unreadable-file cannot read ${directory}: EISDIR: illegal operation on a directory`,
  ]);
  const thrown = library.parse('{"include": {"a": "a.json"}, "workflows": {}}', {
    path: 'w.json',
    files: {
      read: () => {
        throw new Error('no connection');
      },
    },
  });
  assert.deepEqual(short(library.check(thrown)), [
    "w.json:1:19-1:27 error unreadable-include cannot read 'a.json': no connection",
  ]);
});

test('a workflow that cannot be compiled, and a dotenv file that cannot be read, have diagnostics', () => {
  const text =
    '{"dotenv": "a.env", "workflows": {"build": {"inputs": {"A": {}}, "steps": [{"run": "true", "matrix": {"M": ["1"]}}]}}}';
  const project = library.parse(text, { path: 'w.json' });
  const compiled = (workflow: string, params: Record<string, string> = {}): string[] =>
    failures(library.compile(project, workflow, { params }));
  assert.deepEqual(
    [
      ...compiled('biuld'),
      ...compiled('build', { 'A B': '1' }),
      ...compiled('build', { AA: '1' }),
      ...compiled('build', { M: '1' }),
    ],
    [
      "w.json:1:1-1:1 error unknown-workflow no workflow 'biuld' in w.json; did you mean 'build'?",
      "w.json:1:1-1:1 error bad-parameter the key of the parameter 'A…' is not a valid variable name: use letters, digits and underscores, and do not start with a digit",
      "w.json:1:1-1:1 error bad-parameter nothing in workflow 'build' mentions the parameter 'AA'; did you mean 'A'?",
      "w.json:1:1-1:1 error bad-parameter the parameter 'M' cannot override a variable of the matrix of build step 1",
    ],
  );
  const plan = planIn(library.compile(project, 'build', { params: { A: '1' } }));
  assert.deepEqual(failures(library.link(plan, { files: files({ 'a.env': 'A=1\nB' }) })), [
    'a.env:2:1-2:1 error bad-dotenv not of the form KEY=value',
  ]);
});

test('the text of a plan has no values of secret parameters', () => {
  const project = library.parse('{"workflows": {"w": {"steps": ["echo $API_TOKEN"]}}}');
  const text = library.planText(planIn(library.compile(project, 'w', { params: { API_TOKEN: 'hush' } })));
  assert.ok(!text.includes('hush') && text.startsWith('plan 1 w "API_TOKEN:***"\n'), text);
});

test('projects and plans cannot be changed, and a changed copy is refused', () => {
  const plan = planIn(library.compile(PROJECT, 'release'));
  for (const value of [PROJECT, PROJECT.files, PROJECT.files[0], plan]) assert.ok(Object.isFrozen(value));
  assert.deepEqual(Object.keys(plan), ['workflow']);
  assert.throws(() => library.check({ ...PROJECT }), TypeError);
  assert.throws(() => library.planText({ ...plan }), TypeError);
  const before = library.check(PROJECT);
  assert.deepEqual(library.check(PROJECT), before);
});

test('an object that is like a plan is none, neither in the types nor in a call', () => {
  assert.equal(ONLY_COMPILED, false);
  const like: object = { workflow: 'x' };
  assert.throws(() => Reflect.apply(library.dryRun, undefined, [like]), {
    name: 'TypeError',
    message: 'plan must be the result of compile or link',
  });
});
