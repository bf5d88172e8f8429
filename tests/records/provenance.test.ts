/* The entries by which a run recognises the records of this user on this machine. */
import assert from 'node:assert/strict';
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { basename, join } from 'node:path';
import { test } from 'node:test';
import { cli as run, commandWith, finish, temporaryDirectory } from '../support/cli.ts';
import { finish as finished, header, lines, writeSession } from '../support/runs/journal.ts';
import { effect, project } from '../support/runs/recorded_run.ts';
import { removeOldEntries, removeOldest } from '../../src/records/journal/prune.ts';

const FAILING = ['exit 1'];
const IS_ROOT = process.getuid?.() === 0;
const mode = (path: string): string => (statSync(path).mode & 0o777).toString(8);

/** The value of `foreign` of each run in the list. */
function foreignOf(stdout: string): readonly unknown[] {
  return JSON.parse(stdout).map(({ foreign }: { foreign?: true }) => foreign);
}

/** The names of the session files in the directory of a run. */
function sessionsOf(own: string): readonly string[] {
  return readdirSync(own).filter((name) => name.startsWith('session-'));
}

test('a run leaves an entry with the key of its record, which goes with it', async (t) => {
  const state = temporaryDirectory(t);
  const { cli, run } = project(t, FAILING);
  const env = { XDG_STATE_HOME: state };
  await cli('run ci', env);
  const entries = join(state, 'workflow-plan/runs');
  assert.deepEqual(readdirSync(entries), [basename(run())]);
  const key = readlinkSync(join(entries, basename(run())));
  assert.match(key, /^[0-9a-f]{32}$/);
  const [first = ''] = readFileSync(join(run(), 'session-1.ndjson'), 'utf8').split('\n');
  assert.equal(JSON.parse(first).key, key);
  assert.deepEqual([mode(entries), mode(join(state, 'workflow-plan'))], ['700', '700']);
  await cli('runs prune --all', env);
  assert.deepEqual(readdirSync(entries), []);
});

test('without XDG_STATE_HOME, entries are in ~/.local/state', async (t) => {
  const home = temporaryDirectory(t);
  const { cli, run } = project(t, FAILING);
  await cli('run ci', { XDG_STATE_HOME: '', HOME: home });
  assert.deepEqual(readdirSync(join(home, '.local/state/workflow-plan/runs')), [basename(run())]);
});

test('a record stays the own one when its project moves, and a resumed one too', async (t) => {
  const { cli, cwd } = project(t, FAILING);
  await cli('run ci');
  const moved = join(temporaryDirectory(t), 'moved');
  renameSync(cwd, moved);
  const env = { CLI_NO_JOURNAL: undefined };
  for (const sessions of [2, 3]) {
    assert.equal((await run(['workflow', 'resume', '--last'], { cwd: moved, env })).code, 1);
    const [listed] = JSON.parse((await run(['workflow', 'runs', 'list'], { cwd: moved, env })).stdout);
    assert.deepEqual([listed.sessions, listed.foreign], [sessions, undefined]);
  }
  cpSync(moved, cwd, { recursive: true });
  assert.deepEqual(foreignOf((await cli('runs list')).stdout), [undefined]);
});

test('a record with the id of an entry and another key is foreign', async (t) => {
  const { cli, run: own } = project(t, FAILING);
  await cli('run ci');
  const file = join(own(), 'session-1.ndjson');
  const text = readFileSync(file, 'utf8');
  for (const key of [`"key":"${'0'.repeat(32)}"`, '"unknown":""']) {
    writeFileSync(file, text.replace(/"key":"[0-9a-f]*"/, key));
    assert.deepEqual(foreignOf((await cli('runs list')).stdout), [true]);
    assert.equal((await cli('resume --last')).code, 2);
  }
});

/** States in which no entry can be made. */
const UNWRITABLE: readonly (readonly [string, (path: string) => Readonly<Record<string, string | undefined>>])[] = [
  ['a relative XDG_STATE_HOME', () => ({ XDG_STATE_HOME: 'state' })],
  ['no home', () => ({ XDG_STATE_HOME: undefined, HOME: undefined })],
  ['a file in place of the directory', (path) => ({ XDG_STATE_HOME: join(path, 'file') })],
];

for (const [what, environment] of UNWRITABLE) {
  test(`with ${what}, a run is recorded, and foreign later`, async (t) => {
    const env = environment(temporaryDirectory(t, { file: '' }));
    const { cli, cwd, run: own } = project(t, [effect('a'), 'test -e fixed']);
    const { code, stderr } = await cli('run ci', env);
    const hint = `cli: to continue with test -e fixed (finished steps are kept): cli resume ${basename(own())} --trust`;
    assert.deepEqual([code, stderr.split('\n').at(-2)], [1, hint]);
    assert.deepEqual(foreignOf((await cli('runs list', env)).stdout), [true]);
    assert.equal((await cli('resume --last', env)).code, 2);
    const again = await cli('resume --last --trust', env);
    assert.equal(again.stderr.split('\n').at(-2), hint);
    const trusting = { ...env, CLI_TRUST_RECORDS: '1' };
    assert.equal(
      (await cli('resume --last', trusting)).stderr.split('\n').at(-2),
      'cli: to continue with test -e fixed (finished steps are kept): cli resume --last',
    );
    writeFileSync(join(cwd, 'fixed'), '');
    assert.equal((await cli('resume --last', trusting)).code, 0);
    assert.ok(!existsSync(join(cwd, 'state')));
  });
}

