import assert from 'node:assert/strict';
import { existsSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { COMMAND, finish, temporaryDirectory, IS_STANDALONE, workflowDirectory } from '../support/cli.ts';
import { quickCli as cli } from '../support/in_process.ts';
import { script } from '../support/processes/shell.ts';

/** The document of a run of workflow `w` whose commands all exited with 0. */
function done(...commands: readonly string[]): string {
  const steps = commands.map((command, n) => ({ name: `step_${n + 1}`, command, exit_code: 0 }));
  return `${JSON.stringify({ workflow: 'w', steps, success: true })}\n`;
}

/** A directory that contains only `sh`, for PATH. */
function onlySh(t: TestContext): string {
  const path = temporaryDirectory(t);
  symlinkSync('/bin/sh', join(path, 'sh'));
  return path;
}

for (const variable of ['BASH_ENV', 'ENV']) {
  test(`the startup file in ${variable} does not run in steps, with bash or sh`, async (t) => {
    const steps = ['echo step; [ ! -e started ]'];
    const cwd = temporaryDirectory(t, {
      '.cli/workflow.json': { workflows: { w: { steps } } },
      'startup.sh': 'echo started; touch started\n',
    });
    const env = { [variable]: join(cwd, 'startup.sh') };
    for (const path of [process.env['PATH'], onlySh(t)]) {
      assert.deepEqual(await cli(['workflow', 'run', 'w'], { cwd, env: { ...env, PATH: path } }), {
        code: 0,
        signal: null,
        stdout: done(...steps),
        stderr: 'step\n',
      });
    }
    assert.equal(existsSync(join(cwd, 'started')), false);
  });
}

test('the output variables of an outer run do not reach the steps of a nested run', async (t) => {
  const command = 'echo "${CLI_OUTPUT_1-unset} ${CLI_OUTPUT_X-unset}"';
  const cwd = workflowDirectory(t, { workflows: { w: { steps: [command] } } });
  const env = { CLI_OUTPUT_1: 'outer', CLI_OUTPUT_X: 'own' };
  const { stdout, stderr } = await cli(['workflow', 'run', 'w'], { cwd, env });
  assert.deepEqual([stdout, stderr], [done(command), 'unset own\n']);
});

test('inherited SHELLOPTS and BASHOPTS have no effect in steps, hooks and conditions', async (t) => {
  const command = 'echo nosuch*; echo "${SHELLOPTS-none}" | grep -c noexec; exit 3';
  const cwd = workflowDirectory(t, {
    before_all: 'echo before',
    workflows: { w: { steps: [{ if: 'exit 1', run: 'echo never' }, command] } },
  });
  const env = { SHELLOPTS: 'noexec:xtrace', BASHOPTS: 'failglob:extdebug' };
  const { code, stderr } = await cli(['workflow', 'run', 'w'], { cwd, env });
  const failed = "cli: step 'step_2' of workflow 'w' failed with exit code 3";
  assert.deepEqual([code, stderr], [1, `before\nnosuch*\n0\n${failed}\n`]);
});

test('~/.bashrc does not run in a step whose standard input is a socket', async (t) => {
  const home = temporaryDirectory(t, { '.bashrc': 'echo bashrc; exit 0\n', '.profile': 'echo profile\n' });
  const cwd = workflowDirectory(t, { workflows: { w: { steps: ['echo step; exit 4'] } } });
  // Node.js connects children by sockets, which bash takes for a remote shell if SHLVL is unset.
  const env = { HOME: home, SHLVL: undefined };
  const control = await finish('bash', ['-c', 'echo control'], { cwd, env });
  assert.equal(control.stdout, 'bashrc\n');
  const { code, stderr } = await cli(['workflow', 'run', 'w'], { cwd, env });
  const failed = "cli: step 'step_1' of workflow 'w' failed with exit code 4";
  assert.deepEqual([code, stderr], [1, `step\n${failed}\n`]);
});

test('functions exported by the calling shell are available in steps', async (t) => {
  const cwd = workflowDirectory(t, { workflows: { w: { steps: ['greet you'] } } });
  const text = 'greet() { echo "hello $1"; }; export -f greet; cli workflow run w';
  const { stdout, stderr } = await script(text, { cwd });
  assert.deepEqual([stdout, stderr], [done('greet you'), 'hello you\n']);
});

test('the shell is found even if PATH is set to a missing directory', async (t) => {
  const step = { run: 'echo "$PATH"; type ls >/dev/null 2>&1; echo $?', with: { PATH: '/nosuch' } };
  const file = { env: { PATH: '/nosuch/either' }, before_all: 'echo "$PATH"' };
  const cwd = workflowDirectory(t, { ...file, workflows: { w: { steps: [step] } } });
  const { code, stderr } = await cli(['workflow', 'run', 'w'], { cwd });
  assert.deepEqual([code, stderr], [0, '/nosuch/either\n/nosuch\n1\n']);
});

test('a run works in an empty environment', async (t) => {
  const cwd = workflowDirectory(t, { workflows: { w: { steps: ['echo "${HOME-no home}"; true'] } } });
  const run = ['-i', ...COMMAND, 'workflow', 'run', 'w', '--quiet'];
  assert.deepEqual(await finish('env', run, { cwd }), {
    code: 0,
    signal: null,
    stdout: done('echo "${HOME-no home}"; true'),
    stderr: 'no home\n',
  });
});

for (const [without, env] of [
  ['without HOME', { HOME: undefined }],
  ['without PATH', { PATH: undefined }],
  ['in the C locale', { LANG: 'C', LC_ALL: 'C' }],
  ['on a dumb terminal', { TERM: 'dumb', NO_COLOR: '1', COLUMNS: '1' }],
] as const) {
  test(`a run works ${without}, and preserves non-ASCII text`, async (t) => {
    const steps = ['echo "žluťoučký 🐎 $V"'];
    const cwd = workflowDirectory(t, { env: { V: 'ß' }, workflows: { w: { steps } } });
    assert.deepEqual(await cli(['workflow', 'run', 'w'], { cwd, env }), {
      code: 0,
      signal: null,
      stdout: done(...steps),
      stderr: 'žluťoučký 🐎 ß\n',
    });
  });
}

/** The runtime of the standalone executable does not start in a deleted directory, and prints its own message. */
const IN_DELETED_DIRECTORY = {
  code: IS_STANDALONE ? 1 : 2,
  signal: null,
  stdout: '',
  stderr: IS_STANDALONE
    ? "error: The current working directory was deleted, so that command didn't work. Please cd into a different directory and try again.\n"
    : 'cli: the current directory no longer exists\n',
};

for (const command of ['run w', 'run w --dry-run', 'list', 'validate']) {
  test(`in a deleted working directory, \`cli workflow ${command}\` reports the reason`, async (t) => {
    const cwd = temporaryDirectory(t, { 'gone/.cli/workflow.json': { workflows: { w: { steps: ['true'] } } } });
    const text = `cd gone && rm -r ../gone && cli workflow ${command}`;
    assert.deepEqual(await script(text, { cwd }), IN_DELETED_DIRECTORY);
  });
}

test('in a deleted working directory, a run of a file elsewhere is rejected before anything runs', async (t) => {
  const cwd = temporaryDirectory(t, { 'workflow.json': { workflows: { w: { steps: ['echo never'] } } }, 'gone/x': '' });
  const text = `file=$PWD/workflow.json; cd gone && rm -r ../gone && cli workflow run w --file "$file"`;
  assert.deepEqual(await script(text, { cwd }), IN_DELETED_DIRECTORY);
});
