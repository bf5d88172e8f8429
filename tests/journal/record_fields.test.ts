import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { headCommit } from '../../src/records/journal/head_commit.ts';
import { parseLine } from '../../src/records/journal/record.ts';
import { temporaryDirectory } from '../support/cli.ts';
import { end, finish, header, start } from '../support/runs/journal.ts';

/** Records with a field whose value no run writes. */
const WRONG: readonly (readonly [record: object, fields: object])[] = [
  [header(), { run: '../../x' }],
  [header(), { key: 'short' }],
  [header(), { session: 0 }],
  [header(), { session: 1.5 }],
  [header(), { file: 'relative.json' }],
  [header(), { cwd: '' }],
  [header(), { params: [['A=B', '1']] }],
  [header(), { params: [['A', 'with\0NUL']] }],
  [header(), { args: -1 }],
  [header(), { marker: 'PATH' }],
  [header(), { marker: 'CLI_RUN_1_2=3' }],
  [header(), { pid: -1 }],
  [header(), { pid: 2 ** 31 }],
  [header(), { host: 'x'.repeat(257) }],
  [header(), { uid: -1 }],
  [header(), { at: 'yesterday' }],
  [header(), { at: '2026-11-22T00:25:46.500+01:00' }],
  [header(), { at: '2026-13-22T00:25:46.500Z' }],
  [header(), { commit: 'HEAD' }],
  [start(1, 'a'), { n: -1 }],
  [start(1, 'a'), { op: 1e300 }],
  [start(1, 'a'), { id: ['other'] }],
  [start(1, 'a'), { id: [] }],
  [start(1, 'a'), { attempt: 0.5 }],
  [start(1, 'a'), { frame: -1 }],
  [end(1), { exit: 1e10 }],
  [end(1), { ms: -1 }],
  [end(1), { ms: 1e300 }],
  [end(1), { limit: 1e300 }],
  [end(1), { outputs: [['', 'x']] }],
  [finish(), { interrupted: 'SIGKILL' }],
];

/** The kind of a parsed line. */
function parsed(data: object): string {
  return parseLine(Buffer.from(JSON.stringify(data))).kind;
}

for (const [record, fields] of WRONG) {
  test(`a record with the fields ${JSON.stringify(fields).slice(0, 60)} is malformed`, () => {
    assert.notEqual(parsed(record), 'malformed');
    assert.equal(parsed({ ...record, ...fields }), 'malformed');
  });
}

test('the commit of a project is that of HEAD, in subdirectories, work trees and submodules, of loose, packed and linked references', (t) => {
  const top = temporaryDirectory(t);
  const settings = ['-c', 'user.name=a', '-c', 'user.email=a@example.org', '-c', 'protocol.file.allow=always'];
  const git = (cwd: string, line: string): string =>
    execFileSync('git', [...settings, ...line.split(' ')], {
      cwd,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    }).trim();
  const [main, tree, sub] = [join(top, 'main'), join(top, 'tree'), join(top, 'main/sub')];
  mkdirSync(join(main, 'in/side'), { recursive: true });
  git(main, 'init -q -b main');
  assert.equal(headCommit(main), undefined);
  git(main, 'commit -q --allow-empty -m first');
  const first = git(main, 'rev-parse HEAD');
  assert.equal(headCommit(join(main, 'in/side')), first);
  git(main, `worktree add -q -b feature/a ${tree}`);
  git(tree, 'commit -q --allow-empty -m second');
  git(main, `submodule add -q ${main} sub`);
  git(sub, 'checkout -q feature/a');
  const second = git(tree, 'rev-parse HEAD');
  git(main, 'symbolic-ref refs/heads/alias refs/heads/main');
  git(main, 'symbolic-ref HEAD refs/heads/alias');
  assert.deepEqual([main, tree, sub].map(headCommit), [first, second, second]);
  git(main, 'pack-refs --all');
  assert.deepEqual([main, tree].map(headCommit), [first, second]);
  git(tree, 'checkout -q --detach main');
  assert.equal(headCommit(tree), first);
  writeFileSync(join(main, '.git/HEAD'), 'ref: refs/heads/../../secret\n');
  writeFileSync(join(main, '.git/secret'), first);
  assert.equal(headCommit(main), undefined);
  // A pipe that nobody writes to.
  rmSync(join(main, '.git/HEAD'));
  execFileSync('mkfifo', [join(main, '.git/HEAD')]);
  assert.equal(headCommit(main), undefined);
  assert.equal(headCommit('/'), undefined);
});
