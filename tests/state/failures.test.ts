import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { delay } from '../../src/backend/system/sleep.ts';
import { cli, COMMAND, COMMAND_LINE, finish } from '../support/cli.ts';
import { needs } from '../support/needs.ts';
import { asOrdinaryUser } from '../support/ordinary_user.ts';
import { LINUX } from '../support/processes/shell.ts';
import { COPY, project } from '../support/runs/checked_project.ts';

test('a generated program that loses its executable bit is made again', async (t) => {
  const { run, reasons, write, path } = project(t, [
    { name: 'build', run: 'cat in >app; chmod 755 app', sources: ['in'], generates: ['app'] },
  ]);
  write('in', '1');
  await run();
  chmodSync(path('app'), 0o644);
  assert.deepEqual(await reasons(), ['app was edited']);
  assert.deepEqual(await reasons(), []);
});

test('a step with a source that cannot be read runs each time, and says so', LINUX, async (t) => {
  // Reading the memory of a process from its start fails, for root, too.
  const { reasons } = project(t, [{ name: 'read', run: 'true', sources: ['/proc/self/mem'] }]);
  const failed = /^no record, \/proc\/self\/mem cannot be read: EIO: /;
  assert.match((await reasons()).join('\n'), failed);
  assert.match((await reasons()).join('\n'), failed);
});

test('of a thousand unchanged files none is opened', { ...LINUX, ...needs('strace') }, async (t) => {
  const { cwd, run, write, path } = project(t, [{ name: 'lint', run: 'true', sources: ['src'] }]);
  mkdirSync(path('src'));
  for (let index = 0; index < 1000; index += 1) write(`src/source-${index}.c`, 'text');
  const opened = async (): Promise<number> => {
    const trace = ['-f', '-qq', '-o', 'trace', '-e', 'signal=none', '-e', 'trace=?open,openat,?openat2'];
    const { code, stderr } = await finish('strace', [...trace, ...COMMAND, 'run', 'ci', '-q'], { cwd });
    assert.equal(code, 0, stderr);
    return [...readFileSync(path('trace'), 'utf8').matchAll(/source-\d+\.c/g)].length;
  };
  // Files that have just been written are read until their times are two seconds old.
  await delay(2000);
  assert.equal((await run('-q')).code, 0);
  for (let attempt = 0; attempt < 200 && (await opened()) > 0; attempt += 1) await run('-q');
  assert.equal(await opened(), 0);
});

test('a question is asked only if its step is not up to date', async (t) => {
  const asked = { ...COPY, confirm: 'Copy?' };
  const { cwd, run, write, path } = project(t, [asked, { parallel: [{ ...asked, name: 'member' }, 'true'] }]);
  write('in', '1');
  assert.equal((await run('--yes', '-q')).code, 0);
  assert.equal((await cli(['run', 'ci', '-q'], { cwd, input: '' })).code, 0);
  write('in', '2');
  assert.notEqual((await cli(['run', 'ci', '-q'], { cwd, input: '' })).code, 0);
  assert.equal(readFileSync(path('out'), 'utf8'), '1');
});

/** Whether a separate file system can be mounted for a command. */
const CAN_MOUNT = spawnSync('unshare', ['-rm', 'mount', '-t', 'tmpfs', 'none', '/mnt']).status === 0;

test('on a full disk a step runs, with a warning, and no part of a record is left', { skip: !CAN_MOUNT }, async (t) => {
  const { cwd, write, path } = project(t, [{ ...COPY, sources: ['in', 'src'] }]);
  write('in', 'one');
  mkdirSync(path('src'));
  for (let index = 0; index < 300; index += 1) write(`src/${'long-name-'.repeat(10)}${index}`, '');
  mkdirSync(path('.cli/state'));
  const script = [
    'mount -t tmpfs -o size=32k none .cli/state',
    `${COMMAND_LINE} run ci --quiet`,
    'echo "code $?" >&2; ls -A .cli/state | grep -c json >&2',
  ].join('\n');
  const { stderr } = await finish('unshare', ['-rm', 'bash', '-c', script], { cwd });
  const warning = 'cli: warning: the state of this run is not kept: ENOSPC: no space left on device';
  assert.equal(stderr, `${warning}\ncode 0\n0\n`);
  assert.ok(existsSync(path('out')));
  assert.deepEqual(readdirSync(join(cwd, '.cli/state')), []);
});

