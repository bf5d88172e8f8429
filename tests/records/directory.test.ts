/* The directory of records: its mode, and what is not used in its place. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { chmodSync, chownSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { effect, project } from '../support/runs/recorded_run.ts';

const UNRECORDED = 'this run continues, but cannot be resumed';

test('an existing directory of records is made private, and ignored by git', async (t) => {
  const { cli, cwd } = project(t, ['true']);
  const runs = join(cwd, '.cli/runs');
  mkdirSync(runs);
  chmodSync(runs, 0o777);
  await cli('run ci');
  assert.equal((statSync(runs).mode & 0o777).toString(8), '700');
  assert.equal(readFileSync(join(runs, '.gitignore'), 'utf8'), '*\n');
});

test('a directory that CLI_RUNS_DIR names is used as it is', async (t) => {
  const { cli, cwd } = project(t, ['true']);
  mkdirSync(join(cwd, 'real'));
  chmodSync(join(cwd, 'real'), 0o755);
  symlinkSync('real', join(cwd, 'link'));
  assert.equal((await cli('run ci --strict', { CLI_RUNS_DIR: 'link' })).code, 0);
  assert.deepEqual(
    [readdirSync(join(cwd, 'real')).length, (statSync(join(cwd, 'real')).mode & 0o777).toString(8)],
    [1, '755'],
  );
});

test('a link in place of the directory of records is not used', async (t) => {
  const { cli, cwd, effects } = project(t, [effect('a')]);
  mkdirSync(join(cwd, 'target'));
  symlinkSync('../target', join(cwd, '.cli/runs'));
  const why = `${join(cwd, '.cli/runs')} is a symbolic link, which is not followed (to use it or another directory, set CLI_RUNS_DIR)`;
  const { code, stderr } = await cli('run ci');
  const warnings = stderr.split('\n').filter((line) => line.includes('warning'));
  assert.deepEqual(
    [code, warnings],
    [0, [`cli: warning: the record of the run cannot be written: ${why}; ${UNRECORDED}`]],
  );
  const strict = await cli('run ci --strict');
  assert.deepEqual([strict.code, strict.stderr], [2, `cli: the record of the run cannot be written: ${why}\n`]);
  assert.deepEqual(readdirSync(join(cwd, 'target')), []);
  for (const line of ['runs list', 'runs show --last', 'runs logs --last', 'runs prune', 'resume --last']) {
    assert.deepEqual(await cli(line), { code: 2, signal: null, stdout: '', stderr: `cli: ${why}\n` });
  }
  assert.deepEqual(effects(), ['a']);
});

test("another user's directory of records is not used", { skip: process.getuid?.() !== 0 }, async (t) => {
  const { cli, cwd } = project(t, ['true']);
  const runs = join(cwd, '.cli/runs');
  mkdirSync(runs);
  chownSync(runs, 65_534, 65_534);
  const { code, stderr } = await cli('run ci');
  assert.equal(code, 0);
  assert.match(
    stderr,
    /^cli: warning: the record of the run cannot be written: \S+ belongs to another user \(.* CLI_RUNS_DIR\); this run/,
  );
  assert.equal((await cli('run ci --strict')).code, 2);
  assert.deepEqual(readdirSync(runs), []);
});

test('an include or dotenv file that is a pipe, a device, or a link to one is an error, without waiting', async (t) => {
  const { cli, cwd, edit } = project(t, ['true']);
  execFileSync('mkfifo', [join(cwd, 'pipe')]);
  const devices = ['tty', 'null', 'zero'];
  for (const name of devices) symlinkSync(`/dev/${name}`, join(cwd, name));
  for (const path of ['pipe', ...devices, '/dev/zero']) {
    edit(['true'], { dotenv: path });
    const { code, stderr } = await cli('run ci');
    assert.deepEqual([code, stderr], [2, `cli: cannot read ${path}: it is not a regular file\n`]);
    edit(['true'], { include: { x: `../${path}`.replace('..//', '/') } });
    const included = await cli('run ci');
    assert.equal(included.code, 2);
    assert.match(included.stderr, /it is not a regular file/);
  }
});
