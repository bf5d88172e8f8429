import assert from 'node:assert/strict';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { effect, project, stepsOf } from '../support/runs/recorded_run.ts';

test('a resume keeps the finished steps of a group and runs the others', async (t) => {
  const failing = effect('b', { run: 'echo b >> effects; test -e fixed' });
  const group = { parallel: [effect('a'), failing, effect('c')], fail_fast: false };
  const { cwd, cli, effects } = project(t, [group, effect('d')]);
  const first = await cli('run ci');
  assert.deepEqual([first.code, stepsOf(first.stdout)], [1, ['a 0', 'b 1', 'c 0']]);
  writeFileSync(join(cwd, 'fixed'), '');
  const { code, stdout } = await cli('resume --last');
  assert.deepEqual([code, stepsOf(stdout)], [0, ['a 0 kept', 'b 0', 'c 0 kept', 'd 0']]);
  assert.deepEqual(effects().toSorted(), ['a', 'b', 'b', 'c', 'd']);
});

test('a condition that did not hold is asked once, and the finally of a finished call runs once, over all resumes', async (t) => {
  const asked = { if: 'echo asked >> effects; test -e changed' };
  const c = { steps: [effect('x', { run: 'test -e fixed' }), effect('y', asked)], finally: 'echo finally >> effects' };
  const steps = [
    { parallel: [{ workflow: 'c' }, effect('z')], fail_fast: false },
    { name: 'end', run: 'test -e done' },
  ];
  const { cwd, cli, effects } = project(t, []);
  writeFileSync(join(cwd, '.cli/workflow.json'), JSON.stringify({ workflows: { ci: { steps }, c } }));
  await cli('run ci');
  for (const file of ['fixed', 'changed', 'done']) {
    writeFileSync(join(cwd, file), '');
    await cli('resume --last');
  }
  assert.deepEqual(effects().toSorted(), ['asked', 'finally', 'finally', 'z']);
});

/** The announcements of groups. */
function announced({ stderr }: Readonly<{ stderr: string }>): readonly string[] {
  return stderr.split('\n').filter((line) => line.includes(' in parallel'));
}

function plainLine(name: string, count: number): string {
  return `cli: step '${name}' of workflow 'ci': ${count} in parallel`;
}

test('a resumed group announces the members that run, and a finished group nothing', async (t) => {
  const failing = effect('b', { run: 'test -e fixed' });
  const finished = { name: 'finished', parallel: [effect('x'), effect('y')] };
  const group = { name: 'checks', parallel: [effect('a'), failing, effect('c')], fail_fast: false };
  const { cwd, cli } = project(t, [finished, group]);
  assert.deepEqual(announced(await cli('run ci')), [plainLine('finished', 2), plainLine('checks', 3)]);
  const terminal = await cli('resume --last', { FORCE_COLOR: '1' });
  assert.deepEqual(announced(terminal), ['▸ \x1b[1mchecks\x1b[0m · 1 in parallel']);
  writeFileSync(join(cwd, 'fixed'), '');
  assert.deepEqual(announced(await cli('resume --last')), [plainLine('checks', 1)]);
});

test('--changed rerun in a group repeats the edited member and everything after it', async (t) => {
  const before = { parallel: [effect('a'), effect('b'), effect('c')], max_parallel: 1 };
  const { cli, edit, effects } = project(t, [before, effect('d'), 'exit 1']);
  await cli('run ci');
  const edited = effect('b', { run: 'echo b2 >> effects' });
  edit([{ parallel: [effect('a'), edited, effect('c')], max_parallel: 1 }, effect('d'), 'true']);
  const { code, stdout } = await cli('resume --last --changed rerun');
  assert.deepEqual([code, stepsOf(stdout)], [0, ['a 0 kept', 'b 0', 'c 0', 'd 0', 'step_3 0']]);
  assert.deepEqual(effects(), ['a', 'b', 'c', 'd', 'b2', 'c', 'd']);
});

