/* Resumes and journals in adverse conditions: interruptions, a missing file, a full disk, missing permissions, many steps. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { once } from 'node:events';
import { join } from 'node:path';
import { test } from 'node:test';
import { COMMAND_LINE, finish } from '../support/cli.ts';
import { asOrdinaryUser } from '../support/ordinary_user.ts';
import { effect, project, stepsOf } from '../support/runs/recorded_run.ts';

test('an interrupted resume can be resumed', async (t) => {
  const { cwd, cli, start, effects, edit } = project(t, [effect('a'), 'exit 1', effect('c')]);
  await cli('run ci');
  // One command waits for the signal: between the commands of a loop, bash may ignore it.
  const run = 'echo b >> effects; : > ready; test -e go || exec sleep 60; echo b-end >> effects';
  edit([effect('a'), { name: 'b', run }, effect('c')], { finally: 'echo f >> effects' });
  const child = await start('resume --last --rerun b');
  process.kill(-(child.pid ?? 0), 'SIGINT');
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
  assert.equal(child.signalCode, 'SIGINT');
  assert.match((await cli('runs list')).stdout, /"state":"interrupted","sessions":2/);
  writeFileSync(join(cwd, 'go'), '');
  assert.deepEqual(stepsOf((await cli('resume --last')).stdout), ['a 0 kept', 'b 0', 'c 0']);
  assert.deepEqual(effects(), ['a', 'b', 'f', 'b', 'b-end', 'c', 'f']);
});

test('a step that exits with 0 after Ctrl-C may not have finished: a resume does not go on without a decision', async (t) => {
  // The signal reaches the step and cli in any order: the step ends after cli has received it.
  const run = "trap 'sleep 1; exit 0' INT; : > ready; sleep 60";
  const { cli, start, effects } = project(t, [{ name: 'b', run }, effect('c')]);
  const child = await start('run ci');
  process.kill(-(child.pid ?? 0), 'SIGINT');
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
  const { code, stderr } = await cli('resume --last');
  assert.equal(code, 2);
  assert.match(stderr, /^ {2}\? b {2}unknown: exited with 0 after the run was interrupted$/m);
  assert.deepEqual(effects(), []);
});

test('an invalid or missing file, or a missing workflow, is an error, and nothing starts', async (t) => {
  const { cwd, cli, run, effects, edit } = project(t, [effect('a'), 'exit 1']);
  await cli('run ci');
  const file = join(cwd, '.cli/workflow.json');
  writeFileSync(file, '{"workflows": {"ci": {"steps": [1]}}}');
  const invalid = await cli('resume --last');
  assert.deepEqual([invalid.code, invalid.stdout], [2, '']);
  assert.match(invalid.stderr, /error: workflow 'ci': step 1: must be a command/);
  writeFileSync(file, '{"workflows": {"other": {"steps": []}}}');
  const gone = await cli('resume --last');
  assert.deepEqual([gone.code, gone.stdout], [2, '']);
  assert.match(gone.stderr, /^cli: no workflow 'ci' in /);
  rmSync(file);
  const missing = await cli('resume --last');
  const stderr = 'cli: cannot read .cli/workflow.json: it does not exist\n';
  assert.deepEqual(missing, { code: 2, signal: null, stdout: '', stderr });
  assert.deepEqual(readdirSync(run()).toSorted(), ['plan-1.json', 'session-1.ndjson']);
  edit([effect('a'), 'true']);
  assert.equal((await cli('resume --last')).code, 0);
  assert.deepEqual(effects(), ['a']);
});

/** Whether a separate file system can be mounted for a command. */
const CAN_MOUNT = spawnSync('unshare', ['-rm', 'mount', '-t', 'tmpfs', 'none', '/mnt']).status === 0;

