import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { check, compile } from '../support/goldens/schemas.ts';
import { effect, project, stepsOf } from '../support/runs/recorded_run.ts';

const FAILING = effect('c', { run: 'echo c >> effects; test -e fixed' });
const CHANGED = effect('b', { run: 'echo b2 >> effects' });

test('an edit of a finished step is rejected, with the available choices', async (t) => {
  const { cli, edit, effects } = project(t, [effect('a'), effect('b'), FAILING]);
  await cli('run ci');
  edit([effect('a'), CHANGED, FAILING]);
  const { code, stdout, stderr } = await cli('resume --last');
  assert.deepEqual({ code, stdout }, { code: 2, stdout: '' });
  assert.deepEqual(stderr.split('\n').slice(1), [
    '  = a  kept: finished',
    '  ! b  CONFLICT: its command changed since it finished',
    '  > c  run',
    "cli: conflict: step 'b': its command changed since it finished",
    'cli: to keep finished steps, add --changed keep',
    'cli: to run everything from the first conflict on again, add --changed rerun',
    '',
  ]);
  assert.deepEqual(effects(), ['a', 'b', 'c']);
});

/** Variables of a file, one of which is constant. */
function variables(target: string): object {
  return { env: { TARGET: target, API_TOKEN: target, SAME: '1' } };
}

/** The lines of the steps in the plan of a resume. */
function stepLines(stderr: string): readonly string[] {
  return stderr.split('\n').filter((line) => /^  [=>] /.test(line));
}

test('the plan names changed variables that a finished step does not mention, and the run continues', async (t) => {
  const own = { URL: 'https://${vars.TARGET}/x', LINE: 'curl ${vars.API_TOKEN}' };
  const steps = [effect('a'), effect('b', { run: 'echo b $SAME >> effects', with: own }), FAILING];
  const { cwd, cli, edit } = project(t, steps, variables('one'));
  await cli('run ci OLD:1');
  edit(steps, variables('two'));
  const plan = await cli('resume --last --dry-run OLD:2');
  check(compile('resume-dry-run'), JSON.parse(plan.stdout));
  assert.deepEqual(JSON.parse(plan.stdout).steps, [
    {
      name: 'a',
      command: 'echo a >> effects',
      state: 'kept',
      reason: 'finished (TARGET and OLD have changed since)',
      changed_variables: ['TARGET', 'OLD'],
    },
    {
      name: 'b',
      command: 'echo b $SAME >> effects',
      state: 'kept',
      reason: 'finished (TARGET, URL and OLD have changed since)',
      changed_variables: ['TARGET', 'URL', 'OLD'],
    },
    { name: 'c', command: 'echo c >> effects; test -e fixed', state: 'run' },
  ]);
  assert.deepEqual(stepLines(plan.stderr), [
    '  = a  kept: finished (TARGET and OLD have changed since)',
    '  = b  kept: finished (TARGET, URL and OLD have changed since)',
    '  > c  run',
  ]);
  const resumed = await cli('resume --last');
  assert.deepEqual(stepLines(resumed.stderr), [
    '  = a  kept: finished (TARGET has changed since)',
    '  = b  kept: finished (TARGET and URL have changed since)',
    '  > c  run',
  ]);
  writeFileSync(join(cwd, 'fixed'), '');
  // The last session had the new values, but the steps ran with the old ones.
  const again = await cli('resume --last');
  assert.deepEqual(stepLines(again.stderr), stepLines(resumed.stderr));
  assert.deepEqual(stepsOf(again.stdout), ['a 0 kept', 'b 0 kept', 'c 0']);
});

test('of more than four changed variables, a line names three', async (t) => {
  const { cli } = project(t, [effect('a'), 'false']);
  await cli('run ci');
  const four = await cli('resume --last --dry-run A:1 B:2 C:3 D:4');
  assert.equal(stepLines(four.stderr)[0], '  = a  kept: finished (A, B, C and D have changed since)');
  const five = await cli('resume --last --dry-run A:1 B:2 C:3 D:4 E:5');
  assert.equal(stepLines(five.stderr)[0], '  = a  kept: finished (A, B, C and 2 others have changed since)');
});

test('the changed variables of a kept step with an edited command are listed', async (t) => {
  const { cli, edit } = project(t, [effect('a'), 'false'], { env: { V: '1' } });
  await cli('run ci');
  edit([effect('a', { run: 'echo a2' }), 'false'], { env: { V: '2' } });
  const { stderr } = await cli('resume --last --changed keep');
  assert.equal(stepLines(stderr)[0], '  = a  kept: finished, and edited since (V has changed since)');
  assert.equal(stepLines((await cli('resume --last')).stderr)[0], '  = a  kept: finished (V has changed since)');
});

test('the choice of --changed keep is remembered', async (t) => {
  const { cwd, cli, edit, effects } = project(t, [effect('a'), effect('b'), FAILING]);
  await cli('run ci');
  edit([effect('a'), effect('n', { run: 'echo n >> effects; test -e fixed' }), CHANGED, FAILING]);
  assert.deepEqual(stepsOf((await cli('resume --last --changed keep')).stdout), ['a 0 kept', 'n 1', 'b 0 kept']);
  writeFileSync(join(cwd, 'fixed'), '');
  assert.deepEqual(stepsOf((await cli('resume --last')).stdout), ['a 0 kept', 'n 0', 'b 0 kept', 'c 0']);
  assert.deepEqual(effects(), ['a', 'b', 'c', 'n', 'n', 'c']);
});

