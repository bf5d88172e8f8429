import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { check, compile } from '../support/goldens/schemas.ts';
import { effect, project, stepsOf } from '../support/runs/recorded_run.ts';

const FAILING = effect('c', { run: 'echo c >> effects; test -e fixed' });

test('finished steps that were moved into a group and a workflow are kept, and again in the next resume', async (t) => {
  const script = ['true', 'echo b >> effects'];
  const { cwd, cli, effects } = project(t, [effect('a'), { run: script }, FAILING]);
  await cli('run ci');
  const w = { steps: [{ run: script }] };
  const steps = [{ parallel: [effect('a'), { workflow: 'w' }] }, FAILING];
  const file = { workflows: { ci: { steps }, w } };
  writeFileSync(join(cwd, '.cli/workflow.json'), JSON.stringify(file));
  const moved = await cli('resume --last');
  assert.deepEqual(moved.stderr.split('\n').slice(1, 4), [
    '  = step_1/a  kept: finished, moved',
    '  = step_1/w/step_1  kept: finished, moved',
    '  > c  run',
  ]);
  writeFileSync(join(cwd, 'fixed'), '');
  const { stderr, stdout } = await cli('resume --last');
  assert.deepEqual(stderr.split('\n').slice(1, 4), [
    '  = step_1/a  kept: finished',
    '  = step_1/w/step_1  kept: finished',
    '  > c  run',
  ]);
  assert.deepEqual(stepsOf(stdout), ['a 0 kept', 'step_1 0 kept', 'c 0']);
  assert.deepEqual(effects(), ['a', 'b', 'c', 'c', 'c']);
});

/** The step `a` with another name. */
function renamed(name: string): object {
  return effect(name, { run: 'echo a >> effects' });
}

test('a step that may have moved is a conflict, and each choice is remembered', async (t) => {
  const { cli, edit, effects } = project(t, [{ parallel: [effect('a')] }, FAILING]);
  await cli('run ci');
  edit([renamed('x'), renamed('y'), FAILING]);
  const plan = await cli('resume --last --dry-run');
  check(compile('resume-dry-run'), JSON.parse(plan.stdout));
  assert.equal(plan.code, 1);
  assert.deepEqual(plan.stderr.split('\n').slice(1), [
    "  ! x  CONFLICT: it may be step 'a', which ran in another place",
    "  ! y  CONFLICT: it may be step 'a', which ran in another place",
    '  > c  run',
    "cli: conflict: step 'x': it may be step 'a', which ran in another place",
    "cli: conflict: step 'y': it may be step 'a', which ran in another place",
    'cli: to count moved steps as finished, add --done x --done y',
    'cli: to keep finished steps and run those that may have moved, add --changed keep',
    'cli: to run everything from the first conflict on again, add --changed rerun',
    '',
  ]);
  assert.deepEqual(stepsOf((await cli('resume --last --done x --changed keep')).stdout), ['x null kept', 'y 0', 'c 1']);
  assert.deepEqual(stepsOf((await cli('resume --last')).stdout), ['x null kept', 'y 0 kept', 'c 1']);
  assert.deepEqual(effects(), ['a', 'c', 'a', 'c', 'c']);
});

test('a finished command that has moved is kept, and a new one in its place is no edit of it', async (t) => {
  const { cli, edit, effects } = project(t, ['echo a >> effects', FAILING]);
  await cli('run ci');
  edit(['echo new >> effects', { parallel: ['echo a >> effects'] }, FAILING]);
  const plan = await cli('resume --last --dry-run');
  assert.deepEqual(plan.stderr.split('\n').slice(1, 4), [
    '  ! step_1  CONFLICT: it has not run, but steps after it have finished',
    '  = step_2/step_2.1  kept: finished, moved',
    '  > c  run',
  ]);
  assert.deepEqual(stepsOf((await cli('resume --last --changed keep')).stdout), ['step_1 0', 'step_2.1 0 kept', 'c 1']);
  assert.deepEqual(effects(), ['a', 'c', 'new', 'c']);
});

test('an edited command is a conflict, also if another finished step is as it was before', async (t) => {
  const { cli, edit, effects } = project(t, ['echo a >> effects', { parallel: ['echo a >> effects'] }, FAILING]);
  await cli('run ci');
  edit(['echo new >> effects', { parallel: ['echo a >> effects'] }, FAILING]);
  const plan = await cli('resume --last --dry-run');
  assert.deepEqual(plan.stderr.split('\n').slice(1, 4), [
    '  ! step_1  CONFLICT: its command changed since it finished',
    '  = step_2/step_2.1  kept: finished',
    '  > c  run',
  ]);
  assert.deepEqual(effects(), ['a', 'a', 'c']);
});

test('a run with a renamed list of commands keeps it', async (t) => {
  const script = ['true', 'echo a >> effects'];
  const { cli, edit, effects } = project(t, [{ name: 'a', run: script }, FAILING]);
  await cli('run ci');
  edit([{ name: 'b', run: script }, FAILING]);
  assert.deepEqual(stepsOf((await cli('resume --last')).stdout), ['b 0 kept', 'c 1']);
  assert.deepEqual(effects(), ['a', 'c', 'c']);
});
