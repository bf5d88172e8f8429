import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { finish, temporaryDirectory, type CommandResult } from '../support/cli.ts';
import { quickCli } from '../support/in_process.ts';
import { git } from '../support/remote/repository.ts';

const FILE = {
  before_all: 'echo before >>log',
  after_all: 'echo after >>log',
  env: { LEVEL: 'file' },
  workflows: {
    lint: {
      inputs: { LEVEL: { type: 'choice', options: ['low', 'high', 'own'] }, TOKEN: {} },
      env: { LEVEL: 'own' },
      steps: ['echo "lint $LEVEL $TOKEN" >>log'],
    },
    test: {
      aliases: ['t'],
      finally: 'echo finally >>log',
      steps: ['echo "test $LEVEL $FAST" >>log', 'test ! -e broken'],
    },
    nested: { steps: [{ workflow: 'test', with: { FAST: 'inner' } }] },
    name: { inputs: { NAME: { required: true } }, steps: ['echo "name $NAME" >>log'] },
    checked: { steps: [{ run: 'true', sources: ['in'] }] },
  },
};

type Project = Readonly<{ cwd: string; cli: (line: string) => Promise<CommandResult>; log: () => readonly string[] }>;

function project(t: TestContext): Project {
  const cwd = temporaryDirectory(t, { '.cli/workflow.json': FILE, in: '' });
  const log = (): readonly string[] => {
    const lines = readFileSync(join(cwd, 'log'), 'utf8').trim().split('\n');
    writeFileSync(join(cwd, 'log'), '');
    return lines;
  };
  return { cwd, log, cli: (line) => quickCli(line.split(' '), { cwd, env: { CLI_NO_JOURNAL: undefined } }) };
}

test('several workflows in one call run as one, each with its own values, and the hooks of the file once', async (t) => {
  const { cli, log } = project(t);
  const { code, stdout, stderr } = await cli('workflow run lint low TOKEN:+ + t FAST:1 + lint');
  assert.equal(code, 0, stderr);
  const outline = (await cli('run lint + lint -n')).stdout;
  assert.match(outline, /^workflow lint \+ lint\n[^]* {2}> lint\n {4}- step_1 .*\n {2}> lint\n/);
  const expected = ['before', 'lint low +', 'test file 1', 'finally', 'lint own ', 'after'];
  assert.deepEqual(log(), expected);
  const { workflow, steps, success } = JSON.parse(stdout);
  assert.deepEqual([workflow, steps.length, success], ['lint + test + lint', 4, true]);
});

test('a run of several workflows is one record, and a resume has the values of each', async (t) => {
  const { cwd, cli, log } = project(t);
  writeFileSync(join(cwd, 'broken'), '');
  assert.equal((await cli('run lint LEVEL:low TOKEN:x + test FAST:1 + lint LEVEL:high TOKEN:y')).code, 1);
  log();
  const missing = await cli('resume --last');
  assert.match(
    missing.stderr,
    /^cli: the parameter 1\.TOKEN is secret and was not recorded; add 1\.TOKEN:VALUE, or set the variable TOKEN$/m,
  );
  const plain = await cli('resume --last FAST:2');
  assert.equal(plain.stderr, 'cli: a parameter of one of several workflows begins with its number: 1.FAST:VALUE\n');
  writeFileSync(join(cwd, 'in'), '');
  const { rmSync } = await import('node:fs');
  rmSync(join(cwd, 'broken'));
  const { code, stderr } = await cli('resume --last 1.TOKEN:x 3.TOKEN:z');
  assert.equal(code, 0, stderr);
  assert.deepEqual(log(), ['before', 'finally', 'lint high z', 'after']);
});

test('mistakes in a call of several workflows are errors of their own', async (t) => {
  const { cli } = project(t);
  const errors: Readonly<Record<string, RegExp>> = {
    'run lint +': /^cli: '\+' stands between the names of two workflows: cli run lint \+ test\n$/,
    'run + test': /^cli: '\+' stands between the names of two workflows: cli run lint \+ test$/m,
    'run lint + tset': /^cli: no workflow 'tset' in \.cli\/workflow\.json; did you mean 'test'\?$/m,
    'run lint + test FSAT:1 --strict':
      /^cli: nothing in workflow 'test' mentions the parameter 'FSAT'; did you mean 'FAST'\?$/m,
    'run lint wrong + test': /^cli: workflow 'lint': the input LEVEL must be one of low, high, own, not 'wrong'/m,
    'run name + test': /^cli: usage: cli run name NAME:VALUE \+ test$/m,
    'run test + nested FAST:1':
      /^cli: the with of nested step 1 sets FAST, too, which only a parameter of a single run overrides: run 'nested' by itself$/m,
    'run test lint': /^cli: to run both: cli run test \+ lint$/m,
  };
  for (const [line, message] of Object.entries(errors)) {
    const { code, stderr } = await cli(line);
    assert.equal(code, 2, stderr);
    assert.match(stderr, message);
  }
});

test('plan, diff, export, status, explain and completion take several workflows', async (t) => {
  const { cwd, cli, log } = project(t);
  writeFileSync(join(cwd, 'saved.plan'), (await cli('plan lint LEVEL:low + test FAST:1')).stdout);
  const checked = await cli('plan --check saved.plan');
  assert.equal(checked.code, 0, checked.stdout + checked.stderr);
  git(cwd, 'init', '--quiet');
  git(cwd, 'add', '.');
  git(cwd, 'commit', '--quiet', '--message', 'x');
  assert.equal((await cli('diff lint + test')).code, 0);
  const edited = { ...FILE, env: { LEVEL: 'edited' } };
  writeFileSync(join(cwd, '.cli/workflow.json'), JSON.stringify(edited));
  const { code, stdout } = await cli('diff lint LEVEL:low + test');
  assert.deepEqual(
    [code, stdout.startsWith('workflow lint + test'), stdout.includes('LEVEL')],
    [1, true, true],
    stdout,
  );
  assert.match((await cli('status checked + test')).stdout, /^step 'step_1' of workflow 'checked': runs: no record$/m);
  assert.match((await cli('explain lint LEVEL:low + test')).stdout, /LEVEL=low {2}\(with of lint \+ test step 1\)/);
  const script = await cli('export name + lint');
  assert.equal(script.code, 0, script.stderr);
  writeFileSync(join(cwd, 'script.sh'), script.stdout);
  await finish('bash', ['script.sh', 'NAME:x', 'LEVEL:high'], { cwd });
  assert.deepEqual(log(), ['before', 'name x', 'lint high ', 'after']);
  assert.match((await cli('export name x + lint')).stderr, /takes no parameters/);
  assert.match((await cli('completion words -- fish cli run lint + te')).stdout, /^test/m);
});
