import assert from 'node:assert/strict';
import { test } from 'node:test';
import { workflowDirectory } from '../support/cli.ts';
import { quickCli as cli, inProcess } from '../support/in_process.ts';

const SHOW = 'printf "<%s>" "$#" "$@"';

test('arguments after `--` reach every command of the run: steps, conditions and hooks', async (t) => {
  const cwd = workflowDirectory(t, {
    before_all: SHOW,
    finally: SHOW,
    workflows: {
      w: { steps: [{ if: '[ "$1" = "a b" ]', run: SHOW }, { workflow: 'inner' }] },
      inner: { steps: [SHOW] },
    },
  });
  for (const words of [
    ['run', 'w', 'K:1', '--', 'a b', '--x', '--', 'K:V'],
    ['workflow', 'run', '--', 'w', 'K:1', '--', 'a b', '--x', '--', 'K:V'],
  ]) {
    const { code, stdout, stderr } = await cli(['-q', ...words], { cwd });
    assert.deepEqual([code, stderr], [0, '<4><a b><--x><--><K:V>'.repeat(4)]);
    assert.equal(stdout.includes('a b>'), false);
  }
});

test('arguments do not change `$0` of a command', async (t) => {
  const cwd = workflowDirectory(t, { workflows: { w: { steps: ['echo "$0 ${1-none}"'] } } });
  const plain = await cli(['run', 'w', '-q'], { cwd });
  const given = await cli(['run', 'w', '-q', '--', 'x'], { cwd });
  assert.equal(given.stderr, plain.stderr.replace(' none', ' x'));
});

test('a bare `--` without arguments has no effect', async (t) => {
  const cwd = workflowDirectory(t, { workflows: { w: { steps: ['true'] } } });
  assert.equal((await cli(['run', 'w', '--'], { cwd })).code, 0);
});

for (const [command, isMention] of [
  ['x "$@"', true],
  ['x $*', true],
  ['x $#', true],
  ['x $1', true],
  ['x ${1:-y}', true],
  ['x ${10}', true],
  ['x ${@:2}', true],
  ['x ${#}', true],
  ['x ${#@}', true],
  ['x $0', false],
  ['x ${0}', false],
  ['x $PATH', false],
  ['x ${#PATH}', false],
  ['x $$ @ 1', false],
] as const) {
  test(`\`${command}\` ${isMention ? 'mentions' : 'does not mention'} the arguments`, async (t) => {
    const cwd = workflowDirectory(t, { workflows: { w: { steps: [command] } } });
    const { code, stderr } = await inProcess(t, ['run', 'w', '-n', '-f', '.cli/workflow.json', '--', 'y'], { cwd });
    const error = `cli: nothing in workflow 'w' mentions the arguments after '--'; write "$@" where they belong\n`;
    assert.deepEqual([code, stderr], isMention ? [0, ''] : [2, error]);
  });
}

test('documents never contain the arguments', async (t) => {
  const cwd = workflowDirectory(t, { workflows: { w: { steps: [{ run: 'x "$@"', allow_failure: true }] } } });
  for (const flags of [[], ['-n']]) {
    const { stdout } = await cli(['workflow', 'run', 'w', ...flags, '--', 'hush5ecret'], { cwd });
    assert.equal(stdout.includes('"workflow":"w"') && !stdout.includes('hush5ecret'), true);
  }
});
