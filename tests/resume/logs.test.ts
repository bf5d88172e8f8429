/* --logs and `runs logs`: the output of commands in files to which they write directly. */
import assert from 'node:assert/strict';
import { existsSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { test } from 'node:test';
import { effect, killAlone, project, waiting } from '../support/runs/recorded_run.ts';

const OUT = 'cli: ';

/** The lines printed by steps, without those of cli. */
function printed(stderr: string): readonly string[] {
  return stderr.split('\n').filter((line) => line !== '' && !line.startsWith(OUT) && !/^(?:run|  [=>])/.test(line));
}

test('--logs keeps the raw output of commands in order, and prints it as well', async (t) => {
  const steps = [
    { name: 'build', run: 'echo one; echo two >&2' },
    { name: 'give', run: `echo '{"a": 1}'; echo err >&2`, outputs: { A: '$.a' } },
    { workflow: 'other' },
    { name: 'last', run: "printf '\\033[1mbold\\n'; exit 3" },
  ];
  const workflows = { other: { steps: [{ name: 'build', run: 'echo inner' }] } };
  const { cli, run, cwd } = project(t, []);
  const file = { finally: 'echo bye', workflows: { ci: { steps }, ...workflows } };
  writeFileSync(join(cwd, '.cli/workflow.json'), JSON.stringify(file));
  const { code, stderr } = await cli('run ci --logs');
  assert.equal(code, 1);
  assert.deepEqual(
    printed(stderr).toSorted(),
    ['bye', 'err', 'inner', 'one', 'two', '{"a": 1}', '\x1b[1mbold'].toSorted(),
  );
  const logs = join(run(), 'logs');
  assert.deepEqual(readdirSync(logs).toSorted(), ['1-1.log', '1-2.log', '1-3.log', '1-4.log', '1-5.log']);
  assert.equal(statSync(join(logs, '1-1.log')).mode & 0o777, 0o600);
  assert.equal(statSync(logs).mode & 0o777, 0o700);
  assert.equal((await cli('runs logs --last last')).stdout, '\x1b[1mbold\n');
  assert.equal((await cli('runs logs --last other')).stdout, 'inner\n');
  assert.equal((await cli('runs logs --last other/build')).stdout, 'inner\n');
  assert.equal((await cli('runs logs --last finally')).stdout, 'bye\n');
  assert.match(
    (await cli(`runs logs ${basename(run())}`)).stdout,
    /^one\ntwo\n(?:err\n)?\{"a": 1\}\n(?:err\n)?inner\n/,
  );
  assert.match((await cli('runs logs --last build')).stdout, /^one\ntwo\n(?:err\n)?$/, 'a path comes before a name');
  const none = await cli('runs logs --last nosuch');
  const known = 'build, give, other/build, last, finally';
  assert.deepEqual(
    [none.code, none.stdout, none.stderr],
    [2, '', `cli: run ${basename(run())} has started no step 'nosuch'; it has started: ${known}\n`],
  );
});

test('after a kill a step continues to write to its log, and a resume adds to the logs', async (t) => {
  const { cli, start, run, cwd } = project(t, [waiting('a'), { name: 'b', run: 'echo from b' }]);
  await killAlone(await start('run ci --logs'));
  writeFileSync(join(cwd, 'go'), '');
  await cli('resume --last --orphans wait --done a --logs');
  assert.deepEqual(readdirSync(join(run(), 'logs')).toSorted(), ['1-1.log', '2-1.log']);
  assert.equal((await cli('runs logs --last b')).stdout, 'from b\n');
});

test('a run without --logs has no logs, and the message names the ways to keep them', async (t) => {
  const { cli, run } = project(t, [effect('a')]);
  await cli('run ci');
  assert.deepEqual(await cli('runs logs --last'), {
    code: 2,
    signal: null,
    stdout: '',
    stderr: `cli: run ${basename(run())} has no logs; to keep them, add --logs, write "logs": true in the workflow, or set CLI_LOGS=1\n`,
  });
  const { code, stderr } = await cli('run ci --logs --no-journal');
  assert.deepEqual([code, stderr.split('\n')[0]], [0, 'cli: warning: no logs are kept: the run is not recorded']);
});

test('runs logs says which sessions of a run stored no output', async (t) => {
  const { cli, cwd } = project(t, [{ name: 'upload', run: 'echo trying; test -e host' }]);
  await cli('run ci --logs');
  await cli('resume --last');
  writeFileSync(join(cwd, 'host'), '');
  await cli('resume --last');
  const { code, stdout, stderr } = await cli('runs logs --last');
  const missing = 'cli: upload: failed with exit code 1\ncli: the output of sessions 2, 3 of this run is not stored\n';
  assert.deepEqual([code, stdout, stderr], [0, 'trying\n', missing]);
});

test('logs are kept by the flag, else by the field of the workflow, else by CLI_LOGS', async (t) => {
  const { cli, run, cwd } = project(t, []);
  const other = { logs: true, steps: ['true'] };
  const write = (logs: boolean | undefined): void => {
    const ci = { logs, steps: [{ workflow: 'other' }, 'false'] };
    writeFileSync(join(cwd, '.cli/workflow.json'), JSON.stringify({ workflows: { ci, other } }));
  };
  const logs = (): readonly string[] => (existsSync(join(run(), 'logs')) ? readdirSync(join(run(), 'logs')) : []);
  write(undefined);
  await cli('run ci');
  assert.deepEqual(logs(), [], 'the field of a called workflow does not count');
  const { stderr } = await cli('runs logs --last');
  assert.match(stderr, /^cli: run \S+ has no logs; .*\ncli: to continue the run with logs: cli resume \S+ --logs\n$/);
  await cli('resume --last', { CLI_LOGS: '1' });
  assert.deepEqual(logs(), ['2-1.log'], 'the environment counts, for a resume too');
  write(true);
  await cli('resume --last --no-logs --logs --no-logs');
  assert.deepEqual(logs(), ['2-1.log'], 'the last flag decides');
  await cli('resume --last');
  assert.deepEqual(logs().toSorted(), ['2-1.log', '4-1.log'], 'a resume reads the field anew');
  write(false);
  await cli('resume --last', { CLI_LOGS: '1' });
  assert.deepEqual(logs().toSorted(), ['2-1.log', '4-1.log'], 'the field overrides the environment');
  const unrecorded = await cli('run ci --no-journal', { CLI_LOGS: '1' });
  assert.doesNotMatch(unrecorded.stderr, /no logs are kept/);
});

test('the output of group members is in their logs, and on standard error after their names', async (t) => {
  const { cli } = project(t, [
    {
      parallel: [
        { name: 'x', run: 'echo from x' },
        { name: 'y', run: 'echo from y' },
      ],
    },
  ]);
  const { stderr } = await cli('run ci --logs');
  assert.deepEqual(printed(stderr).toSorted(), ['x │ from x', 'y │ from y']);
  assert.equal((await cli('runs logs --last y')).stdout, 'from y\n');
});
