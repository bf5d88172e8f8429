/* What other tools offer for the directory in which they were started, and what they check before they start. */
import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { temporaryDirectory } from '../support/cli.ts';
import { quickCli as cli } from '../support/in_process.ts';
import { converted } from '../support/imports/converted.ts';

/** Writes what a converted workflow logs, run from a subdirectory. */
async function runBelow(cwd: string, args: readonly string[]): Promise<string> {
  mkdirSync(join(cwd, 'below'), { recursive: true });
  writeFileSync(join(cwd, 'log'), '');
  const { code, stderr } = await cli(['run', '-q', ...args], {
    cwd: join(cwd, 'below'),
    env: { LOG: join(cwd, 'log') },
  });
  assert.equal(code, 0, stderr);
  return readFileSync(join(cwd, 'log'), 'utf8').replaceAll(cwd, '.');
}

test('[no-cd] and invocation_directory() of just are the directory in which cli was started', async (t) => {
  const justfile = [
    'here := invocation_directory()',
    'export ALL := invocation_dir() / "x"',
    '[no-cd]',
    'free:\n    echo "$(pwd) $ALL" >>"$LOG"',
    'bound:\n    echo "$(pwd)" "{{here}}" {{quote(invocation_directory_native())}} >>"$LOG"',
  ].join('\n');
  const { cwd, leftOut, workflows } = await converted(t, 'justfile', { justfile });
  assert.deepEqual(
    [leftOut, workflows['free']],
    ['', { dir: '${vars.CLI_CALLER_DIR}', steps: ['set -u; echo "$(pwd) $ALL" >>"$LOG"'] }],
  );
  assert.equal(await runBelow(cwd, ['free']), './below ./below/x\n');
  assert.equal(await runBelow(cwd, ['bound']), '. ./below ./below\n');
});

test('a justfile with set no-cd keeps the directory in which cli was started', async (t) => {
  const { cwd } = await converted(t, 'justfile', { justfile: 'set no-cd\nfree:\n    pwd >>"$LOG"\n' });
  assert.equal(await runBelow(cwd, ['free']), './below\n');
});

test('{{.USER_WORKING_DIR}} of go-task is the directory in which cli was started', async (t) => {
  const tasks = {
    a: { dir: '{{.USER_WORKING_DIR}}', cmds: ['pwd >>"$LOG"'] },
    b: { env: { HERE: '{{.USER_WORKING_DIR}}/x' }, cmds: ['echo "$HERE" "{{.USER_WORKING_DIR}}" >>"$LOG"'] },
  };
  const { cwd, leftOut } = await converted(t, 'Taskfile.yml', {
    'Taskfile.yml': JSON.stringify({ version: '3', tasks }),
  });
  assert.equal(leftOut, '');
  assert.equal(await runBelow(cwd, ['a']), './below\n');
  assert.equal(await runBelow(cwd, ['b']), './below/x ./below\n');
});

test('INIT_CWD of npm is the directory in which cli was started', async (t) => {
  const scripts = { here: 'echo $INIT_CWD $(pwd) >>"$LOG"' };
  const { cwd, leftOut } = await converted(t, 'package.json', { 'package.json': JSON.stringify({ scripts }) });
  assert.equal(leftOut, '');
  assert.equal(await runBelow(cwd, ['here']), './below .\n');
});

test('the required arguments of +x are checked before the dependencies run, and $_ is that of sh', async (t) => {
  const justfile = 'all +x: dep\n    echo {{x}} >>"$LOG"\n    echo $_\ndep:\n    echo dep >>"$LOG"\n';
  const { cwd, workflows } = await converted(t, 'justfile', { justfile });
  assert.deepEqual(workflows['all'], {
    steps: [': "${*:?x is missing}"', { workflow: 'dep' }, 'set -u; echo "$@" >>"$LOG"', "sh -uc 'echo $_'"],
  });
  assert.equal(await runBelow(cwd, ['all', '--', 'a b']), 'dep\na b\n');
  const env = { LOG: join(cwd, 'log') };
  assert.equal((await cli(['run', '-q', 'all'], { cwd, env })).code, 1);
  assert.equal(readFileSync(join(cwd, 'log'), 'utf8'), 'dep\na b\n');
});

test('an included file of variables is read as make does, any other one is left out, with its secrets', async (t) => {
  const rule = '.PHONY: all\nall:\n\t@echo $(A) $(B) >>"$$LOG"\n';
  const files = { 'config.mk': '# settings\nA = one\nB := $(A) two\n', '.env': 'A=env\n' };
  const { cwd, leftOut } = await converted(t, 'Makefile', {
    ...files,
    Makefile: `include config.mk\n-include .env\n${rule}`,
  });
  assert.equal(leftOut, '');
  assert.equal(await runBelow(cwd, ['all']), 'env one two\n');
  for (const text of [
    'A = 1\nextra:\n\ttrue\n',
    'A = 1\nAPI_TOKEN = 1\n',
    'ifdef X\nA = 1\nendif\n',
    'SHELL = zsh\n',
  ]) {
    const made = temporaryDirectory(t, { Makefile: `include config.mk\n${rule}`, 'config.mk': text });
    const { stderr } = await cli(['init', '--from', 'Makefile'], { cwd: made });
    assert.match(stderr, /^cli: warning: Makefile:1: 'include config.mk' is left out\n/, text);
  }
});

test('names of targets with special characters or 40,000 characters are compared as text', async (t) => {
  const long = 'x'.repeat(40_000);
  const names = ['a+(b', '[z-a]', 'c*', long];
  const Makefile = `include rules.mk\n${names.map((name) => `${name}:\n\ttrue\n`).join('')}`;
  const cwd = temporaryDirectory(t, { Makefile, 'rules.mk': `[z-a] ${long}: other\n` });
  const { stderr } = await cli(['init', '--from', 'Makefile', '--no-fallback'], { cwd });
  const reasons = stderr.match(/target '[^']{1,40000}' is left out: 'include rules.mk' may add to it/g);
  assert.deepEqual(
    reasons?.map((each) => each.length < 100),
    [true, false],
  );
});
