import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { crash, effect, project, stepsOf, waiting } from '../support/runs/recorded_run.ts';
import { timeless } from '../support/processes/screen.ts';
import { HAS_PROC } from '../support/processes/shell.ts';
import { until } from '../support/until.ts';

/** Succeeds once the file `fixed` exists. */
const FAILING = effect('b', { run: 'echo b >> effects; test -e fixed' });

test('a resume keeps finished steps and runs the others', async (t) => {
  const { cwd, cli, effects } = project(t, [effect('a'), FAILING, effect('c')], { finally: 'echo f >> effects' });
  assert.equal((await cli('run ci')).code, 1);
  writeFileSync(join(cwd, 'fixed'), '');
  const { code, stdout, stderr } = await cli('resume --last');
  assert.equal(code, 0);
  assert.deepEqual(JSON.parse(stdout), {
    workflow: 'ci',
    steps: [
      { name: 'a', command: 'echo a >> effects', exit_code: 0, kept: true },
      { name: 'b', command: 'echo b >> effects; test -e fixed', exit_code: 0 },
      { name: 'c', command: 'echo c >> effects', exit_code: 0 },
    ],
    finally: { command: 'echo f >> effects', exit_code: 0 },
    success: true,
  });
  assert.equal(
    timeless(stderr),
    `run <run> of workflow ci
  = a  kept: finished
  > b  run
  > c  run
cli: step 'b' of workflow 'ci'
cli: step 'b' of workflow 'ci' succeeded, <time>
cli: step 'c' of workflow 'ci'
cli: step 'c' of workflow 'ci' succeeded, <time>
cli: hook 'finally'
cli: hook 'finally' succeeded, <time>
cli: workflow 'ci' succeeded: 2 steps ran, 1 kept, <time>
`,
  );
  assert.deepEqual(effects(), ['a', 'b', 'f', 'b', 'c', 'f']);
});

test('a report shows which steps a resume kept or omitted', async (t) => {
  const skipped = effect('s', { if: 'test -e fixed' });
  const { cwd, cli } = project(t, [effect('a'), skipped, FAILING, effect('c'), effect('d')]);
  await cli('run ci');
  writeFileSync(join(cwd, 'fixed'), '');
  const { stderr } = await cli('resume --last --until c --report report.json');
  assert.match(timeless(stderr), /^cli: workflow 'ci' succeeded: 2 steps ran, 1 kept, 1 left out, 1 skipped, <time>$/m);
  const report = readFileSync(join(cwd, 'report.json'), 'utf8');
  assert.deepEqual(
    [...report.matchAll(/"status": *"([^"]*)"/g)].map(([, status]) => status),
    ['kept', 'not met', 'skipped', 'succeeded', 'succeeded', 'left out'],
  );
});

test('a run is found by its id, or by the last five letters of it', async (t) => {
  const { cli, run } = project(t, ['exit 3']);
  await cli('run ci');
  const id = basename(run());
  for (const text of [id, id.slice(-5)]) assert.equal((await cli(`resume ${text}`)).code, 1);
  const { code, stdout, stderr } = await cli('resume zzzzz');
  assert.deepEqual({ code, stdout, stderr }, { code: 2, stdout: '', stderr: "cli: no run 'zzzzz' is recorded here\n" });
});

test('a successful run is not resumed', async (t) => {
  const { cli, run, effects } = project(t, [effect('a')]);
  await cli('run ci');
  const stderr = `cli: run ${basename(run())} has succeeded; nothing was started\n`;
  assert.deepEqual(await cli('resume --last'), { code: 2, signal: null, stdout: '', stderr });
  assert.deepEqual(effects(), ['a']);
});

test('a dry run of a resume shows the steps that would run, and writes nothing', async (t) => {
  const { cli, effects, run } = project(t, [effect('a'), FAILING]);
  await cli('run ci');
  const journal = readFileSync(join(run(), 'session-1.ndjson'), 'utf8');
  const { code, stdout } = await cli('resume --last --dry-run');
  assert.equal(code, 0);
  assert.deepEqual(JSON.parse(stdout), {
    workflow: 'ci',
    run: basename(run()),
    dry_run: true,
    steps: [
      { name: 'a', command: 'echo a >> effects', state: 'kept', reason: 'finished' },
      { name: 'b', command: 'echo b >> effects; test -e fixed', state: 'run' },
    ],
    can_resume: true,
  });
  assert.deepEqual(effects(), ['a', 'b']);
  assert.equal(readFileSync(join(run(), 'session-1.ndjson'), 'utf8'), journal);
});