test('on a full disk a run continues, but cannot be resumed', { skip: !CAN_MOUNT }, async (t) => {
  const big = effect('big', { run: `echo big >> effects # ${'x'.repeat(70_000)}` });
  const { cwd, effects } = project(t, [effect('a'), big, effect('c'), 'exit 1']);
  mkdirSync(join(cwd, 'disk'));
  const script = [
    'mount -t tmpfs -o size=64k none disk',
    `CLI_RUNS_DIR=disk/runs ${COMMAND_LINE} workflow run ci`,
    'echo "code $?" >&2',
    `CLI_RUNS_DIR=disk/runs ${COMMAND_LINE} workflow resume --last`,
    'echo "code $?" >&2; ls disk/runs/*/ >&2',
  ].join('\n');
  const env = { CLI_NO_JOURNAL: undefined };
  const { stderr } = await finish('unshare', ['-rm', 'bash', '-c', script], { cwd, env });
  const warning = 'ENOSPC: no space left on device; this run continues, but cannot be resumed';
  const lines = stderr.split('\n').filter((line) => /^(?:cli: warning|code|cli: the record|session)/.test(line));
  assert.match(
    lines.join('\n'),
    new RegExp(`^cli: warning: the record of the run cannot be written: ${warning}
code 1
cli: the record of run \\S+ is incomplete; it cannot be resumed
code 2
session-1.lost$`),
  );
  assert.deepEqual(effects(), ['a', 'big', 'c']);
});

test('in a read-only directory a run continues without a journal', async (t) => {
  const { cwd } = project(t, ['echo a >&2']);
  const command = asOrdinaryUser(t, cwd);
  chmodSync(join(cwd, '.cli'), 0o555);
  const [program = '', ...first] = command;
  const env = { CLI_NO_JOURNAL: undefined };
  const { code, stderr } = await finish(program, [...first, 'run', 'ci', '-q'], { cwd, env });
  const problem = `EACCES: permission denied (${join(cwd, '.cli/runs')})`;
  const warning = `cli: warning: the record of the run cannot be written: ${problem}; this run continues, but cannot be resumed\n`;
  assert.deepEqual([code, stderr], [0, `${warning}a\n`]);
  assert.equal((await finish(program, [...first, 'run', 'ci', '--strict'], { cwd, env })).code, 2);
});

test('a run with 5,000 kept steps is resumed', async (t) => {
  const steps = Array.from({ length: 5000 }, (_, index) => ({ name: `s${index}`, run: ':' }));
  const { cwd, cli, run } = project(t, [...steps, { name: 'end', run: 'test -e fixed' }]);
  await cli('run ci --only s0');
  // The other records are copies of this one, because 5,000 processes would take long.
  const file = join(run(), 'session-1.ndjson');
  const [header = '', start = '', end = ''] = readFileSync(file, 'utf8').split('\n');
  const records = steps.flatMap(({ name }, index) => [
    start.replaceAll('s0', name).replace('"n":1', `"n":${index + 1}`),
    end.replace('"n":1', `"n":${index + 1}`),
  ]);
  const whole = header
    .replace('"from":"s0","until":"s0"', '"from":null,"until":null')
    .replace(/"pid":\d+/, '"pid":4194305');
  writeFileSync(file, [whole, ...records, ''].join('\n'));
  writeFileSync(join(cwd, 'fixed'), '');
  const { code, stdout } = await cli('resume --last -q');
  assert.equal(code, 0);
  const all = stepsOf(stdout);
  assert.deepEqual([all.length, all[0], all[4999], all[5000]], [5001, 's0 0 kept', 's4999 0 kept', 'end 0']);
});

test('a condition that a resume asks again counts as undecided also if that resume does not reach it', async (t) => {
  const steps = [
    { name: 'a', run: 'echo a >>effects; ! test -e bad' },
    { name: 'y', run: 'echo y >>effects', if: 'test -e yes' },
    'false',
  ];
  const { cwd, cli, effects } = project(t, steps);
  await cli('run ci');
  for (const name of ['bad', 'yes']) writeFileSync(join(cwd, name), '');
  await cli('resume --last --rerun a --rerun y');
  rmSync(join(cwd, 'bad'));
  await cli('resume --last');
  assert.deepEqual(effects(), ['a', 'a', 'a', 'y']);
});
