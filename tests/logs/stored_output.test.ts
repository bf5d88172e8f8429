/* Output that is stored because standard error is no terminal, and the places that show it. */
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { test } from 'node:test';
import { limitLogs } from '../../src/records/journal/prune.ts';
import { killAlone, project } from '../support/runs/recorded_run.ts';
import { until } from '../support/until.ts';

/** The environment of a run that stores output by default. */
const USUAL = { CLI_LOGS: undefined };

test('output is stored where standard error is no terminal, but not with CI, and not if it is turned off', async (t) => {
  const { cli, cwd, run } = project(t, ['echo out', 'false']);
  await cli('run ci', USUAL);
  const names = (): readonly string[] => {
    const logs = join(run(), 'logs');
    return existsSync(logs) ? readdirSync(logs).toSorted() : [];
  };
  assert.deepEqual(names(), ['1-1.log', '1-2.log']);
  const off = [{ CI: 'true' }, { CI: '1' }, { CLI_LOGS: 'no' }, { CLI_LOGS: 'off' }, { CLI_LOGS: 'false' }];
  for (const env of off) await cli('resume --last', { ...USUAL, ...env });
  await cli('resume --last --no-logs', USUAL);
  assert.equal(names().length, 2);
  const on = [{ CI: 'false' }, { CI: '0' }, { CLI_LOGS: '' }, { CLI_LOGS: 'yes', CI: 'true' }, { FORCE_COLOR: '1' }];
  for (const env of on) await cli('resume --last', { ...USUAL, ...env });
  assert.equal(names().length, 2 + on.length);
  writeFileSync(
    join(cwd, '.cli/workflow.json'),
    '{"workflows": {"ci": {"logs": false, "steps": ["echo out", "false"]}}}',
  );
  await cli('resume --last', USUAL);
  assert.equal(names().length, 2 + on.length);
  const { stderr } = await cli('run ci --no-journal', USUAL);
  assert.doesNotMatch(stderr, /log/);
});

test('the block of a failed step and runs show name its log, and show prints its last 20 lines', async (t) => {
  const { cli, run, cwd } = project(t, [{ name: 'bad', run: 'seq 30; exit 3' }, 'true'], { error: 'false' });
  const { stderr } = await cli('run ci', USUAL);
  const log = join(run(), 'logs/1-1.log');
  assert.match(stderr, new RegExp(`\ncli: {3}output: ${relative(cwd, log)}\n`));
  assert.equal(stderr.match(/output: /g)?.length, 1, 'a hook without output has no log to read');
  const lines = Array.from({ length: 20 }, (_, index) => String(index + 11));
  const text = (await cli('runs show --last --format text')).stdout;
  assert.ok(text.includes(`${lines.map((line) => `      | ${line}\n`).join('')}      output: ${relative(cwd, log)}\n`));
  const { steps } = JSON.parse((await cli('runs show --last')).stdout);
  assert.deepEqual([steps[0].log, steps[0].last_lines], [log, lines]);
  assert.deepEqual([steps[1].log, steps[1].last_lines], [null, null]);
});

test('a step with a log can open /dev/stderr, and what a background process prints later arrives, too', async (t) => {
  const { cli, spawn, cwd, run } = project(t, [
    'echo one; echo two >/dev/stderr; echo three | tee /dev/stderr >/dev/null; (until [ -e go ]; do sleep 0.1; done; echo late) &',
    'echo four; (sleep 1; echo last) & : > go',
  ]);
  process.env['CLI_LOGS'] = '1';
  t.after(() => (process.env['CLI_LOGS'] = '0'));
  const { stderr } = await spawn('run ci');
  const printed = stderr.split('\n').filter((line) => line !== '' && !line.startsWith('cli: '));
  assert.deepEqual(printed.toSorted(), ['four', 'last', 'late', 'one', 'three', 'two']);
  assert.equal(printed.at(-1), 'last', 'after the end of the run');
  assert.equal(readFileSync(join(run(), 'logs/1-1.log'), 'utf8'), 'one\ntwo\nthree\n');
  assert.equal((await cli('runs logs --last')).stdout.slice(0, 14), 'one\ntwo\nthree\n');
  assert.deepEqual(readdirSync(cwd).toSorted(), ['.cli', 'go']);
});