test('a step that was running when the run was killed requires a decision', async (t) => {
  const { cli, start, effects, run } = project(t, [effect('a'), waiting('b'), effect('c')]);
  await crash(await start('run ci'));
  const { code, stdout, stderr } = await cli('resume --last');
  assert.deepEqual({ code, stdout }, { code: 2, stdout: '' });
  assert.equal(
    stderr,
    `run ${basename(run())} of workflow ci
  = a  kept: finished
  ? b  unknown: was running when the run was killed
  > c  run
cli: step 'b' was running when the run was killed; it is not known whether it finished
cli: to run it again, add --on-crash rerun; if it has finished, add --done b
`,
  );
  assert.deepEqual(effects(), ['a', 'b']);
  assert.equal((await cli('resume --last --dry-run')).code, 1);
});

test('--on-crash rerun runs the step in doubt again', async (t) => {
  const { cwd, cli, start, effects } = project(t, [effect('a'), waiting('b'), effect('c')]);
  await crash(await start('run ci'));
  writeFileSync(join(cwd, 'go'), '');
  const { stdout } = await cli('resume --last --on-crash rerun');
  assert.deepEqual(stepsOf(stdout), ['a 0 kept', 'b 0', 'c 0']);
  assert.deepEqual(effects(), ['a', 'b', 'b', 'b-end', 'c']);
});

test('--done counts the step in doubt as finished, in later resumes too', async (t) => {
  const { cwd, cli, start, effects } = project(t, [effect('a'), waiting('b'), { name: 'c', run: 'test -e go' }]);
  await crash(await start('run ci'));
  assert.deepEqual(stepsOf((await cli('resume --last --done b')).stdout), ['a 0 kept', 'b null kept', 'c 1']);
  writeFileSync(join(cwd, 'go'), '');
  assert.deepEqual(stepsOf((await cli('resume --last')).stdout), ['a 0 kept', 'b null kept', 'c 0']);
  assert.deepEqual(effects(), ['a', 'b']);
});

test('--on-crash fail runs the missing hooks, and the run can be resumed again', async (t) => {
  const hooks = { error: 'echo error >> effects', finally: 'echo finally >> effects' };
  const { cwd, cli, start, effects } = project(t, [effect('a'), waiting('b'), effect('c')], hooks);
  await crash(await start('run ci'));
  const { code, stdout, stderr } = await cli('resume --last --on-crash fail');
  assert.equal(code, 1);
  assert.deepEqual(stepsOf(stdout), ['a 0 kept', 'b null']);
  assert.match(stderr, /^cli: step 'b' .*: it must not run again, and was running when the run was killed$/m);
  assert.deepEqual(effects(), ['a', 'b', 'error', 'finally']);
  const hint =
    "cli: to continue with b (finished steps are kept): cli resume --last\ncli: this runs step 'b' again; if it has finished, add --done b\n";
  assert.equal(stderr.slice(-hint.length), hint);
  writeFileSync(join(cwd, 'go'), '');
  assert.equal((await cli('resume --last')).code, 0);
  assert.deepEqual(effects().slice(4), ['b', 'b-end', 'c', 'finally']);
});

test('a step with on_crash: fail fails in one resume, and counts as failed in the next', async (t) => {
  const steps = [effect('a'), waiting('b', { on_crash: 'fail', allow_failure: true }), effect('c')];
  const { cli, start, effects } = project(t, steps);
  await crash(await start('run ci'));
  assert.deepEqual(stepsOf((await cli('resume --last')).stdout), ['a 0 kept', 'b null']);
  assert.deepEqual(stepsOf((await cli('resume --last --dry-run')).stdout), ['a kept', 'b run', 'c run']);
  assert.deepEqual(stepsOf((await cli('resume --last --done b')).stdout), ['a 0 kept', 'b null kept', 'c 0']);
  assert.deepEqual(effects(), ['a', 'b', 'c']);
});

test('a run that is still running or suspended is not resumed', async (t) => {
  const { cwd, cli, start, effects, run } = project(t, [waiting('a')]);
  const child = await start('run ci');
  const stderr = `cli: run ${basename(run())} is still running (process ${child.pid}); nothing was started\n`;
  assert.deepEqual(await cli('resume --last'), { code: 2, signal: null, stdout: '', stderr });
  child.kill('SIGSTOP');
  assert.deepEqual(await cli('resume --last'), { code: 2, signal: null, stdout: '', stderr });
  child.kill('SIGCONT');
  writeFileSync(join(cwd, 'go'), '');
  if (child.exitCode === null) await once(child, 'exit');
  assert.deepEqual(effects(), ['a', 'a-end']);
});

test("a run with arguments after '--' requires them again", async (t) => {
  const { cli, run, effects } = project(t, [effect('a', { run: 'echo "$1" >> effects; exit 1' })]);
  await cli('run ci -- x');
  const stderr = `cli: run ${basename(run())} had 1 argument after '--', which are not recorded; add -- and the arguments\n`;
  assert.deepEqual(await cli('resume --last'), { code: 2, signal: null, stdout: '', stderr });
  assert.equal((await cli('resume --last -- y')).code, 1);
  assert.equal((await cli(`resume ${basename(run())} -- z`)).code, 1);
  assert.deepEqual(effects(), ['x', 'y', 'z']);
});

