import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import * as v from 'valibot';
import { finish, temporaryDirectory, ROOT } from '../support/cli.ts';
import { quickCli as cli } from '../support/in_process.ts';
import { editorProblemsOf } from '../support/lsp/schema_editor.ts';
import { VERSION } from '../support/package.ts';
import { LINUX } from '../support/processes/shell.ts';
import { tree } from '../support/processes/tree.ts';

const Loose = v.record(v.string(), v.unknown());

function refused(problem: string): string {
  return `cli: cannot write .cli/workflow.json: ${problem}\ncli: no file was created\n`;
}

test('init creates a valid file without warnings, which runs', async (t) => {
  const cwd = temporaryDirectory(t);
  const written = '{"file":".cli/workflow.json","workflows":["hello","goodbye"]}\n';
  assert.deepEqual(await cli(['workflow', 'init'], { cwd }), { code: 0, signal: null, stdout: written, stderr: '' });
  assert.deepEqual(await cli(['workflow', 'validate', '--format', 'text'], { cwd }), {
    code: 0,
    signal: null,
    stdout: '.cli/workflow.json: valid, 0 errors, 0 warnings\n',
    stderr: '',
  });
  const { code, stderr } = await cli(['workflow', 'run', 'hello', 'NAME:you', 'SHOUT:1'], { cwd });
  assert.deepEqual([code, stderr], [0, 'Hello, you\nHELLO, you\nSee you soon, you\n']);
});

test('init never overwrites an existing file, not even an empty one', async (t) => {
  const cwd = temporaryDirectory(t, { '.cli/workflow.json': '' });
  assert.deepEqual(await cli(['workflow', 'init'], { cwd }), {
    code: 2,
    signal: null,
    stdout: '',
    stderr: refused('it exists already'),
  });
  assert.equal(readFileSync(join(cwd, '.cli/workflow.json'), 'utf8'), '');
});

const cannotWrite = (problem: string): string =>
  `cli: cannot write .cli/workflow.json: ${problem}\ncli: no file was created\n`;

test('init writes through no link but a directory that was named', async (t) => {
  const cwd = temporaryDirectory(t, { 'elsewhere/x': '' });
  const init = async (...words: readonly string[]): Promise<string> => (await cli(['init', ...words], { cwd })).stderr;
  const link = join(cwd, '.cli');
  symlinkSync('elsewhere', link);
  const advice = '.cli is a symbolic link; to use it, add --file .cli/workflow.json';
  assert.deepEqual([await init(), readdirSync(link)], [cannotWrite(advice), ['x']]);
  assert.equal(await init('--file', '.cli/workflow.json'), '');
  assert.deepEqual(readdirSync(link), ['schema.json', 'workflow.json', 'x']);
  rmSync(link);
  for (const [file, problem] of [
    ['workflow.json', 'it exists already'],
    ['schema.json', '.cli/schema.json: it exists already'],
  ] as const) {
    mkdirSync(link);
    symlinkSync('../new', join(link, file));
    assert.deepEqual(
      [await init(), readdirSync(link), readdirSync(cwd)],
      [cannotWrite(problem), [file], ['.cli', 'elsewhere']],
    );
    rmSync(link, { recursive: true });
  }
});

test('VS Code reports no problems in a new file, with a local copy of the schema', async (t) => {
  const cwd = temporaryDirectory(t);
  await cli(['workflow', 'init'], { cwd });
  const text = readFileSync(join(cwd, '.cli/workflow.json'), 'utf8');
  assert.equal(Object.entries(v.parse(Loose, JSON.parse(text)))[0]?.join(' '), '$schema ./schema.json');
  assert.deepEqual(await editorProblemsOf(join(cwd, '.cli/workflow.json')), []);
  assert.equal(
    readFileSync(join(cwd, '.cli/schema.json'), 'utf8'),
    readFileSync(join(ROOT, 'dist/schema.json'), 'utf8'),
  );
  writeFileSync(join(cwd, '.cli/workflow.json'), text.replace('"error"', '"eror"'));
  assert.equal((await editorProblemsOf(join(cwd, '.cli/workflow.json'))).length, 1);
});

test('init refers to the schema of the installed package, and to none that an editor cannot find', async (t) => {
  const installed = { 'node_modules/workflow-plan/dist/schema.json': '{}' };
  for (const [files, file, schema] of [
    [installed, '.cli/workflow.json', '../node_modules/workflow-plan/dist/schema.json'],
    [installed, 'ci.json', 'node_modules/workflow-plan/dist/schema.json'],
    [{}, 'ci.json', undefined],
    [{ '.cli/schema.json': '{"title": "of another tool"}' }, '.cli/workflow.json', undefined],
  ] as const) {
    const cwd = temporaryDirectory(t, files);
    assert.equal((await cli(['workflow', 'init', '--file', file], { cwd })).code, 0);
    assert.equal(v.parse(Loose, JSON.parse(readFileSync(join(cwd, file), 'utf8')))['$schema'], schema);
    assert.deepEqual(Object.keys(tree(cwd)).toSorted(), [...Object.keys(files), file].toSorted());
  }
});

