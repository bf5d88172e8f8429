/* Runs killed at every moment, and their resumes. */
import assert from 'node:assert/strict';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test, type TestContext } from 'node:test';
import { crash, effect, killAlone, project, stepsOf, waiting } from '../support/runs/recorded_run.ts';
import { until } from '../support/until.ts';

/** A command that writes a file `ready`, and waits for the file `go`. */
function hanging(name: string): string {
  return `echo ${name} >> effects; : > ready; until [ -e go ]; do sleep 0.1; done`;
}

describe('a killed run', { concurrency: 2 }, () => {
  test('a run killed in a condition tests it again', async (t) => {
    const steps = [effect('a'), effect('b', { if: hanging('if') }), effect('c')];
    const { cwd, cli, start, effects } = project(t, steps);
    await crash(await start('run ci'));
    writeFileSync(join(cwd, 'go'), '');
    assert.deepEqual(stepsOf((await cli('resume --last')).stdout), ['a 0 kept', 'b 0', 'c 0']);
    assert.deepEqual(effects(), ['a', 'if', 'if', 'b', 'c']);
  });

  const ALL = { before_all: 'echo before >> effects', finally: 'echo finally >> effects' };
  const END = { after_all: 'echo after >> effects' };
  for (const [hook, last, first, second] of [
    ['before_all', 'true', ['hook'], ['hook', 'a', 'b', 'after', 'finally']],
    ['after_all', 'true', ['before', 'a', 'b', 'hook'], ['before', 'hook', 'finally']],
    ['error', 'test -e go', ['before', 'a', 'b', 'hook'], ['before', 'b', 'after', 'finally']],
    ['finally', 'true', ['before', 'a', 'b', 'after', 'hook'], ['before', 'hook']],
  ] as const) {
    test(`a run killed in the hook ${hook} keeps its steps, and the resume runs the hooks of a session`, async (t) => {
      const steps = [effect('a'), effect('b', { run: `echo b >> effects; ${last}` })];
      const { cwd, cli, start, effects } = project(t, steps, { ...ALL, ...END, [hook]: hanging('hook') });
      await crash(await start('run ci'));
      assert.deepEqual(effects(), first);
      writeFileSync(join(cwd, 'go'), '');
      rmSync(join(cwd, 'ready'));
      assert.equal((await cli('resume --last')).code, 0);
      assert.deepEqual(effects().slice(first.length), second);
    });
  }
});

test('a resume names the step in flight that the file no longer contains', async (t) => {
  const { cwd, cli, start, edit, effects } = project(t, [effect('a'), waiting('b'), effect('c')]);
  await crash(await start('run ci'));
  edit([effect('a'), effect('c')]);
  writeFileSync(join(cwd, 'go'), '');
  const { stdout, stderr } = await cli('resume --last');
  assert.deepEqual(stderr.split('\n').slice(1, 4), [
    '  = a  kept: finished',
    '  > c  run',
    '  x b  is no longer in the file, but was running when the run was killed',
  ]);
  assert.deepEqual(stepsOf(stdout), ['a 0 kept', 'c 0']);
  assert.deepEqual(effects(), ['a', 'b', 'c']);
});

test('a proposed flag quotes the name of a step for the shell', async (t) => {
  const { cli, start } = project(t, [waiting('b', { matrix: { V: ['1', '2'] } })]);
  await crash(await start('run ci'));
  const { stderr } = await cli('resume --last');
  assert.deepEqual(stderr.split('\n').slice(1), [
    '  ? b (1)  unknown: was running when the run was killed',
    '  > b (2)  run',
    "cli: step 'b (1)' was running when the run was killed; it is not known whether it finished",
    "cli: to run it again, add --on-crash rerun; if it has finished, add --done 'b (1)'",
    '',
  ]);
});

