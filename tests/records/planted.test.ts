/* Records that other people wrote: in a repository, an archive or a shared directory. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import {
  chownSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { COMMAND } from '../support/cli.ts';
import { needs } from '../support/needs.ts';
import { terminal } from '../support/processes/terminal.ts';
import { end, finish, header, lines, print, RUN, start, writeSession } from '../support/runs/journal.ts';
import { effect, project, stepsOf, type Project } from '../support/runs/recorded_run.ts';

/** Claims of a record that its own user wrote it. */
const OWN = { uid: process.getuid?.() ?? null };

/** A project with a planted record, in which the step `a` has finished and `b` has failed. */
function planted(t: TestContext, more: object = {}): Project & { readonly runs: string } {
  const made = project(t, [effect('a'), effect('b')]);
  const runs = join(made.cwd, '.cli/runs');
  const { cwd } = made;
  const file = join(cwd, '.cli/workflow.json');
  const a = start(1, 'a', { print: print('echo a >> effects') });
  const rest = [a, end(1), start(2, 'b'), end(2, 1), finish({ success: false })];
  writeSession(runs, RUN, 'session-1.ndjson', lines(header({ ...OWN, cwd, file, ...more }), ...rest));
  return { ...made, runs };
}

const UNTRUSTED =
  `cli: the record of run ${RUN} was not written by this user on this machine; ` +
  `read it (cli runs show ${RUN}), then add --trust\n`;

test('a planted record is not resumed without --trust, and its dry run is allowed', async (t) => {
  const { cli, effects, runs } = planted(t);
  const refused = await cli(`resume ${RUN}`);
  assert.deepEqual(refused, { code: 2, signal: null, stdout: '', stderr: UNTRUSTED });
  const shown = await cli(`resume ${RUN} --dry-run`);
  assert.deepEqual([shown.code, stepsOf(shown.stdout)], [0, ['a kept', 'b run']]);
  assert.deepEqual(effects(), []);
  assert.deepEqual(stepsOf((await cli(`resume ${RUN} --trust`)).stdout), ['a 0 kept', 'b 0']);
  assert.deepEqual(effects(), ['b']);
  const after = JSON.parse((await cli('runs list')).stdout);
  assert.deepEqual([after.length, after[0].foreign, existsSync(join(runs, RUN, 'session-2.ndjson'))], [1, true, true]);
});

test('--last never chooses a planted record, whatever its id', async (t) => {
  const { cli, effects, runs } = planted(t);
  const none = await cli('resume --last');
  const stderr =
    'cli: no run of this user on this machine is recorded here; the records here are foreign: cli runs list\n';
  assert.deepEqual(none, { code: 2, signal: null, stdout: '', stderr });
  const later = '29990101-000000-00000';
  writeSession(runs, later, 'session-1.ndjson', lines(header({ run: later }), finish({ success: false })));
  await cli('run ci');
  const own = JSON.parse((await cli('runs show --last')).stdout);
  assert.deepEqual([own.state, own.foreign], ['succeeded', undefined]);
  assert.equal(JSON.parse((await cli('runs show --last --trust')).stdout).id, later);
  assert.deepEqual(effects(), ['a', 'b']);
});

test('CLI_TRUST_RECORDS makes records count as own ones', async (t) => {
  const { cli, effects } = planted(t);
  const trusting = { CLI_TRUST_RECORDS: '1' };
  assert.equal(JSON.parse((await cli('runs list', trusting)).stdout)[0].foreign, undefined);
  assert.deepEqual(stepsOf((await cli('resume --last', trusting)).stdout), ['a 0 kept', 'b 0']);
  assert.deepEqual(effects(), ['b']);
});

test('lists mark planted records, and runs show and runs logs need no --trust', async (t) => {
  const { cli, runs } = planted(t);
  mkdirSync(join(runs, RUN, 'logs'));
  writeFileSync(join(runs, RUN, 'logs/1-1.log'), 'raw \x1b[31m\n');
  assert.equal(JSON.parse((await cli('runs list')).stdout)[0].foreign, true);
  const [, row = ''] = (await cli('runs list --format table')).stdout.split('\n');
  assert.deepEqual(row.split(/ {2,}/).slice(0, 3), [RUN.slice(-5), 'ci', 'failed (foreign)']);
  const shown = JSON.parse((await cli(`runs show ${RUN}`)).stdout);
  assert.deepEqual([shown.foreign, shown.state], [true, 'failed']);
  assert.equal((await cli(`runs logs ${RUN}`)).stdout, 'raw \x1b[31m\n');
});

