/* Output that is stored because standard error is no terminal, and the places that show it. */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { closeSync, existsSync, mkdirSync, openSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join, relative } from 'node:path';
import { test } from 'node:test';
import { limitLogs } from '../../src/records/journal/prune.ts';
import { MAX_LOG } from '../../src/backend/outputs/logs/stored_logs.ts';
import { COMMAND_LINE, finish } from '../support/cli.ts';
import { SETSID } from '../support/processes/bench.ts';
import { killAlone, project, startRecorded } from '../support/runs/recorded_run.ts';
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

for (const [what, start] of [
  ['nohup', 'nohup'],
  ['cron', SETSID],
] as const)
  test(`the output of a run of ${what} is stored, and the newest failed run shows it`, async (t) => {
    const { cwd } = project(t, ['echo "no such host"; exit 6']);
    const bare = 'env -i HOME="$PWD" PATH="$PATH"';
    const run = await finish('bash', ['-c', `exec ${bare} ${start} ${COMMAND_LINE} run ci <&- >out 2>&1`], { cwd });
    assert.equal(run.code, 1);
    assert.match(
      readFileSync(join(cwd, 'out'), 'utf8'),
      /^no such host\n(?:.*\n)*cli: to see why: cli runs show --last\n/m,
    );
    const shown = await finish('bash', ['-c', `${bare} ${COMMAND_LINE} runs show --failed --format text`], { cwd });
    assert.match(shown.stdout, /^ {2}✗ step_1 .* exit code 6, .*\n.*\n {6}\| no such host\n {6}output: \.cli\/runs\//m);
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

const quote = (lines: readonly string[]): string => lines.map((line) => `      | ${line}\n`).join('');

test('the newest failed run, the first failure in the output of its step and the whole output have a command each', async (t) => {
  const script = 'seq -f "ok %.0f - Error: is caught" 100; echo "not ok 101"; seq -f "  %.0f" 40; test -e fixed';
  const { cli, run, cwd } = project(t, [
    { parallel: ['echo lint', { name: 'two', run: 'printf two' }], max_parallel: 1 },
    { name: 'test', run: script },
  ]);
  await cli('run ci', USUAL);
  const id = basename(run());
  const [name, log] = [id.slice(-5), relative(cwd, join(run(), 'logs/1-3.log'))];
  writeFileSync(join(cwd, 'fixed'), '');
  await cli('run ci', USUAL);
  const failure = [99, 100].map((number) => `ok ${number} - Error: is caught`);
  failure.push('not ok 101', ...Array.from({ length: 9 }, (_, index) => `  ${index + 1}`));
  const last = Array.from({ length: 20 }, (_, index) => `  ${index + 21}`);
  const { stdout } = await cli('runs show --failed --format text');
  assert.ok(
    stdout.includes(`      the first failure, in line 101:
${quote(failure)}      the last 20 lines:
${quote(last)}      output: ${log}
      all of it: cli runs logs ${name} test
`),
    stdout,
  );
  const { steps } = JSON.parse((await cli('runs show --failed')).stdout);
  assert.deepEqual(steps[2].first_failure, { line: 101, lines: failure });
  assert.equal(steps[2].log_command, `cli runs logs ${id} test`);
  const listed = await cli('runs list --failed --format table');
  assert.equal(listed.stdout.trimEnd().split('\n').length, 2);
  assert.equal(listed.stderr, `cli: to see why: cli runs show ${name} --format text\n`);
  const all = await cli('runs logs --failed');
  const titles = [
    'cli: step_1/step_1.1: succeeded',
    'cli: step_1/two: succeeded',
    '',
    'cli: test: failed with exit code 1',
  ];
  assert.equal(all.stderr, `${titles.join('\n')}\n`);
  assert.equal(all.stdout.slice(0, 10), 'lint\ntwook');
  assert.equal((await cli('runs show --failed more')).stderr, "cli: unexpected argument 'more'\n");
});

test('a step with a log can open /dev/stderr, and what a background process prints later arrives, too', async (t) => {
  const { cli, spawn, cwd, run } = project(t, [
    'echo one; echo two >/dev/stderr; echo three | tee /dev/stderr >/dev/null; (until [ -e go ]; do sleep 0.1; done; echo late; : > done) &',
    'echo four; (sleep 3; echo last) & : > go; until [ -e done ]; do sleep 0.1; done',
  ]);
  process.env['CLI_LOGS'] = '1';
  t.after(() => (process.env['CLI_LOGS'] = '0'));
  const { stderr } = await spawn('run ci');
  const printed = stderr.split('\n').filter((line) => line !== '' && !line.startsWith('cli: '));
  assert.deepEqual(printed.toSorted(), ['four', 'last', 'late', 'one', 'three', 'two']);
  assert.equal(printed.at(-1), 'last', 'after the end of the run');
  assert.equal(readFileSync(join(run(), 'logs/1-1.log'), 'utf8'), 'one\ntwo\nthree\nlate\n');
  assert.equal((await cli('runs logs --last')).stdout.slice(0, 14), 'one\ntwo\nthree\n');
  assert.deepEqual(readdirSync(cwd).toSorted(), ['.cli', 'done', 'go']);
});

/** A command in the background that prints a line, and the beginning of one, once the file `go` exists. */
const late = (text: string): string => `(until [ -e go ]; do sleep 0.1; done; printf '%s\\nrest' "${text}") &`;

test('what a step prints after its end is in its log, with secrets masked, unless the log was cut', async (t) => {
  const { cli, run } = project(t, [
    { name: 'one', run: `echo one; ${late('late $A_TOKEN')}` },
    { parallel: [{ name: 'member', run: `echo member; ${late('late member')}` }] },
    { name: 'large', run: `head -c 20000000 /dev/zero; ${late('after the cut')}` },
    ': > go; sleep 1.5',
  ]);
  const { stderr } = await cli('run ci --output failures', { CLI_LOGS: undefined, A_TOKEN: 'hush hush' });
  const log = (number: number): Buffer => readFileSync(join(run(), `logs/1-${number}.log`));
  assert.equal(log(1).toString(), 'one\nlate ***\nrest');
  assert.equal(log(2).toString(), 'member\nlate member\nrest');
  assert.ok(!log(3).includes('after the cut'));
  assert.match(stderr, /^after the cut\nrest/m);
  assert.doesNotMatch(stderr, /late|^member/m);
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
  const running = await start('run ci');
  // Output that cli has read and not yet written is lost with it.
  await until(
    () => log('1-2.log') !== '',
    () => 'the first line of the step is in its log',
  );
  await killAlone(running);
  assert.equal(log('1-1.log'), '{"token": "***"}\n');
  writeFileSync(join(cwd, 'go'), '');
  await until(
    () => log('1-2.log').endsWith('end\n'),
    () => 'the step that goes on has written to its log',
  );
  const hidden = await cli('runs logs --last');
  const note = "cli: the output of 'use' is not masked: the run was killed; to print it all the same, add --raw\n";
  assert.deepEqual(
    [hidden.code, hidden.stdout, hidden.stderr],
    [1, '{"token": "***"}\n', `cli: login: succeeded\n${note}`],
  );
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
  for (const n of [2, 10]) writeFileSync(join(runs, second, `logs/1-${n}.log`), 'x'.repeat(1000));
  limitLogs(runs, trust, first, 4000);
  const left = readdirSync(join(runs, second, 'logs')).toSorted();
  assert.deepEqual(left, ['1-1.removed', '1-10.log', '1-2.removed'], 'in the order of the commands');
});

/** Bytes of any kind that differ for each number: NUL, CR, invalid UTF-8, mostly without a line break at the end. */
function bytesOf(number: number, size: number): Buffer {
  const chunks: Buffer[] = [];
  for (let index = 0; index * 64 < size; index += 1)
    chunks.push(createHash('sha512').update(`${number} ${index}`).digest());
  return Buffer.concat(chunks).subarray(0, size);
}

test('the bytes of a step are those on standard error and in its log: any bytes, closed output, 20 MB', async (t) => {
  const all = Array.from({ length: 8 }, (_, index) => bytesOf(index, [0, 1, 65_536, 300_001][index % 4] ?? 0));
  const steps = all.map((_, index) => `cat bytes${index}`);
  const { cwd, run } = project(t, [...steps, 'exec >&- 2>&-; sleep 0.1', 'head -c 20000000 /dev/zero']);
  for (const [index, bytes] of all.entries()) writeFileSync(join(cwd, `bytes${index}`), bytes);
  const env = { CLI_NO_JOURNAL: undefined, CLI_LOGS: undefined };
  const { code } = await finish('bash', ['-c', `exec ${COMMAND_LINE} run ci --quiet 2>err`], { cwd, env });
  assert.equal(code, 0);
  const log = (number: number): Buffer => readFileSync(join(run(), `logs/1-${number}.log`));
  for (const [index, bytes] of all.entries()) assert.ok(log(index + 1).equals(bytes), `step ${index + 1}`);
  assert.equal(log(9).length, 0);
  const large = Buffer.alloc(20_000_000);
  assert.ok(readFileSync(join(cwd, 'err')).equals(Buffer.concat([...all, large])));
  const note = `[cli: ${large.length - MAX_LOG} bytes of the output are not stored]\n`;
  const half = Buffer.alloc(MAX_LOG / 2);
  assert.ok(log(10).equals(Buffer.concat([half, Buffer.from(note), half])));
});

test('the log of each of 300 members at once has its bytes', async (t) => {
  const members = Array.from({ length: 300 }, (_, index) => ({ run: `seq ${index} 400` }));
  const { cwd, run } = project(t, [{ parallel: members }]);
  const env = { CLI_NO_JOURNAL: undefined, CLI_LOGS: undefined };
  const { code } = await finish('bash', ['-c', `exec ${COMMAND_LINE} run ci --quiet 2>err`], { cwd, env });
  assert.equal(code, 0);
  const logs = join(run(), 'logs');
  const found = readdirSync(logs).map((name) => readFileSync(join(logs, name), 'utf8'));
  const numbers = Array.from({ length: 401 }, (_, index) => `${index}\n`);
  const expected = members.map((_, index) => numbers.slice(index).join(''));
  assert.deepEqual(found.toSorted(), expected.toSorted());
});

test('on a full disk, the log has the beginning of the output and a note, without a part of a secret, and standard error has all', async (t) => {
  const secrets = 'seq 20000 | sed "s/.*/$API_TOKEN/"';
  const { cli, cwd, run } = project(t, ['echo first', secrets, `${secrets} | tr "\\n" ,; exit 3`]);
  const env = { CLI_NO_JOURNAL: undefined, CLI_LOGS: undefined, API_TOKEN: 'hush hush' };
  // A limit on file sizes fails like a full disk.
  const { code, stderr } = await finish('bash', ['-c', `ulimit -f 64; exec ${COMMAND_LINE} run ci -q`], { cwd, env });
  const output = `first\n${'hush hush\n'.repeat(20_000)}${'hush hush,'.repeat(20_000)}`;
  assert.deepEqual([code, stderr.startsWith(output)], [1, true]);
  const warning = /^cli: warning: the output of steps could not be stored completely in \S+logs$/gm;
  assert.equal(stderr.match(warning)?.length, 1);
  const log = (number: number): string => readFileSync(join(run(), `logs/1-${number}.log`), 'utf8');
  const note = '\\[cli: the rest of the output could not be stored\\]\n$';
  assert.equal(log(1), 'first\n');
  assert.match(log(2), new RegExp(`^(?:\\*\\*\\*\n){6000,}${note}`));
  assert.match(log(3), new RegExp(`^(?:\\*\\*\\*,?){6000,}${note}`));
  assert.ok(
    (await cli('runs show --last --format text')).stdout.includes('[cli: the rest of the output could not be stored]'),
  );
});

/** The bytes of a file; none if it does not exist. */
const read = (path: string): Buffer => (existsSync(path) ? readFileSync(path) : Buffer.alloc(0));

test('what a step prints after cli was killed is on standard error and in its log, byte for byte', async (t) => {
  const { cwd, run } = project(t, ['cat bytes; : > ready; until [ -e go ]; do sleep 0.1; done; cat bytes; printf end']);
  const bytes = bytesOf(1, 200_000);
  writeFileSync(join(cwd, 'bytes'), bytes);
  const err = openSync(join(cwd, 'err'), 'w');
  process.env['CLI_LOGS'] = '1';
  t.after(() => (process.env['CLI_LOGS'] = '0'));
  const child = startRecorded(cwd, ['run', 'ci', '--quiet'], ['ignore', 'ignore', err]);
  closeSync(err);
  const expected = Buffer.concat([bytes, bytes, Buffer.from('end')]);
  await until(
    () => existsSync(join(cwd, 'ready')) && read(join(cwd, 'err')).length === bytes.length,
    () => 'the step has printed its first half',
  );
  await killAlone(child);
  writeFileSync(join(cwd, 'go'), '');
  for (const path of [join(cwd, 'err'), join(run(), 'logs/1-1.log')]) {
    await until(
      () => read(path).length === expected.length,
      () => `${path} has ${read(path).length} bytes`,
    );
    assert.ok(read(path).equals(expected), path);
  }
});
