import assert from 'node:assert/strict';
import { chmodSync, cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { before, test, type TestContext } from 'node:test';
import { cli, temporaryDirectory, finish } from '../support/cli.ts';
import { installJust, WITH_JUST } from '../support/imports/just.ts';
import { casesOf, FIXTURES } from '../support/goldens/goldens.ts';

const UPDATE = process.env['UPDATE_GOLDENS'] === '1';
const SOURCES = ['package.json', 'Makefile', 'justfile', 'Taskfile.yml'];
const KNOWN = new Set([...SOURCES, 'bin.txt', 'run.txt', 'workflow.json', 'stderr.txt']);

before(installJust);

/** A directory with the file of a case, and with the programs that `bin.txt` names. */
function given(t: TestContext, name: string): { cwd: string; source: string; read: (file: string) => string } {
  const directory = join(FIXTURES, 'imports', name);
  const files = readdirSync(directory);
  assert.deepEqual(
    files.filter((file) => !KNOWN.has(file)),
    [],
    'unused files of the case',
  );
  const source = SOURCES.find((file) => files.includes(file)) ?? '';
  const read = (file: string): string => (files.includes(file) ? readFileSync(join(directory, file), 'utf8') : '');
  const cwd = temporaryDirectory(t);
  cpSync(join(directory, source), join(cwd, source));
  for (const program of read('bin.txt').split('\n').filter(Boolean)) {
    const path = join(cwd, 'node_modules/.bin', program);
    mkdirSync(join(cwd, 'node_modules/.bin'), { recursive: true });
    writeFileSync(path, '#!/bin/sh\necho "${0##*/} $*"\n');
    chmodSync(path, 0o755);
  }
  return { cwd, source, read };
}

/** Writes an expected file, or removes it if the text is empty. */
function update(name: string, file: string, text: string): void {
  const path = join(FIXTURES, 'imports', name, file);
  if (text === '') rmSync(path, { force: true });
  else writeFileSync(path, text);
}

for (const name of casesOf('imports')) {
  test(`init --from converts ${name.replaceAll('-', ' ')}, and the result is valid and runs`, async (t) => {
    const { cwd, source, read } = given(t, name);
    const { code, stderr } = await cli(['workflow', 'init', '--from', source], { cwd, env: WITH_JUST });
    assert.equal(code, 0, stderr);
    const text = readFileSync(join(cwd, '.cli/workflow.json'), 'utf8');
    if (UPDATE)
      for (const [file, is] of [
        ['workflow.json', text],
        ['stderr.txt', stderr],
      ] as const)
        update(name, file, is);
    else assert.deepEqual({ text, stderr }, { text: read('workflow.json'), stderr: read('stderr.txt') });
    assert.deepEqual(await cli(['workflow', 'validate', '--format', 'text'], { cwd }), {
      code: 0,
      signal: null,
      stdout: '.cli/workflow.json: valid, 0 errors, 0 warnings\n',
      stderr: '',
    });

    const [ours = '', original = ''] = read('run.txt').split('\n');
    const run = await cli(['workflow', 'run', ...ours.split(' ')], { cwd, env: WITH_JUST });
    assert.equal(run.code, 0, run.stderr);
    if (original === '') return;
    const theirs = await finish('bash', ['-c', `${original} 2>&1`], { cwd, env: WITH_JUST });
    assert.equal(run.stderr.replaceAll(/^cli: .*\n/gm, ''), theirs.stdout);
  });
}

test('init --from rejects a file of an unknown kind', async (t) => {
  const cwd = temporaryDirectory(t, { 'build.gradle': 'task x' });
  assert.deepEqual(await cli(['workflow', 'init', '--from', 'build.gradle'], { cwd }), {
    code: 2,
    signal: null,
    stdout: '',
    stderr: "cli: cannot convert build.gradle: '--from' takes a package.json, justfile, Taskfile.yml or Makefile\n",
  });
  assert.equal(existsSync(join(cwd, '.cli')), false);
});

test('workflows converted from a file in another directory run in that directory', async (t) => {
  const cwd = temporaryDirectory(t, { 'app/Makefile': '.PHONY: where\nwhere:\n\t@basename "$$PWD"\n' });
  assert.equal((await cli(['workflow', 'init', '--from', 'app/Makefile'], { cwd })).code, 0);
  assert.equal((await cli(['workflow', 'run', 'where'], { cwd })).stderr, 'app\n');
});

test('a helper of a converted file is private, and the closing hint names another workflow', async (t) => {
  const cwd = temporaryDirectory(t, {
    Makefile: '.PHONY: _setup build\n_setup:\n\t@echo set up\nbuild: _setup\n\t@echo built\n',
  });
  const { stdout, stderr } = await cli(['init', '--from', 'Makefile'], { cwd });
  const schema = 'created .cli/schema.json, the schema for editors; it belongs in the repository';
  const hints = [
    'created .cli/workflow.json',
    schema,
    'to list the workflows: cli list',
    'to run a workflow: cli run build',
    'for coding agents: SKILL.md in the package of cli',
  ];
  assert.deepEqual([stdout, stderr], [`${hints.join('\n')}\n`, '']);
  assert.equal((await cli(['list'], { cwd })).stdout, 'build  2 steps\n');
});

test('init --from a justfile needs just, and writes nothing without it', async (t) => {
  const cwd = temporaryDirectory(t, { justfile: 'a:\n  echo a\n' });
  assert.deepEqual(await cli(['workflow', 'init', '--from', 'justfile'], { cwd, env: { PATH: cwd } }), {
    code: 2,
    signal: null,
    stdout: '',
    stderr: 'cli: cannot convert justfile: just is needed to read it, and is not installed (https://just.systems)\n',
  });
  assert.equal(existsSync(join(cwd, '.cli')), false);
});

test('init --from shows why just or the YAML parser cannot read a file', async (t) => {
  const cwd = temporaryDirectory(t, { justfile: 'a: b\n', 'Taskfile.yml': 'tasks:\n  a: [\n' });
  const stderrOf = async (file: string): Promise<string> => {
    const { code, stderr } = await cli(['workflow', 'init', '--from', file], { cwd, env: WITH_JUST });
    assert.deepEqual([code, existsSync(join(cwd, '.cli'))], [2, false]);
    return stderr;
  };
  assert.equal((await stderrOf('justfile')).split('\n')[0], 'cli: cannot convert justfile: just cannot read it');
  assert.match(await stderrOf('Taskfile.yml'), /^Taskfile\.yml:3:1: error: /);
});

test('what cannot be converted calls its tool, unless --no-fallback leaves it out', async (t) => {
  const cwd = temporaryDirectory(t, {
    'build.mk': 'include x.mk\nifdef DEBUG\n.PHONY: all\nall: ; @echo "all $(X)"\nendif\n',
    'x.mk': 'extra:\n',
  });
  const reason = 'its rule depends on a condition';
  const left = "cli: warning: build.mk:1: 'include x.mk' is left out\n";
  const init = (...flags: readonly string[]): ReturnType<typeof cli> =>
    cli(['workflow', 'init', '--from', 'build.mk', ...flags], { cwd });
  assert.deepEqual(await init('--no-fallback'), {
    code: 1,
    signal: null,
    stdout: '',
    stderr: `${left}cli: warning: build.mk:4: target 'all' is left out: ${reason}\ncli: build.mk has no targets that can be converted; no file was created\n`,
  });
  assert.equal(existsSync(join(cwd, '.cli')), false);
  assert.deepEqual(await init(), {
    code: 0,
    signal: null,
    stdout: '{"file":".cli/workflow.json","workflows":["all"]}\n',
    stderr: `${left}cli: warning: build.mk:4: target 'all' calls make: ${reason}\n`,
  });
  assert.deepEqual(readFileSync(join(cwd, '.cli/workflow.json'), 'utf8').split('\n').slice(2, -1), [
    '  "workflows": {',
    '    "all": {',
    `      "x-comment": "not converted: ${reason}",`,
    '      "steps": [',
    String.raw`        "make -f build.mk all \"$@\""`,
    '      ]',
    '    }',
    '  }',
    '}',
  ]);
  const env = { DEBUG: '1', MAKEFLAGS: '' };
  assert.equal((await cli(['run', 'all', '-q', '--', 'X=of make'], { cwd, env })).stderr, 'all of make\n');
});

for (const [source, text, noun] of [
  ['package.json', '{}', 'scripts'],
  ['Taskfile.yml', 'version: 3\n', 'tasks'],
  ['Makefile', 'A = 1\n', 'targets'],
] as const)
  test(`init --from a ${source} without ${noun} creates no file and exits with 1`, async (t) => {
    const cwd = temporaryDirectory(t, { [source]: text });
    assert.deepEqual(await cli(['workflow', 'init', '--from', source], { cwd }), {
      code: 1,
      signal: null,
      stdout: '',
      stderr: `cli: ${source} has no ${noun} that can be run; no file was created\n`,
    });
    assert.equal(existsSync(join(cwd, '.cli')), false);
  });