test('the state directory of another user holds no entries', { skip: !IS_ROOT }, async (t) => {
  const state = temporaryDirectory(t);
  const entries = join(state, 'workflow-plan/runs');
  mkdirSync(entries, { recursive: true });
  chownSync(entries, 65_534, 65_534);
  const { cli, run: own } = project(t, FAILING);
  const { stderr } = await cli('run ci', { XDG_STATE_HOME: state });
  assert.equal(
    stderr.split('\n').at(-2),
    `cli: to continue with exit 1 (finished steps are kept): cli resume ${basename(own())} --trust`,
  );
  assert.deepEqual(readdirSync(entries), []);
});

test('an existing state directory is made private', async (t) => {
  const state = temporaryDirectory(t);
  const entries = join(state, 'workflow-plan/runs');
  mkdirSync(entries, { recursive: true });
  chmodSync(entries, 0o777);
  await project(t, FAILING).cli('run ci', { XDG_STATE_HOME: state });
  assert.equal(mode(entries), '700');
});

test('entries older than a year are removed, and nothing else', (t) => {
  const [old, recent] = ['20251101-000000-00000', '20251201-000000-00000'];
  const runs = { path: temporaryDirectory(t), isNamed: true };
  const removeAfterRun: typeof removeOldEntries = (trust, now) => void removeOldest(runs, trust, [], 50, now);
  for (const remove of [removeOldEntries, removeAfterRun]) {
    const entries = temporaryDirectory(t);
    for (const name of [old, recent]) symlinkSync('x', join(entries, name));
    // The directory may be a link to one with other files.
    for (const name of ['.profile', '1', '2020-report']) writeFileSync(join(entries, name), '');
    remove({ entries, all: false }, Date.parse('2026-11-22T00:00:00Z'));
    assert.deepEqual(readdirSync(entries).toSorted(), ['.profile', '1', '2020-report', recent]);
  }
});

test('the id of a new run is never lower than that of the newest own one', async (t) => {
  const { cli, cwd } = project(t, FAILING);
  const [program = '', ...first] = commandWith(cwd, "Date.now = () => Date.parse('2027-05-06T07:08:09.999Z');");
  const env = { CLI_NO_JOURNAL: undefined };
  for (let count = 0; count < 2; count += 1) await finish(program, [...first, 'run', 'ci'], { cwd, env });
  writeSession(join(cwd, '.cli/runs'), '29990101-000000-00000', 'session-1.ndjson', lines(header(), finished()));
  await cli('run ci');
  const ids = readdirSync(join(cwd, '.cli/runs'))
    .filter((name) => /^\d/.test(name))
    .toSorted();
  assert.match(
    ids.join(' '),
    /^20270506-070809-z7... 20270506-070810-00... 20270506-070810-01... 29990101-000000-00000$/,
  );
  const last = JSON.parse((await cli('runs show --last')).stdout);
  assert.deepEqual([last.id, last.sessions[0].start < '2027'], [ids[2], true]);
});

test('runs are recorded and resumed on a file system without links', async (t) => {
  const { cwd } = project(t, [effect('a'), 'exit 1']);
  const program = `
    import fs from 'node:fs';
    fs.linkSync = () => { throw Object.assign(new Error('EPERM: operation not permitted, link'), { code: 'EPERM' }); };`;
  const [runtime = '', ...first] = commandWith(cwd, program);
  const env = { CLI_NO_JOURNAL: undefined };
  const cli = (...words: string[]): ReturnType<typeof finish> => finish(runtime, [...first, ...words], { cwd, env });
  assert.deepEqual((await cli('run', 'ci', '-q')).stderr.match(/warning/), null);
  const runs = join(cwd, '.cli/runs');
  const id = readdirSync(runs).find((name) => /^\d/.test(name)) ?? '';
  assert.deepEqual(sessionsOf(join(runs, id)), ['session-1.ndjson']);
  // A process that was killed between taking the name and completing the file.
  const head = lines(header({ run: id, session: 2, pid: 4_194_305, boot: null }));
  writeFileSync(
    join(runs, id, '.session-2.ndjson.4194305'),
    head.replace('"host":"host"', `"host":"${(await import('node:os')).hostname()}"`),
  );
  writeFileSync(join(runs, id, 'session-2.ndjson'), '');
  assert.equal(JSON.parse((await cli('workflow', 'runs', 'list')).stdout)[0].state, 'failed');
  const resumed = await cli('workflow', 'resume', '--last');
  assert.deepEqual([resumed.code, sessionsOf(join(runs, id))], [1, ['session-1.ndjson', 'session-2.ndjson']]);
});
