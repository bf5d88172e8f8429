import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { effect, project, type Project } from '../support/runs/recorded_run.ts';
import { call } from '../support/workflow.ts';

/** Fails until the file `fixed` exists. */
const work = (name = 'work'): object => effect(name, { run: `echo ${name} >> effects; test -e fixed` });
const lock = (more: object = {}): object => effect('lock', { on_resume: 'rerun', ...more });

function fix({ cwd }: Project): void {
  writeFileSync(join(cwd, 'fixed'), '');
}

/** A project whose run of `ci` has failed, with further workflows. */
async function failed(
  t: TestContext,
  steps: readonly unknown[],
  others: object = {},
  own: object = {},
): Promise<Project> {
  const place = project(t, []);
  const file = { workflows: { ci: { ...own, steps }, ...others } };
  writeFileSync(join(place.cwd, '.cli/workflow.json'), JSON.stringify(file));
  assert.equal((await place.cli('run ci')).code, 1);
  return place;
}

/** The lines of a resume's dry run. */
async function planned({ cli }: Project, flags = ''): Promise<readonly string[]> {
  const { stdout } = await cli(`resume --last --dry-run --format text ${flags}`.trim());
  return stdout.trimEnd().split('\n').slice(1);
}

test('a set-up that finally undoes runs again before later steps of its workflow', async (t) => {
  const deploy = { finally: 'echo unlock >> effects', steps: [lock(), effect('build'), work(), effect('last')] };
  const place = await failed(t, [effect('first'), call('deploy')], { deploy });
  fix(place);
  assert.deepEqual(await planned(place), [
    '  = first  kept: finished',
    '  + deploy/lock  run again: on_resume',
    '  = deploy/build  kept: finished',
    '  > deploy/work  run',
    '  > deploy/last  run',
  ]);
  assert.equal((await place.cli('resume --last')).code, 0);
  assert.deepEqual(place.effects().slice(5), ['lock', 'work', 'last', 'unlock']);
});

test('it runs again in every session in which a later step does, with its outputs as they are then', async (t) => {
  const token = lock({ run: 'echo lock >> effects; wc -l < effects', outputs: { AT: 'text' } });
  const place = await failed(t, [token, effect('use', { run: 'echo ${steps.lock.AT} >> effects; test -e fixed' })]);
  assert.equal((await place.cli('resume --last')).code, 1);
  fix(place);
  assert.equal((await place.cli('resume --last')).code, 0);
  assert.deepEqual(place.effects(), ['lock', '1', 'lock', '3', 'lock', '5']);
});

test('a later step of a call counts, a step of a later workflow does not', async (t) => {
  const outer = { steps: [lock(), call('inner')] };
  const place = await failed(t, [call('outer'), call('other')], {
    outer,
    inner: { steps: [effect('a')] },
    other: { steps: [effect('set-up', { on_resume: 'rerun' }), call('failing')] },
    failing: { steps: [work()] },
  });
  fix(place);
  assert.equal((await place.cli('resume --last')).code, 0);
  assert.deepEqual(place.effects(), ['lock', 'a', 'set-up', 'work', 'set-up', 'work']);
});

test('its condition is not asked again, and a step that was skipped stays so', async (t) => {
  const place = await failed(t, [
    effect('asked', { if: 'echo asked >> effects', on_resume: 'rerun' }),
    effect('never', { if: 'test -e fixed', on_resume: 'rerun' }),
    work(),
  ]);
  fix(place);
  assert.equal((await place.cli('resume --last')).code, 0);
  assert.deepEqual(place.effects(), ['asked', 'asked', 'work', 'asked', 'work']);
});

test('each member of a group and each copy of a matrix runs again', async (t) => {
  const copies = { name: 'copy', run: 'echo $N >> effects', matrix: { N: ['1', '2'] }, on_resume: 'rerun' };
  const place = await failed(t, [copies, { parallel: [lock(), effect('other')] }, work()]);
  fix(place);
  assert.equal((await place.cli('resume --last')).code, 0);
  assert.deepEqual(place.effects().slice(5), ['1', '2', 'lock', 'work']);
});

test('outside of the selected part, and where --done names it, it does not run again', async (t) => {
  const place = await failed(t, [lock(), effect('between'), work()]);
  fix(place);
  assert.equal((await place.cli('resume --last --from work')).code, 0);
  assert.deepEqual(place.effects(), ['lock', 'between', 'work', 'work']);
});

test('the note about a finally names no step with on_resume, even if its value is keep', async (t) => {
  const own = { finally: 'echo unlock >> effects' };
  const place = await failed(t, [lock(), effect('a', { on_resume: 'keep' }), work()], {}, own);
  const { stderr } = await place.cli('resume --last --dry-run');
  assert.ok(!stderr.includes('are not repeated'), stderr);
  const other = await failed(t, [effect('a'), work()], {}, own);
  const noted = await other.cli('resume --last --dry-run');
  assert.ok(noted.stderr.includes(`(--rerun STEP repeats one, "on_resume": "rerun" in the file always)`), noted.stderr);
});

test('calls, groups, steps with sources and steps of workflows that run once cannot have it', async (t) => {
  const { cwd, cli } = project(t, []);
  const steps = [
    { workflow: 'once', on_resume: 'rerun' },
    { parallel: ['true'], on_resume: 'keep' },
    { run: 'make', sources: ['a'], on_resume: 'rerun' },
  ];
  const once = { once: true, steps: [{ parallel: [{ run: 'true', on_resume: 'keep' }] }] };
  writeFileSync(join(cwd, '.cli/workflow.json'), JSON.stringify({ workflows: { ci: { steps }, once } }));
  const { code, stdout } = await cli('validate --pretty');
  assert.equal(code, 1);
  assert.deepEqual(
    [...stdout.matchAll(/"message": "(.*on_resume.*)"/g)].map(([, message]) => message),
    [
      `step 1: 'on_resume' applies only to steps with 'run'; set it on the steps of the called workflow`,
      `step 2: 'on_resume' applies only to steps with 'run'; set it on the steps of the called workflow`,
      `step 3: 'on_resume' cannot be used with 'sources', which decide whether the step runs; remove one of them`,
      `step 1.1: 'on_resume' cannot be used in a workflow with \\"once\\": true, which runs once in a run; set it on a step of the calling workflow`,
    ],
  );
});