test('of eight simultaneous resumes, one runs', async (t) => {
  const step = effect('a', {
    run: 'echo a >> effects; test -e resumed || exit 1; until [ -e go ]; do sleep 0.1; done',
  });
  const { cwd, cli, spawn, effects } = project(t, [step]);
  await cli('run ci');
  writeFileSync(join(cwd, 'resumed'), '');
  const codes: (number | null)[] = [];
  const all = Array.from({ length: 8 }, async () => codes.push((await spawn('resume --last')).code));
  await until(
    () => codes.length === 7,
    () => codes.join(),
  );
  writeFileSync(join(cwd, 'go'), '');
  await Promise.all(all);
  assert.deepEqual(codes, [2, 2, 2, 2, 2, 2, 2, 0]);
  assert.deepEqual(effects(), ['a', 'a']);
});

test('a run whose process id another process has now has crashed', async (t) => {
  const { cli, start, run } = project(t, [waiting('a')]);
  await crash(await start('run ci'));
  const file = join(run(), 'session-1.ndjson');
  // Without /proc, the start of a process is known in whole seconds.
  if (HAS_PROC.skip !== false) await delay(1000);
  const other = spawn('sleep', ['60']);
  t.after(() => other.kill('SIGKILL'));
  writeFileSync(file, readFileSync(file, 'utf8').replace(/"pid":\d+/, `"pid":${other.pid}`));
  assert.equal((await cli('resume --last --done a')).code, 0);
});

test('a run of another machine requires --take-over', async (t) => {
  const { cli, start, run } = project(t, [waiting('a')]);
  const child = await start('run ci');
  await crash(child);
  const file = join(run(), 'session-1.ndjson');
  writeFileSync(
    file,
    readFileSync(file, 'utf8')
      .replace(/"host":"[^"]*"/, '"host":"far"')
      .replace(/"boot":"[^"]*"/, '"boot":"x"'),
  );
  const refusal = `cli: run ${basename(run())} may still be running on far (process ${child.pid}); nothing was started
cli: if it is not, add --take-over
`;
  assert.deepEqual(await cli('resume --last --done a'), { code: 2, signal: null, stdout: '', stderr: refusal });
  assert.equal((await cli('resume --last --done a --take-over')).code, 0);
});

test('a damaged or newer journal is rejected, with the line', async (t) => {
  const { cli, run, spawn } = project(t, [effect('a'), 'exit 1']);
  // A run of this process would count as running while the process exists.
  await spawn('run ci');
  const file = join(run(), 'session-1.ndjson');
  const good = readFileSync(file, 'utf8');
  const refused = async (content: string, problem: string): Promise<void> => {
    writeFileSync(file, content);
    assert.deepEqual(await cli('resume --last'), {
      code: 2,
      signal: null,
      stdout: '',
      stderr: `cli: ${file}${problem}\n`,
    });
  };
  await refused(good.replace('{"kind":"end"', '{"kin'), ':3: the record is damaged; the run cannot be resumed');
  await refused(good.replace('"version":1', '"version":2'), ':1: the record has version 2, which needs a newer cli');
  await refused(
    `${good}{"kind":"later"}\n`,
    `:${good.split('\n').length}: a record of the unknown kind 'later', which needs a newer cli`,
  );
  writeFileSync(file, good);
  appendFileSync(file, '{"kind":"sta\0\0\0');
  assert.equal((await cli('resume --last')).code, 1);
});

test('the exit code of a kept step is that of its last run, and 0 after --done and for a step that is up to date', async (t) => {
  const may = { allow_failure: true };
  const steps = [
    effect('a', { run: 'exit 3', ...may }),
    effect('s', { run: 'true', sources: ['fixed*'], ...may }),
    effect('d', { run: 'exit 4' }),
    effect('b', { run: 'echo ${steps.a.exit_code} ${steps.s.exit_code} >>effects; test -e fixed' }),
  ];
  const { cwd, cli, effects } = project(t, steps, { finally: 'echo ${steps.d.exit_code} >>effects' });
  assert.equal((await cli('run ci')).code, 1);
  assert.equal((await cli('resume --last --done d')).code, 1);
  assert.equal((await cli('resume --last --rerun s')).code, 1);
  writeFileSync(join(cwd, 'fixed'), '');
  assert.equal((await cli('resume --last')).code, 0);
  assert.deepEqual(effects(), ['4', '3 0', '0', '3 0', '0', '3 0', '0']);
});