test('at a terminal, everything from a planted record is escaped', needs('python3'), async (t) => {
  const { cwd, runs } = planted(t, { workflow: 'ci\x1b]0;title\x07' });
  mkdirSync(join(runs, RUN, 'logs'));
  writeFileSync(join(runs, RUN, 'logs/1-1.log'), 'from \x1b[31mthe log\u202e\n');
  const [program, ...first] = COMMAND;
  const env = { CLI_NO_JOURNAL: undefined, TERM: 'xterm', NO_COLOR: '1' };
  for (const words of [['list'], ['show', RUN], ['logs', RUN], ['logs', RUN, 'none\x1b[1m']]) {
    const shown = terminal(t, cwd, program, [...first, 'runs', ...words], env);
    await shown.ended;
    const screen = await shown.shows('');
    for (const raw of ['\x1b', '\x07', '\u202e']) assert.ok(!screen.includes(raw), JSON.stringify(screen));
    if (words[0] === 'logs' && words.length === 2)
      assert.equal(screen, 'cli: a: succeeded\r\nfrom \\u001b[31mthe log\\u202e\r\n');
  }
});

/** Ways to plant something other than a regular file, and the reason why it is damaged. */
const IRREGULAR: readonly (readonly [name: string, plant: (path: string) => void, reason: string])[] = [
  ['a pipe', (path) => execFileSync('mkfifo', [path]), 'it is not a regular file'],
  ['a link to a file', (path) => symlinkSync('../../workflow.json', path), 'it is not a regular file'],
  ['a link to a device', (path) => symlinkSync('/dev/zero', path), 'it is not a regular file'],
  ['a link to an empty device', (path) => symlinkSync('/dev/null', path), 'it is not a regular file'],
  ['a link to a terminal', (path) => symlinkSync('/dev/tty', path), 'it is not a regular file'],
  ['a directory', (path) => mkdirSync(path), 'it is not a regular file'],
  [
    'a file of more than 64 MiB',
    (path) => {
      writeFileSync(path, lines(header()));
      truncateSync(path, 64 * 1024 * 1024 + 1);
    },
    'the record has more than 64 MiB',
  ],
];

for (const [what, plant, reason] of IRREGULAR) {
  test(`${what} in place of a session is damage, and nothing waits for it`, async (t) => {
    const { cli, cwd } = project(t, ['true']);
    const file = join(cwd, '.cli/runs', RUN, 'session-1.ndjson');
    mkdirSync(join(cwd, '.cli/runs', RUN), { recursive: true });
    plant(file);
    assert.equal(JSON.parse((await cli('runs list')).stdout)[0].state, 'damaged');
    const shown = JSON.parse((await cli(`runs show ${RUN}`)).stdout);
    assert.equal(shown.problem, `${file}: ${reason}; the run cannot be resumed`);
    assert.equal((await cli(`resume ${RUN} --dry-run`)).stderr, `cli: ${shown.problem}\n`);
    assert.equal((await cli('run ci')).code, 0);
    assert.deepEqual(JSON.parse((await cli('runs prune --all')).stdout).removed.length, 2);
    assert.ok(existsSync(join(cwd, '.cli/workflow.json')));
  });
}

test('a link or a file in place of the directory of a run is damage, and the link is not followed', async (t) => {
  const { cli, runs, cwd } = planted(t);
  renameSync(join(runs, RUN), join(cwd, 'elsewhere'));
  symlinkSync('../../elsewhere', join(runs, RUN));
  const other = '20260101-000000-00000';
  writeFileSync(join(runs, other), '');
  const states = JSON.parse((await cli('runs list')).stdout).map(({ state }: { state: string }) => state);
  assert.deepEqual(states, ['damaged', 'damaged']);
  const problem = `${join(runs, RUN)}: it is not a directory; the run cannot be resumed`;
  assert.equal((await cli(`resume ${RUN} --trust`)).stderr, `cli: ${problem}\n`);
  assert.deepEqual(JSON.parse((await cli('runs prune --all')).stdout), { removed: [other, RUN] });
  assert.ok(existsSync(join(cwd, 'elsewhere/session-1.ndjson')));
});

test('logs of a record are not read through a link', async (t) => {
  const { cli, cwd, runs } = planted(t);
  writeFileSync(join(cwd, 'secret'), 'secret');
  mkdirSync(join(runs, RUN, 'logs'));
  symlinkSync(join(cwd, 'secret'), join(runs, RUN, 'logs/1-1.log'));
  const none = {
    code: 2,
    signal: null,
    stdout: '',
    stderr: `cli: run ${RUN} has no logs; to keep them, add --logs, write "logs": true in the workflow, or set CLI_LOGS=1\n`,
  };
  assert.deepEqual(await cli(`runs logs ${RUN}`), none);
  renameSync(join(runs, RUN, 'logs'), join(cwd, 'logs'));
  writeFileSync(join(cwd, 'logs/1-2.log'), 'secret');
  symlinkSync(join(cwd, 'logs'), join(runs, RUN, 'logs'));
  assert.deepEqual(await cli(`runs logs ${RUN}`), none);
});

