import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { COMMAND, finish, temporaryDirectory } from '../support/cli.ts';
import { needs } from '../support/needs.ts';
import { LINUX } from '../support/processes/shell.ts';

/** All system calls that start a process, write a file, or change the state of an inherited descriptor. */
const SYSTEM_CALLS = `
  execve execveat fork vfork clone clone3 kill ioctl fcntl open openat openat2
  creat mkdir mkdirat mknod mknodat link linkat symlink symlinkat unlink unlinkat rmdir
  rename renameat renameat2 truncate ftruncate chmod fchmod fchmodat chown fchown utimensat connect
`
  .trim()
  .split(/\s+/)
  .map((name) => `?${name}`);

const TRACED = { ...LINUX, ...needs('strace') };

/** Calls that Node.js makes in every program. */
const HARMLESS = [
  /\bclone3?\(.*CLONE_THREAD/,
  /\bopen(at)?2?\(.*O_RDONLY/,
  /\bioctl\(\d+, (?:TCGETS|FIOCLEX|FIONCLEX|TIOCGWINSZ)/,
  /\bfcntl\(\d+, F_(?:GETFL|GETFD|DUPFD|DUPFD_CLOEXEC|SETFD)/,
];

/** The system calls of the tool with an effect outside its process. */
async function effects(cwd: string, words: readonly string[]): Promise<string[]> {
  const trace = ['-f', '-qq', '-o', 'trace', '-e', 'signal=none', '-e', `trace=${SYSTEM_CALLS.join()}`];
  const { code, stderr } = await finish('strace', [...trace, ...COMMAND, ...words], { cwd });
  assert.equal(code, 0, stderr);
  const calls = readFileSync(join(cwd, 'trace'), 'utf8').split('\n');
  return calls
    .filter((line) => /^\d+ +\w+\(/.test(line))
    .map((line) => line.replace(/^\d+ +/, ''))
    .filter((call) => !HARMLESS.some((harmless) => harmless.test(call)));
}

const FILE = {
  env: { V: 'v' },
  before_all: 'touch made-by-hook',
  after_all: 'touch made-by-hook',
  error: 'touch made-by-hook',
  workflows: {
    w: {
      steps: [
        { if: 'touch made-by-if', run: 'touch made-by-step' },
        { workflow: 'x', if: 'V' },
      ],
    },
    x: { steps: ['touch made-by-call'] },
  },
};

for (const words of [
  ['workflow', 'run', 'w', '--dry-run', 'V:1'],
  ['workflow', 'run', 'w', '--dry-run', '--debug', '--pretty'],
  ['workflow', 'run', 'w', '--dry-run', '--assume', 'x=fail'],
  ['workflow', 'graph', 'w', '--assume', 'x=skip'],
  ['workflow', 'plan', 'w'],
  ['workflow', 'validate'],
  ['workflow', 'list'],
]) {
  test(`no process is started and no file is written by: cli ${words.join(' ')}`, TRACED, async (t) => {
    const cwd = temporaryDirectory(t, { '.cli/workflow.json': FILE });
    const [first = '', ...others] = await effects(cwd, words);
    assert.ok(first.startsWith('execve('), first);
    const started = others.filter((call) => !/^(?:ioctl|fcntl)\(/.test(call));
    assert.deepEqual(started, []);
    assert.deepEqual(readdirSync(cwd).toSorted(), ['.cli', 'trace']);
  });
}

test('the descriptors shared with other processes stay in blocking mode', TRACED, async (t) => {
  const cwd = temporaryDirectory(t, { '.cli/workflow.json': FILE });
  const changes = (await effects(cwd, ['workflow', 'run', 'w', '--dry-run'])).filter((call) =>
    /^(?:ioctl|fcntl)\([012],/.test(call),
  );
  assert.deepEqual(changes, []);
});
