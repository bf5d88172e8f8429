import assert from 'node:assert/strict';
import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { reportIn } from '../support/goldens/report.ts';
import { effect, project, stepsOf, type Project } from '../support/runs/recorded_run.ts';

/** Steps of the included file: `a` succeeds, and `b` fails until the file `fixed` exists. */
const STEPS = [effect('a'), effect('b', { run: 'echo b >> effects; test -e fixed' })];

type Including = Project & Readonly<{ write: (path: string, value: unknown) => void; fix: () => void }>;

/** A project whose workflow `ci` calls `lib:build` of an included file, and whose run has failed in that workflow. */
async function failedRun(t: TestContext): Promise<Including> {
  const made = project(t, [{ workflow: 'lib:build' }, effect('c')], { include: { lib: 'lib.json' } });
  const write = (path: string, value: unknown): void =>
    writeFileSync(join(made.cwd, '.cli', path), JSON.stringify(value));
  write('lib.json', { workflows: { build: { steps: STEPS } } });
  assert.deepEqual(stepsOf((await made.cli('run ci')).stdout), ['a 0', 'b 1']);
  return { ...made, write, fix: () => writeFileSync(join(made.cwd, 'fixed'), '') };
}

test('a resumed run reads the included file again, and keeps the finished steps of its workflows', async (t) => {
  const { cli, effects, fix } = await failedRun(t);
  fix();
  assert.deepEqual(stepsOf((await cli('resume --last')).stdout), ['a 0 kept', 'b 0', 'c 0']);
  assert.deepEqual(effects(), ['a', 'b', 'b', 'c']);
});

test('an edit of a finished step of an included file is a conflict', async (t) => {
  const { cli, effects, fix, write } = await failedRun(t);
  write('lib.json', {
    workflows: { build: { steps: [effect('a', { run: 'echo a2 >> effects' }), ...STEPS.slice(1)] } },
  });
  const { code, stdout, stderr } = await cli('resume --last');
  assert.deepEqual({ code, stdout }, { code: 2, stdout: '' });
  assert.deepEqual(stderr.split('\n').slice(1, -2), [
    '  ! lib:build/a  CONFLICT: its command changed since it finished',
    '  > lib:build/b  run',
    '  > c  run',
    "cli: conflict: step 'lib:build/a': its command changed since it finished",
    'cli: to keep finished steps, add --changed keep',
  ]);
  fix();
  assert.deepEqual(stepsOf((await cli('resume --last --changed rerun')).stdout), ['a 0', 'b 0', 'c 0']);
  assert.deepEqual(effects(), ['a', 'b', 'a2', 'b', 'c']);
});

test('a change of an included variable that a finished step uses is a conflict', async (t) => {
  const { cli, write } = await failedRun(t);
  write('lib.json', { env: { effects: 'x' }, workflows: { build: { steps: STEPS } } });
  const { code, stderr } = await cli('resume --last');
  assert.equal(code, 2);
  assert.equal(stderr.split('\n')[1], '  ! lib:build/a  CONFLICT: the value of effects changed since it finished');
});

test('an included file can be moved, and its include renamed', async (t) => {
  const { cli, cwd, edit, effects, fix } = await failedRun(t);
  mkdirSync(join(cwd, 'shared'));
  renameSync(join(cwd, '.cli/lib.json'), join(cwd, 'shared/build.json'));
  edit([{ workflow: 'shared:build' }, effect('c')], { include: { shared: '../shared/build.json' } });
  fix();
  assert.deepEqual(stepsOf((await cli('resume --last')).stdout), ['a 0 kept', 'b 0', 'c 0']);
  assert.deepEqual(effects(), ['a', 'b', 'b', 'c']);
});

test('a resume without an included file is an error that names the file', async (t) => {
  const { cli, cwd, effects } = await failedRun(t);
  rmSync(join(cwd, '.cli/lib.json'));
  const { code, stdout, stderr } = await cli('resume --last');
  assert.deepEqual({ code, stdout }, { code: 2, stdout: '' });
  assert.deepEqual(stderr.replaceAll(`${cwd}/`, '').split('\n'), [
    ".cli/workflow.json:1:19: error: cannot read '.cli/lib.json': it does not exist",
    '    1 | {"include":{"lib":"lib.json"},"workflows":{"ci":{"steps":[{"workflow":"lib:build"},{"name":"c","run"',
    '      |                   ^^^^^^^^^^',
    '',
  ]);
  assert.deepEqual(effects(), ['a', 'b']);
});

test('a resumed run writes a report with the lines of included files', async (t) => {
  const { cli, cwd, fix } = await failedRun(t);
  fix();
  await cli('resume --last --report report.json');
  const places = reportIn(cwd).ops.map(({ name, file, line, status }) => [name, file, line, status]);
  assert.deepEqual(places, [
    ['a', '.cli/lib.json', 1, 'kept'],
    ['b', '.cli/lib.json', 1, 'succeeded'],
    ['c', '.cli/workflow.json', 1, 'succeeded'],
  ]);
});