test('a run killed between any two records keeps exactly the steps that have ended', async (t) => {
  const steps = [
    effect('a'),
    effect('b', {
      if: 'true',
      retry: { max_attempts: 2, delay: '1ms' },
      run: 'echo b >> effects; test -e first || { : > first; exit 1; }',
    }),
    effect('s', { if: 'false' }),
    effect('c', { outputs: { X: 'text' } }),
    effect('d', { run: 'echo d >> effects; echo "${steps.c.X}" > /dev/null' }),
  ];
  const { cwd, cli, run, effects } = project(t, steps, { before_all: 'true', finally: 'true' });
  assert.equal((await cli('run ci')).code, 0);
  const file = join(run(), 'session-1.ndjson');
  const lines = readFileSync(file, 'utf8')
    .replace(/"pid":\d+/, '"pid":4194305')
    .trimEnd()
    .split('\n');
  // The complete journal ends with `finish`, so the run has succeeded.
  for (let count = 1; count < lines.length; count += 1) {
    const kept = lines.slice(0, count);
    writeFileSync(file, kept.map((line) => `${line}\n`).join(''));
    for (const name of ['effects', 'first']) rmSync(join(cwd, name), { force: true });
    const records = kept.slice(1).map((line): Record<string, unknown> => JSON.parse(line));
    const nameOf = (n: unknown): unknown =>
      records.find((record) => record['kind'] === 'start' && record['n'] === n)?.['name'];
    const ended = new Set(records.filter(({ kind, exit }) => kind === 'end' && exit === 0).map(({ n }) => nameOf(n)));
    const { code, stdout } = await cli('resume --last --on-crash rerun');
    assert.equal(code, 0, `${count} lines`);
    const states = new Map(stepsOf(stdout).map((line) => [line.slice(0, 1), line.includes('kept')]));
    for (const name of ['a', 'b', 'c', 'd']) {
      assert.equal(states.get(name), ended.has(name), `${name} after ${count} lines`);
      assert.equal(effects().includes(name), !ended.has(name), `${name} ran after ${count} lines`);
    }
    rmSync(join(run(), 'session-2.ndjson'));
  }
  assert.ok(existsSync(file));
});

test('a run killed after its last record has succeeded or failed, as recorded', async (t) => {
  const { cli, run } = project(t, [effect('a')]);
  await cli('run ci');
  const file = join(run(), 'session-1.ndjson');
  writeFileSync(file, readFileSync(file, 'utf8').replace(/"pid":\d+/, '"pid":4194305'));
  assert.equal((await cli('resume --last')).code, 2);
  assert.match((await cli('runs list')).stdout, /"state":"succeeded"/);
});

describe('processes left by a killed run', { concurrency: 2, skip: process.platform !== 'linux' }, () => {
  const LEFT =
    /^cli: processes of run \S+ are still running: \d+(?:, \d+)*; nothing was started\ncli: to wait until they have ended, add --orphans wait; to end them, --orphans end\n$/m;

  test('processes left by a killed run are named, and --orphans wait waits for them', async (t) => {
    const { cwd, cli, start, effects } = project(t, [effect('a'), waiting('b'), effect('c')]);
    await killAlone(await start('run ci'));
    const refused = await cli('resume --last --on-crash rerun');
    assert.deepEqual([refused.code, refused.stdout], [2, '']);
    assert.match(refused.stderr, LEFT);
    const waited = cli('resume --last --done b --orphans wait');
    writeFileSync(join(cwd, 'go'), '');
    assert.deepEqual(stepsOf((await waited).stdout), ['a 0 kept', 'b null kept', 'c 0']);
    assert.deepEqual(effects(), ['a', 'b', 'b-end', 'c']);
  });

  test('--orphans wait lets processes go on that a run had stopped when it was killed', async (t) => {
    const { cli, start, effects } = project(t, [
      waiting('b', { run: 'echo b >> effects; : > ready; kill -STOP $$' }),
      effect('c'),
    ]);
    await killAlone(await start('run ci'));
    const waited = await cli('resume --last --done b --orphans wait');
    assert.deepEqual(stepsOf(waited.stdout), ['b null kept', 'c 0']);
    assert.deepEqual(effects(), ['b', 'c']);
  });

  test('--orphans end terminates processes left by a killed run, except those of finished steps', async (t) => {
    const server = { name: 'server', run: 'sleep 600 >/dev/null 2>&1 & echo $! > server.pid' };
    const { cwd, cli, start, effects } = project(t, [server, waiting('b', {}), effect('c')]);
    await killAlone(await start('run ci'));
    const { stdout } = await cli('resume --last --done b --orphans end');
    assert.deepEqual(stepsOf(stdout), ['server 0 kept', 'b null kept', 'c 0']);
    assert.deepEqual(effects(), ['b', 'c']);
    const pid = Number(readFileSync(join(cwd, 'server.pid'), 'utf8'));
    assert.equal(process.kill(pid, 0), true);
    process.kill(pid, 'SIGKILL');
  });
});

/** Kills a run in the delay before the second attempt of a step. */
async function killInDelay(t: TestContext, fields: object): Promise<void> {
  const retry = { max_attempts: 2, delay: '1h' };
  const step = effect('b', { run: 'echo b >> effects; : > ready; exit 1', retry, ...fields });
  const { cli, start, run } = project(t, [effect('a'), step]);
  const child = await start('run ci');
  const journal = (): string => readFileSync(join(run(), 'session-1.ndjson'), 'utf8');
  await until(() => journal().includes('"more":true'), journal);
  await crash(child);
  const { code, stdout } = await cli('resume --last --dry-run');
  assert.deepEqual([code, stepsOf(stdout)], [0, ['a kept', 'b run']]);
}

test('a run killed during the delay before another attempt requires no decision', (t) => killInDelay(t, {}));

test('nor does a run killed during the delay after an allowed failure', (t) => killInDelay(t, { allow_failure: true }));
