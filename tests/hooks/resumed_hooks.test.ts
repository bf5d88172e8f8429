import assert from 'node:assert/strict';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { crash, effect, project, waiting, type Project } from '../support/runs/recorded_run.ts';
import { call } from '../support/workflow.ts';

/** A hook that writes its name to `effects`. With `end`, it then runs another command. */
const hook = (name: string, end = ''): string => `echo ${name} >> effects${end}`;
const hooks = (name: string, more: object = {}): object => {
  return { error: hook(`${name}-error`), finally: hook(`${name}-finally`), ...more };
};
/** Fails until the file `fixed` exists. */
const fixable = (name: string): object => effect(name, { run: `echo ${name} >> effects; test -e fixed` });

/** A project whose workflow `ci` calls others, which have hooks. */
function calling(t: TestContext, steps: readonly unknown[], others: Record<string, object>, own: object = {}): Project {
  const place = project(t, []);
  const file = { workflows: { ci: { ...own, steps }, ...others } };
  writeFileSync(join(place.cwd, '.cli/workflow.json'), JSON.stringify(file));
  return place;
}

/** The note of a resume about a `finally` that has run. */
const note = (workflow: string): string =>
  `cli: the 'finally' of workflow '${workflow}' has run; its finished steps are not repeated (--rerun STEP repeats one, "on_resume": "rerun" in the file always)\n`;

/** Runs a line, and returns its exit code and the words that it adds to `effects`. */
async function added(place: Project, line: string): Promise<readonly [number | null, string]> {
  const before = place.effects().length;
  const killsItself = readFileSync(join(place.cwd, '.cli/workflow.json'), 'utf8').includes('$PPID');
  const { code } = await (killsItself ? place.spawn(line) : place.cli(line));
  return [code, place.effects().slice(before).join(' ')];
}

test('what has ended is not cleaned up twice, and what has not is cleaned up again', async (t) => {
  const place = calling(
    t,
    [call('one'), call('two'), effect('last')],
    { one: { ...hooks('one'), steps: [effect('a')] }, two: { ...hooks('two'), steps: [effect('b'), fixable('c')] } },
    hooks('ci'),
  );
  const first = 'a one-finally b c two-error two-finally ci-error ci-finally';
  assert.deepEqual(await added(place, 'run ci'), [1, first]);
  assert.deepEqual(await added(place, 'resume --last'), [1, 'c two-error two-finally ci-error ci-finally']);
  writeFileSync(join(place.cwd, 'fixed'), '');
  const { code, stderr } = await place.cli('resume --last --dry-run');
  assert.equal(code, 0);
  assert.ok(stderr.endsWith(note('two') + note('ci')), stderr);
  assert.deepEqual(await added(place, 'resume --last'), [0, 'c two-finally last ci-finally']);
});

test('a finally that has succeeded does not run again if a check or a condition skips all that was left', async (t) => {
  // Of two calls the first fails. They become equal calls of a workflow that runs once, of which the second has succeeded.
  const step = effect('x', { run: 'echo x >> effects; test -e ran || { : > ran; exit 1; }' });
  const group = { parallel: [call('one'), call('one')], max_parallel: 1, fail_fast: false };
  const place = calling(t, [group], { one: { steps: [step] } }, hooks('ci'));
  assert.deepEqual(await added(place, 'run ci'), [1, 'x x ci-error ci-finally']);
  const file = join(place.cwd, '.cli/workflow.json');
  const write = (workflows: object): void => writeFileSync(file, JSON.stringify({ workflows }));
  write({ ci: { ...hooks('ci'), steps: [group] }, one: { once: true, steps: [step] } });
  assert.deepEqual(await added(place, 'resume --last'), [0, '']);

  write({ ci: { ...hooks('ci'), steps: [effect('a'), effect('b', { run: 'exit 1' })] } });
  assert.deepEqual(await added(place, 'run ci'), [1, 'a ci-error ci-finally']);
  write({ ci: { ...hooks('ci'), env: { NO: '' }, steps: [effect('a'), effect('b', { if: 'NO' })] } });
  assert.deepEqual(await added(place, 'resume --last'), [0, '']);
});