test('the choice of --changed rerun is remembered, even if the resume fails', async (t) => {
  const { cwd, cli, edit, effects } = project(t, [effect('a'), effect('b'), effect('c'), 'exit 1']);
  await cli('run ci');
  const steps = [effect('a'), effect('b', { run: 'echo b2 >> effects; test -e fixed' }), effect('c'), 'true'];
  edit(steps);
  assert.deepEqual(stepsOf((await cli('resume --last --changed rerun')).stdout), ['a 0 kept', 'b 1']);
  writeFileSync(join(cwd, 'fixed'), '');
  assert.deepEqual(stepsOf((await cli('resume --last')).stdout), ['a 0 kept', 'b 0', 'c 0', 'step_4 0']);
  assert.deepEqual(effects(), ['a', 'b', 'c', 'b2', 'b2', 'c']);
});

test('an edit of a dotenv file counts only where a value refers to it, and the remaining steps get it', async (t) => {
  const tagged = effect('b', { run: 'echo b $TAG >> effects', with: { TAG: 'v${vars.VERSION}' } });
  const last = effect('c', { run: 'echo c $VERSION >> effects; exit 1' });
  const steps = [effect('a', { run: 'echo a $VERSION >> effects' }), tagged, last];
  const { cwd, cli, effects } = project(t, steps, { dotenv: '.env' });
  writeFileSync(join(cwd, '.env'), 'VERSION=1\n');
  await cli('run ci');
  writeFileSync(join(cwd, '.env'), 'VERSION=2\n');
  const { code, stderr } = await cli('resume --last');
  assert.deepEqual(
    [code, stderr.split('\n').slice(1, 4)],
    [2, ['  = a  kept: finished', '  ! b  CONFLICT: the value of TAG changed since it finished', '  > c  run']],
  );
  await cli('resume --last --changed keep');
  assert.deepEqual(effects(), ['a 1', 'b v1', 'c 1', 'c 2']);
});

test('--rerun runs one step again, and keeps the other finished steps', async (t) => {
  const { cli, effects } = project(t, [effect('a'), effect('b'), 'exit 1']);
  await cli('run ci');
  assert.deepEqual(stepsOf((await cli('resume --last --rerun a')).stdout), ['a 0', 'b 0 kept', 'step_3 1']);
  assert.deepEqual(effects(), ['a', 'b', 'a']);
});

function reads(output: string): object {
  return effect('b', { run: `echo b "\${steps.a.${output}}" >> effects; test -e fixed` });
}

test('steps read the recorded outputs of kept steps, but secret outputs are lost', async (t) => {
  const gives = {
    name: 'a',
    run: 'echo a >> effects; echo \'{"x":"X Y","t":"T"}\'',
    outputs: { X: '$.x', API_TOKEN: '$.t' },
  };
  const { cwd, cli, edit, effects } = project(t, [gives, reads('X')]);
  await cli('run ci');
  edit([gives, reads('API_TOKEN')]);
  const { code, stderr } = await cli('resume --last');
  assert.equal(code, 2);
  assert.deepEqual(stderr.split('\n').slice(3), [
    "cli: conflict: step 'a': a later step reads its output API_TOKEN, which is secret and was not recorded",
    'cli: to produce a missing output, add --rerun a',
    '',
  ]);
  edit([gives, reads('X')]);
  writeFileSync(join(cwd, 'fixed'), '');
  const { stdout } = await cli('resume --last');
  assert.deepEqual(JSON.parse(stdout).steps[0].outputs, { X: 'X Y', API_TOKEN: '***' });
  assert.deepEqual(effects(), ['a', 'b X Y', 'b X Y']);
});

function gives(outputs: object): object {
  return effect('a', { run: 'echo a >> effects; echo v', outputs });
}

test('an output that a finished step did not have yet is no secret, and is produced by the step', async (t) => {
  const { cli, edit, effects } = project(t, [gives({ X: 'text' }), reads('X')]);
  await cli('run ci');
  edit([gives({ X: 'text', Y: 'text' }), reads('Y')]);
  const { code, stderr } = await cli('resume --last --changed keep');
  assert.equal(code, 2);
  assert.deepEqual(stderr.split('\n').slice(3), [
    "cli: conflict: step 'a': a later step reads its output Y, which it did not have when it finished",
    'cli: to produce a missing output, add --rerun a',
    '',
  ]);
  assert.equal((await cli('resume --last --rerun a')).code, 1);
  assert.deepEqual(effects(), ['a', 'b v', 'a', 'b v']);
});

test('the result of a condition is kept', async (t) => {
  const steps = [
    effect('a', { if: 'echo if >> effects; test -e none' }),
    effect('b', { if: 'test ! -e fixed' }),
    FAILING,
  ];
  const { cwd, cli, effects } = project(t, steps);
  await cli('run ci');
  writeFileSync(join(cwd, 'none'), '');
  writeFileSync(join(cwd, 'fixed'), '');
  assert.deepEqual(stepsOf((await cli('resume --last')).stdout), ['b 0 kept', 'c 0']);
  assert.deepEqual(effects(), ['if', 'b', 'c', 'c']);
});

test('parameters are those of the run and new ones, and secret ones come from the environment', async (t) => {
  const { cli, effects } = project(t, [effect('a', { run: 'echo $V $API_TOKEN >> effects; exit 1' })]);
  await cli('run ci V:1 API_TOKEN:hush');
  const refusal =
    'cli: the parameter API_TOKEN is secret and was not recorded; add API_TOKEN:VALUE, or set the variable API_TOKEN\n';
  assert.deepEqual(await cli('resume --last'), { code: 2, signal: null, stdout: '', stderr: refusal });
  await cli('resume --last', { API_TOKEN: 'env' });
  await cli('resume --last V:2 API_TOKEN:again');
  assert.deepEqual(effects(), ['1 hush', '1 env', '2 again']);
});