test('new logs are not written through a link', async (t) => {
  const { cli, cwd, runs } = planted(t);
  mkdirSync(join(cwd, 'target'));
  symlinkSync(join(cwd, 'target'), join(runs, RUN, 'logs'));
  const linked = await cli(`resume ${RUN} --trust --logs`);
  assert.match(
    linked.stderr,
    new RegExp(`^cli: warning: no logs are kept in ${join(runs, RUN, 'logs')}: it is not a directory$`, 'm'),
  );
  assert.ok(!existsSync(join(cwd, 'target/2-1.log')));
});

test('a resume never follows a link that lies where a log belongs', async (t) => {
  const { cli, cwd, runs } = planted(t);
  mkdirSync(join(runs, RUN, 'logs'));
  writeFileSync(join(cwd, 'target'), 'before');
  symlinkSync(join(cwd, 'target'), join(runs, RUN, 'logs/2-1.log'));
  const { stdout, stderr } = await cli(`resume ${RUN} --trust --logs`);
  assert.match(stdout, /"name":"b"/, stderr);
  assert.equal(readFileSync(join(cwd, 'target'), 'utf8'), 'before');
});

test('the parameters and the file of a record that a plain run would not use are named before anything starts', async (t) => {
  const { cli, cwd, runs } = planted(t);
  renameSync(join(cwd, '.cli/workflow.json'), join(cwd, 'other.json'));
  const head = header({
    ...OWN,
    cwd,
    file: join(cwd, 'other.json'),
    params: [
      ['A', '1'],
      ['B', '2'],
    ],
  });
  writeSession(runs, RUN, 'session-1.ndjson', lines(head, finish({ success: false })));
  const { stderr } = await cli(`resume ${RUN} --trust B:3`);
  assert.deepEqual(stderr.split('\n').slice(0, 2), [
    'cli: the workflow file of the run is other.json',
    'cli: the recorded parameters are A=1',
  ]);
});

test('the directory of a record that a plain run would not use is named before anything starts', async (t) => {
  const { cli, cwd, runs } = planted(t);
  mkdirSync(join(cwd, '.git'));
  mkdirSync(join(cwd, 'sub/.cli'), { recursive: true });
  renameSync(runs, join(cwd, 'sub/.cli/runs'));
  const { stderr } = await cli(`resume ${RUN} --trust`, { PWD: cwd });
  assert.equal(stderr, `cli: no run '${RUN}' is recorded here\n`);
  const words = [...COMMAND.slice(1), 'resume', RUN, '--trust', '--dry-run'];
  const shown = execFileSync('bash', ['-c', `"$0" "$@" 2>&1 >/dev/null`, COMMAND[0], ...words], {
    cwd: join(cwd, 'sub'),
  });
  assert.ok(shown.toString().includes(`cli: the directory of the run is ${join(cwd, 'sub')}\n`), shown.toString());
});

test('a record whose file is a pipe is an error, without waiting', async (t) => {
  const { cli, cwd } = planted(t);
  execFileSync('rm', [join(cwd, '.cli/workflow.json')]);
  execFileSync('mkfifo', [join(cwd, '.cli/workflow.json')]);
  for (const line of [`resume ${RUN} --dry-run`, 'run ci', 'validate', 'list', 'diff --from other.json', 'plan ci']) {
    writeFileSync(join(cwd, 'other.json'), '{"workflows": {}}');
    const { code, stderr } = await cli(line);
    assert.deepEqual([code, stderr], [2, 'cli: cannot read .cli/workflow.json: it is not a regular file\n'], line);
  }
});

const IS_ROOT = process.getuid?.() === 0;

test('a record of another user is foreign', { skip: !IS_ROOT }, async (t) => {
  const { cli, run } = project(t, ['exit 1']);
  await cli('run ci');
  chownSync(join(run(), 'session-1.ndjson'), 65_534, 65_534);
  assert.equal(JSON.parse((await cli('runs list')).stdout)[0].foreign, true);
  chownSync(join(run(), 'session-1.ndjson'), 0, 0);
  assert.equal(JSON.parse((await cli('runs list')).stdout)[0].foreign, undefined);
  chownSync(run(), 65_534, 65_534);
  assert.equal(JSON.parse((await cli('runs list')).stdout)[0].foreign, true);
});