test('a finally that fails runs again alone, and then what follows it', async (t) => {
  const inner = { ...hooks('one', { finally: hook('one-finally', '; test -e fixed') }), steps: [effect('a')] };
  const place = calling(t, [call('one'), effect('b')], { one: inner }, { error: hook('ci-error') });
  assert.deepEqual(await added(place, 'run ci'), [1, 'a one-finally ci-error']);
  assert.deepEqual(await added(place, 'resume --last'), [1, 'one-finally ci-error']);
  writeFileSync(join(place.cwd, 'fixed'), '');
  assert.deepEqual(await added(place, 'resume --last'), [0, 'one-finally b']);
});

test('the hooks that a crash left out run in the resume; on_crash: fail makes error run', async (t) => {
  const steps = [effect('a'), waiting('b', { on_crash: 'fail' }), effect('c')];
  const place = calling(t, [call('one')], { one: { ...hooks('one'), steps } }, hooks('ci'));
  await crash(await place.start('run ci'));
  assert.deepEqual(place.effects(), ['a', 'b']);
  assert.deepEqual(await added(place, 'resume --last'), [1, 'one-error one-finally ci-error ci-finally']);
  writeFileSync(join(place.cwd, 'go'), '');
  assert.deepEqual(await added(place, 'resume --last'), [0, 'b b-end c one-finally ci-finally']);
});

/** A hook that creates the file `ready` and waits for the file `go`. */
const slow = (name: string): string =>
  `${hook(name)}; : > ready; until [ -e go ]; do sleep 0.1; done; ${hook(`${name}-end`)}`;

test('a finally that was running when the run was killed runs again alone', async (t) => {
  const place = calling(t, [call('one'), effect('b')], { one: { finally: slow('clean'), steps: [effect('a')] } });
  await crash(await place.start('run ci'));
  assert.deepEqual(place.effects(), ['a', 'clean']);
  writeFileSync(join(place.cwd, 'go'), '');
  assert.deepEqual(await added(place, 'resume --last'), [0, 'clean clean-end b']);
});

test('a finally that fails alone in a resume makes the error hooks around it run', async (t) => {
  const inner = { finally: `${slow('inner')}; false`, steps: [effect('a')] };
  const outer = { ...hooks('outer'), steps: [call('inner')] };
  const place = calling(t, [call('outer')], { inner, outer }, { error: hook('ci-error') });
  await crash(await place.start('run ci'));
  assert.deepEqual(place.effects(), ['a', 'inner']);
  writeFileSync(join(place.cwd, 'go'), '');
  assert.deepEqual(await added(place, 'resume --last'), [1, 'inner inner-end outer-error outer-finally ci-error']);
});

test('a run that is killed in an error hook repeats the failed step, and cleans up after it', async (t) => {
  const one = { error: slow('tell'), finally: hook('clean'), steps: [fixable('a')] };
  const place = calling(t, [call('one'), effect('b')], { one });
  await crash(await place.start('run ci'));
  assert.deepEqual(place.effects(), ['a', 'tell']);
  writeFileSync(join(place.cwd, 'go'), '');
  assert.deepEqual(await added(place, 'resume --last'), [1, 'a tell tell-end clean']);
  writeFileSync(join(place.cwd, 'fixed'), '');
  assert.deepEqual(await added(place, 'resume --last'), [0, 'a clean b']);
});

test('a run that is killed between error and finally runs both again', async (t) => {
  const own = { error: hook('one-error'), finally: `test -e go || { kill -9 $PPID; exit; }; ${hook('one-finally')}` };
  const place = calling(t, [call('one'), effect('b')], { one: { ...own, steps: [fixable('a')] } });
  assert.deepEqual(await added(place, 'run ci'), [null, 'a one-error']);
  assert.deepEqual(await added(place, 'resume --last'), [null, 'a one-error']);
  writeFileSync(join(place.cwd, 'go'), '');
  assert.deepEqual(await added(place, 'resume --last'), [1, 'a one-error one-finally']);
});

test('a record of a finally does not count once a later session has run a step of its workflow', async (t) => {
  const steps = [fixable('a'), { name: 'b', run: 'echo b >> effects; test -e go || kill -9 $PPID' }];
  const place = calling(t, [call('one')], { one: { ...hooks('one'), steps } });
  assert.deepEqual(await added(place, 'run ci'), [1, 'a one-error one-finally']);
  writeFileSync(join(place.cwd, 'fixed'), '');
  assert.deepEqual(await added(place, 'resume --last'), [null, 'a b']);
  assert.deepEqual(await added(place, 'resume --last --done one/b'), [0, 'one-finally']);
});