test('values of secret inputs are not recorded, regardless of their names', async (t) => {
  const { cwd, cli, run } = project(t, []);
  const inputs = { WORD: { secret: true }, PLAIN: {} };
  const steps = [effect('a', { run: 'test ${#WORD} = 5 && test -n "$PLAIN" && exit 3' })];
  writeFileSync(join(cwd, '.cli/workflow.json'), JSON.stringify({ workflows: { ci: { inputs, steps } } }));
  const first = await cli('run ci WORD:V4lue PLAIN:0pen');
  assert.deepEqual(stepsOf(first.stdout), ['a 3']);
  const recorded = readdirSync(run())
    .map((name) => readFileSync(join(run(), name), 'utf8'))
    .join('');
  assert.match(recorded, /"params":\[\["WORD",null\],\["PLAIN","0pen"\]\]/);
  assert.match(recorded, /"vars":\[\["PLAIN","[^"]+"\]\]/);
  assert.doesNotMatch(recorded, /V4lue/);
  assert.deepEqual(await cli('resume --last'), {
    code: 2,
    signal: null,
    stdout: '',
    stderr: 'cli: the parameter WORD is secret and was not recorded; add WORD:VALUE, or set the variable WORD\n',
  });
  assert.deepEqual(stepsOf((await cli('resume --last WORD:V4lue')).stdout), ['a 3']);
});

test('a run of a part is stopped at its end, and is resumed from there', async (t) => {
  const { cli, effects } = project(t, [effect('a'), effect('b'), effect('c'), effect('d')], {
    after_all: 'echo end >> effects',
  });
  assert.deepEqual(stepsOf((await cli('run ci --from b --until c')).stdout), ['b 0', 'c 0']);
  assert.match((await cli('runs list')).stdout, /"state":"stopped"/);
  assert.deepEqual(stepsOf((await cli('resume --last')).stdout), ['b 0 kept', 'c 0 kept', 'd 0']);
  assert.deepEqual(effects(), ['b', 'c', 'd', 'end']);
});

test('--from of a resume repeats the finished steps from there on', async (t) => {
  const { cli, effects } = project(t, [effect('a'), effect('b'), effect('c'), 'exit 1']);
  await cli('run ci');
  assert.deepEqual(stepsOf((await cli('resume --last --from b --until c')).stdout), ['a 0 kept', 'b 0', 'c 0']);
  assert.deepEqual(effects(), ['a', 'b', 'c', 'b', 'c']);
});

test('a resume after a part at the end of the workflow is about the steps that the part has left out', async (t) => {
  const { cwd, cli, effects } = project(t, [
    effect('a'),
    effect('b', { run: 'echo b >> effects; test -e fixed' }),
    effect('c'),
  ]);
  await cli('run ci');
  assert.deepEqual(stepsOf((await cli('resume --last --only c')).stdout), ['a 0 kept', 'c 0']);
  const { code, stderr } = await cli('resume --last');
  assert.equal(code, 2);
  assert.deepEqual(stderr.split('\n').slice(1, 5), [
    '  = a  kept: finished',
    '  ! b  CONFLICT: it failed, but steps after it have finished',
    '  = c  kept: finished',
    "cli: conflict: step 'b': it failed, but steps after it have finished",
  ]);
  writeFileSync(join(cwd, 'fixed'), '');
  const { stdout } = await cli('resume --last --changed keep');
  assert.deepEqual(stepsOf(stdout), ['a 0 kept', 'b 0', 'c 0 kept']);
  assert.match((await cli('runs list')).stdout, /"state":"succeeded"/);
  assert.deepEqual(effects(), ['a', 'b', 'c', 'b']);
});

test('--rerun of a step outside of the part that runs is rejected', async (t) => {
  const { cli, effects } = project(t, [effect('a'), effect('b', { run: 'echo b >> effects; exit 1' }), effect('c')]);
  await cli('run ci');
  const stderr = "cli: --rerun: step 'a' is outside of the part that runs; to begin with it, add --from\n";
  const refused = { code: 2, signal: null, stdout: '', stderr };
  assert.deepEqual(await cli('resume --last --from b --rerun a'), refused);
  assert.equal((await cli('resume --last --from b')).code, 1);
  assert.deepEqual(await cli('resume --last --rerun a'), refused);
  assert.deepEqual(effects(), ['a', 'b', 'b']);
});

test('an unknown step is rejected with the paths of all steps', async (t) => {
  const { cli } = project(t, [effect('a'), effect('b')]);
  const stderr = "cli: workflow 'ci' has no step 'x'; steps: a, b\n";
  assert.deepEqual(await cli('run ci --only x'), { code: 2, signal: null, stdout: '', stderr });
});