test('in a directory that is read-only, the run goes on, with a warning', async (t) => {
  const { cwd, write, path } = project(t, [COPY]);
  write('in', 'one');
  chmodSync(path('.cli'), 0o555);
  const [file, ...args] = asOrdinaryUser(t, cwd);
  const { code, stderr } = await finish(file ?? '', [...args, 'run', 'ci', '-q'], { cwd });
  assert.deepEqual([code, stderr], [0, 'cli: warning: the state of this run is not kept: EACCES: permission denied\n']);
  assert.ok(existsSync(path('out')));
});

test('a step that removes the state does not end the run, and later steps are recorded', async (t) => {
  const { run, reasons, write } = project(t, [{ name: 'remove', run: 'rm -rf .cli/state', sources: ['in'] }, COPY]);
  write('in', 'one');
  assert.equal((await run('-q')).code, 0);
  assert.deepEqual(await reasons(), []);
});

test(
  'on a disk that has become full, a step runs, with a warning, and its record is removed',
  { skip: !CAN_MOUNT },
  async (t) => {
    const { cwd, write, path } = project(t, [COPY]);
    write('in', 'one');
    mkdirSync(path('.cli/state'));
    const run = `${COMMAND_LINE} run ci --quiet`;
    const script = [
      'mount -t tmpfs -o size=64k none .cli/state',
      run,
      'cat /dev/zero >.cli/state/fill 2>/dev/null; echo two >in',
      run,
      'echo "code $?, $(cat out), $(ls .cli/state | grep -cv "key\\|fill")" >&2',
    ].join('\n');
    const { stderr } = await finish('unshare', ['-rm', 'bash', '-c', script], { cwd });
    const warning = 'cli: warning: the state of this run is not kept: ENOSPC: no space left on device';
    assert.equal(stderr, `${warning}\ncode 0, two, 0\n`);
  },
);

test('if records cannot be written any more, steps run, with a warning', async (t) => {
  const { cwd, write, path } = project(t, [COPY]);
  write('in', 'one');
  const [file = '', ...args] = asOrdinaryUser(t, cwd);
  const run = async (): Promise<unknown> => {
    const { code, stderr } = await finish(file, [...args, 'run', 'ci', '-q'], {
      cwd,
      env: { XDG_STATE_HOME: path('home') },
    });
    return [code, stderr];
  };
  assert.deepEqual(await run(), [0, '']);
  chmodSync(path('.cli/state'), 0o555);
  write('in', 'two');
  const warning = 'cli: warning: the state of this run is not kept: EACCES: permission denied\n';
  assert.deepEqual([await run(), readFileSync(path('out'), 'utf8')], [[0, warning], 'two']);
});

const PLANTED: readonly ((path: string) => void)[] = [
  (path) => void spawnSync('mkfifo', [path]),
  (path) => symlinkSync('/dev/zero', path),
  (path) => mkdirSync(path),
];

test('what is planted in the state as a pipe, a device or a link stops nothing, and no link is written through', async (t) => {
  const { cwd, run, reasons, write, path } = project(t, [COPY]);
  const state = (name: string): string => path(join('.cli/state', name));
  const names = (): readonly string[] => readdirSync(path('.cli/state')).filter((name) => name.endsWith('.json'));
  write('in', 'one');
  assert.equal((await run('-q')).code, 0);
  const [record = ''] = names();
  const [lock, limited] = [record.replace('.json', '.lock.1.planted'), ['20', ...COMMAND, 'run', 'ci', '-q']];
  for (const plant of PLANTED) {
    rmSync(state(record));
    for (const name of [record, lock]) plant(state(name));
    assert.equal((await finish('timeout', limited, { cwd })).code, 0);
    for (const name of [record, lock]) rmSync(state(name), { recursive: true });
    assert.equal((await run('-q')).code, 0);
  }
  assert.deepEqual(await reasons(), []);
  const foreign = '.cli/state was not written by this user on this machine; it is not used, and steps run';
  for (const plant of PLANTED) {
    rmSync(state('key'), { recursive: true });
    plant(state('key'));
    const { code, stderr } = await finish('timeout', limited, { cwd });
    assert.deepEqual([code, stderr], [0, `cli: warning: ${foreign} (to use it, set CLI_TRUST_RECORDS)\n`]);
  }
  rmSync(path('.cli/state'), { recursive: true });
  mkdirSync(path('.cli/state'));
  write('precious', 'kept');
  symlinkSync('../../precious', state('.gitignore'));
  assert.deepEqual([(await run('-q')).code, readFileSync(path('precious'), 'utf8'), names().length], [0, 'kept', 1]);
});