test('validate warns about an editor schema that is older than the tool', async (t) => {
  const cwd = temporaryDirectory(t);
  await cli(['workflow', 'init'], { cwd });
  const schema = join(cwd, '.cli/schema.json');
  const text = readFileSync(schema, 'utf8');
  const stderrOf = async (version: string): Promise<string> => {
    writeFileSync(schema, text.replace(/workflow-plan [^"]+/, `workflow-plan ${version}`));
    const { code, stdout, stderr } = await cli(['workflow', 'validate', '--strict'], { cwd });
    assert.deepEqual([code, stdout], [0, '{"valid":true,"errors":[]}\n']);
    return stderr;
  };
  const warning =
    'cli: warning: .cli/schema.json is of version 0.0.9, older than this tool; ' +
    'to renew it: cli workflow schema --pretty >.cli/schema.json\n';
  assert.deepEqual([await stderrOf('0.0.9'), await stderrOf(VERSION), await stderrOf('99.0.0')], [warning, '', '']);
});

test('init creates the file given by --file, and rejects standard input', async (t) => {
  const cwd = temporaryDirectory(t);
  const { code, stdout } = await cli(['workflow', 'init', '--file', 'a/b/ci.json'], { cwd });
  assert.deepEqual([code, stdout], [0, '{"file":"a/b/ci.json","workflows":["hello","goodbye"]}\n']);
  assert.deepEqual(Object.keys(tree(cwd)), ['a/b/ci.json']);
  const refused = await cli(['workflow', 'init', '--file', '-'], { cwd });
  assert.deepEqual([refused.code, refused.stderr], [2, "cli: '--file' needs a path: init creates a file\n"]);
});

test('init --from converts the scripts of a package.json to workflows that run as with npm', async (t) => {
  const scripts = {
    prebuild: 'echo before',
    build: 'tool "$HOME" \'a b\'',
    postbuild: 'echo after && echo twice',
    prepare: 'echo prepared',
    '10': 'echo ten',
    empty: ' ',
  };
  const cwd = temporaryDirectory(t, {
    'package.json': { name: 'x', scripts },
    'node_modules/.bin/tool': '#!/bin/sh\necho "tool $2"\n',
  });
  chmodSync(join(cwd, 'node_modules/.bin/tool'), 0o755);
  assert.deepEqual(await cli(['workflow', 'init', '--from', 'package.json', '--no-fallback'], { cwd }), {
    code: 0,
    signal: null,
    stdout: '{"file":".cli/workflow.json","workflows":["10","build","prepare"]}\n',
    stderr: "cli: warning: script 'empty' is left out: it must not be blank\n",
  });
  assert.equal(
    readFileSync(join(cwd, '.cli/workflow.json'), 'utf8'),
    String.raw`{
  "$schema": "./schema.json",
  "env": { "PATH": "${'$'}{vars.PWD:-.}/node_modules/.bin:node_modules/.bin:${'$'}{vars.PATH}" },
  "workflows": {
    "10": {
      "description": "npm run 10",
      "steps": [
        { "name": "10", "run": "echo ten" }
      ]
    },
    "build": {
      "description": "npm run build",
      "steps": [
        { "name": "prebuild", "run": "echo before" },
        { "name": "build", "run": "tool \"$HOME\" 'a b'" },
        { "name": "postbuild", "run": "echo after && echo twice" }
      ]
    },
    "prepare": {
      "description": "npm run prepare",
      "steps": [
        { "name": "prepare", "run": "echo prepared" }
      ]
    }
  }
}
`,
  );
  assert.equal((await cli(['workflow', 'validate'], { cwd })).stdout, '{"valid":true,"errors":[]}\n');
  const ours = await cli(['workflow', 'run', 'build'], { cwd });
  assert.equal(ours.stderr, 'before\ntool a b\nafter\ntwice\n');
  const npm = await finish('npm', ['run', '--silent', 'build'], { cwd });
  assert.equal(npm.stdout, ours.stderr);
});

for (const [what, text, stderr] of [
  ['that is missing', undefined, 'cli: cannot read package.json: it does not exist\n'],
  [
    'that is not JSON',
    '{',
    "package.json:1:2: error: expected ',' or '}', but the file ends here\n    1 | {\n      |  ^\n",
  ],
  ['that is empty', '', 'cli: cannot read package.json: it is empty\n'],
  [
    'of more than 16 MiB',
    ' '.repeat(16 * 1024 * 1024 + 1),
    'cli: cannot read package.json: it has more than 16777216 bytes (16 MiB)\n',
  ],
] as const) {
  test(`init --from a package.json ${what} writes nothing`, async (t) => {
    const cwd = temporaryDirectory(t);
    if (text !== undefined) writeFileSync(join(cwd, 'package.json'), text);
    const refused = await cli(['workflow', 'init', '--from', 'package.json'], { cwd });
    assert.deepEqual(refused, { code: 2, signal: null, stdout: '', stderr });
    assert.deepEqual(Object.keys(tree(cwd)), text === undefined ? [] : ['package.json']);
  });
}

test('init --from rejects a pipe, a device and a directory at once', LINUX, async (t) => {
  const cwd = temporaryDirectory(t, { 'sub/x': '' });
  execFileSync('mkfifo', [join(cwd, 'pipe')]);
  for (const [path, problem] of [
    ['pipe', 'it is not a regular file'],
    ['/dev/zero', 'it is not a regular file'],
    ['sub', 'EISDIR: illegal operation on a directory'],
  ]) {
    const { code, stderr } = await cli(['workflow', 'init', '--from', path ?? ''], { cwd });
    assert.deepEqual([code, stderr], [2, `cli: cannot read ${path}: ${problem}\n`]);
  }
});