test('a failing before_all in a resume leaves out the hooks of workflows', async (t) => {
  const place = project(t, []);
  const file = {
    before_all: 'test ! -e broken',
    finally: hook('finally'),
    workflows: { ci: { ...hooks('ci'), steps: [fixable('a')] } },
  };
  writeFileSync(join(place.cwd, '.cli/workflow.json'), JSON.stringify(file));
  assert.deepEqual(await added(place, 'run ci'), [1, 'a ci-error ci-finally finally']);
  writeFileSync(join(place.cwd, 'broken'), '');
  assert.deepEqual(await added(place, 'resume --last'), [1, 'finally']);
  rmSync(join(place.cwd, 'broken'));
  writeFileSync(join(place.cwd, 'fixed'), '');
  assert.deepEqual(await added(place, 'resume --last'), [0, 'a ci-finally finally']);
});

test('executions behind a condition that did not hold have nothing left to run', async (t) => {
  const inner = { ...hooks('inner'), steps: [effect('a', { if: 'test -e never' })] };
  const outer = { ...hooks('outer'), steps: [call('inner', { if: 'test -e never' }), effect('b')] };
  const place = calling(t, [call('outer'), fixable('c')], { outer, inner });
  assert.deepEqual(await added(place, 'run ci'), [1, 'b outer-finally c']);
  assert.deepEqual(await added(place, 'resume --last'), [1, 'c']);
});

test('a part counts steps, not hooks: its executions clean up, and after_all belongs to the last step', async (t) => {
  const place = project(t, []);
  const workflows = {
    ci: { ...hooks('ci'), steps: [call('one'), call('empty'), effect('b')] },
    one: { ...hooks('one'), steps: [effect('a')] },
    empty: { ...hooks('empty'), steps: [] },
  };
  writeFileSync(join(place.cwd, '.cli/workflow.json'), JSON.stringify({ after_all: hook('after'), workflows }));
  assert.deepEqual(await added(place, 'run ci --until one'), [0, 'a one-finally ci-finally']);
  assert.deepEqual(await added(place, 'resume --last'), [0, 'empty-finally b ci-finally after']);
  assert.deepEqual(await added(place, 'run ci --only b'), [0, 'b ci-finally after']);
  assert.deepEqual(await added(place, 'run ci --from b'), [0, 'b ci-finally after']);
});

test('a member of a group that has ended is not cleaned up again, and one that failed is', async (t) => {
  const parallel = [call('good'), call('bad'), call('empty')];
  const place = calling(t, [{ parallel, max_parallel: 1 }, effect('last')], {
    good: { ...hooks('good'), steps: [effect('a')] },
    bad: { ...hooks('bad'), steps: [fixable('b')] },
    empty: { ...hooks('empty'), steps: [] },
  });
  assert.deepEqual(await added(place, 'run ci'), [1, 'a good-finally b bad-error bad-finally empty-finally']);
  writeFileSync(join(place.cwd, 'fixed'), '');
  assert.deepEqual(await added(place, 'resume --last'), [0, 'b bad-finally last']);
});

test('after a call was renamed, its finally runs once more, and its steps do not', async (t) => {
  const one = { ...hooks('one'), steps: [effect('a')] };
  const place = calling(t, [call('one'), fixable('b')], { one });
  assert.deepEqual(await added(place, 'run ci'), [1, 'a one-finally b']);
  const path = join(place.cwd, '.cli/workflow.json');
  const text = readFileSync(path, 'utf8');
  writeFileSync(path, text.replace('{"workflow":"one"}', '{"name":"first","workflow":"one"}'));
  assert.deepEqual(await added(place, 'resume --last'), [1, 'one-finally b']);
  assert.deepEqual(await added(place, 'resume --last'), [1, 'b']);
});

test('the record names the hooks of workflows', async (t) => {
  const place = calling(
    t,
    [call('one', { name: 'first' })],
    { one: { ...hooks('one'), steps: [effect('a')] } },
    hooks('ci'),
  );
  await place.cli('run ci --logs');
  const { stdout } = await place.cli('runs show --last');
  const names = [...stdout.matchAll(/"kind":"hook","name":"([^"]*)"/g)].map(([, name]) => name);
  assert.deepEqual(names, ['finally of one', 'finally of ci']);
  const { stderr } = await place.cli('runs logs --last nothing');
  assert.match(stderr, /it has started: first\/a, first\/finally, finally\n$/);
});