test('secrets are masked in a log, and not on standard error; a step whose run was killed keeps its output unmasked', async (t) => {
  const { cli, start, cwd, run } = project(t, [
    { name: 'login', run: `echo '{"token": "of-an-output"}'`, outputs: { A_TOKEN: '$.token' } },
    {
      name: 'use',
      run: 'echo "$API_TOKEN ${steps.login.A_TOKEN}"; : > ready; until [ -e go ]; do sleep 0.1; done; echo end',
    },
  ]);
  process.env['API_TOKEN'] = 'of-the-environment';
  process.env['CLI_LOGS'] = '1';
  t.after(() => {
    delete process.env['API_TOKEN'];
    process.env['CLI_LOGS'] = '0';
  });
  const log = (name: string): string => readFileSync(join(run(), 'logs', name), 'utf8');
  await killAlone(await start('run ci'));
  assert.equal(log('1-1.log'), '{"token": "***"}\n');
  writeFileSync(join(cwd, 'go'), '');
  await until(
    () => log('1-2.log').endsWith('end\n'),
    () => 'the step that goes on has written to its log',
  );
  const hidden = await cli('runs logs --last');
  const note = "cli: the output of 'use' is not masked: the run was killed; to print it all the same, add --raw\n";
  assert.deepEqual([hidden.code, hidden.stdout, hidden.stderr], [1, '{"token": "***"}\n', note]);
  assert.equal((await cli('runs logs --last use --raw')).stdout, 'of-the-environment of-an-output\nend\n');
  assert.match((await cli('runs show --last --format text')).stdout, /its output is not masked: the run was killed\n/);
  const resumed = await cli('resume --last --on-crash rerun --rerun login', { CLI_LOGS: '1' });
  assert.match(resumed.stderr, /^of-the-environment of-an-output$/m);
  assert.equal((await cli('runs logs --last use')).stdout, '*** ***\nend\n');
});

test('the oldest logs go when all logs of a directory are too large, and runs show says so', async (t) => {
  const { cli, cwd } = project(t, [{ name: 'bad', run: 'head -c 1000 /dev/zero; exit 1' }]);
  for (let index = 0; index < 3; index += 1) await cli('run ci', { CLI_LOGS: '1' });
  const runs = join(cwd, '.cli/runs');
  const [first = '', second = '', third = ''] = readdirSync(runs).filter((name) => !name.startsWith('.'));
  mkdirSync(join(runs, '20200101-000000-aaaaa/logs'), { recursive: true });
  writeFileSync(join(runs, '20200101-000000-aaaaa/logs/1-1.log'), 'x'.repeat(500));
  const trust = { entries: undefined, all: true };
  limitLogs(runs, trust, third, 3500);
  assert.ok(existsSync(join(runs, first, 'logs/1-1.log')));
  limitLogs(runs, trust, first, 2600);
  assert.deepEqual(
    [first, second, third].map((id) => readdirSync(join(runs, id, 'logs'))),
    [['1-1.log'], ['1-1.removed'], ['1-1.log']],
    'not the log of the run itself, nor that of a run without a record',
  );
  const problem = 'no longer stored: the logs of a project have at most 256 MiB';
  assert.match((await cli(`runs show ${second} --format text`)).stdout, new RegExp(`its output is ${problem}\n`));
  const { code, stdout, stderr } = await cli(`runs logs ${second}`);
  assert.deepEqual([code, stdout, stderr], [0, '', `cli: the output of 'bad' is ${problem}\n`]);
});
