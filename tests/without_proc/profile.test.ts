import assert from 'node:assert/strict';
import { chmodSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { bench, runDetached, step } from '../support/processes/bench.ts';
import { writeScript } from '../support/export/write_script.ts';
import { COMMAND, finish, ROOT } from '../support/cli.ts';
import { ENTER, NAMESPACE } from '../support/without_proc/namespace.ts';

/** Test files, and those of their tests that run without /proc too. */
const SELECTED = {
  'signals/interruption': 'SIG\\w+ to cli alone|Ctrl-C reaches the step exactly',
  'signals/hang_up': 'while its shell runs',
  'signals/timeout': 'even if it exits with 0$|a stopped step ends',
  'export/background': 'what ignores SIGTERM|SIGTERM to the group|hooks of their calls',
  'resume/kills': 'killed in a condition|left by a killed run|has succeeded or failed',
  'records/ticket_lock': 'that another process runs|take a lock at the same time',
  'journal/holder': '^(?:a holder|a stopped process|this process)',
} as const;

const DOTS = ['--test-reporter=tap', '--test-concurrency=2'];

test('signals, resumes, records and locks are the same without /proc, among programs of BSD', NAMESPACE, async () => {
  const files = Object.keys(SELECTED).map((name) => `build/tests/${name}.test.js`);
  const patterns = Object.values(SELECTED).map((pattern) => `--test-name-pattern=${pattern}`);
  const env = { NODE_TEST_CONTEXT: undefined, NODE_OPTIONS: undefined };
  const node = ['node', '--test', ...DOTS, ...patterns, ...files];
  const { code, stdout } = await finish('sh', [ENTER, ...node], { cwd: ROOT, env });
  assert.equal(code, 0, stdout);
  assert.match(stdout, /^# pass \d\d+$/m);
});

/** The command of cli there, after programs that are scripts. */
function commandWith(cwd: string, scripts: Readonly<Record<string, string>>): readonly string[] {
  const bin = join(cwd, 'bin');
  mkdirSync(bin);
  for (const [name, text] of Object.entries(scripts)) {
    writeFileSync(join(bin, name), `#!/bin/sh\n${text}\n`);
    chmodSync(join(bin, name), 0o755);
  }
  const shell = `PATH='${bin}':$PATH; export PATH; unset CLI_NO_JOURNAL; exec "$@"`;
  return ['sh', ENTER, 'sh', '-c', shell, 'sh', ...COMMAND];
}

const ci = (...steps: readonly string[]): object => ({ workflows: { ci: { steps } } });
/** Leaves a process, which tests find by its pid. */
const LEAVES = 'sleep 60 & read -r stat </proc/hidden/$!/stat; echo "$stat" >>processes; echo ready >>log; wait';

test('without any process table SIGTERM ends a run, which says what it could not see', NAMESPACE, async (t) => {
  const subject = bench(t, ci(LEAVES, 'echo later >>log'));
  const { pid, ended } = runDetached(subject, ['run', 'ci'], commandWith(subject.cwd, { ps: 'exit 1' }));
  await subject.logged('ready');
  process.kill(pid, 'SIGTERM');
  const { signal, stderr } = await ended;
  assert.equal(signal, 'SIGTERM');
  assert.match(stderr, UNSEEN);
  assert.deepEqual(subject.log(), ['ready']);
  assert.deepEqual(subject.survivors(), ['sleep 60']);
});

const UNSEEN =
  /^cli: processes cannot be listed \(ps does not list this process, and exits with 1\): only the commands themselves were signalled, and what they have started may still be running$/m;

test('a resume starts nothing while it cannot list what the killed run has left', NAMESPACE, async (t) => {
  const subject = bench(t, ci(LEAVES));
  const { pid, ended } = runDetached(subject, ['run', 'ci'], commandWith(subject.cwd, {}));
  await subject.logged('ready');
  process.kill(pid, 'SIGKILL');
  await ended;
  const resume = async (ps: string): Promise<string> => {
    rmSync(join(subject.cwd, 'bin'), { recursive: true });
    const [file = '', ...args] = commandWith(subject.cwd, ps === '' ? {} : { ps });
    const result = await finish(file, [...args, 'resume', '--last', '--on-crash', 'rerun'], { cwd: subject.cwd });
    assert.deepEqual([result.code, result.stdout], [2, '']);
    return result.stderr;
  };
  assert.match(
    await resume(`echo '  1 1 1 S Sat Nov 28 16:22:57 2026'`),
    /^cli: processes of run \S+ may still be running/m,
  );
  assert.match(await resume(''), /^cli: processes of run \S+ are still running: \d+, \d+; nothing was started$/m);
  assert.deepEqual(subject.survivors(), ['sleep 60']);
  await subject.leaves();
});

test('no program is started before the first step, and the boot is recorded while it runs', NAMESPACE, async (t) => {
  const recorded = `until grep -qs '"boot":"B-1"' .cli/runs/*/session-1.ndjson; do sleep 0.05; done`;
  const subject = bench(t, ci(`echo step >>log; ${recorded}`));
  const scripts = { ps: 'echo ps >>log; exit 1', sysctl: 'echo "sysctl $*" >>log; echo B-1' };
  const { code, stderr } = await runDetached(subject, ['run', 'ci'], commandWith(subject.cwd, scripts)).ended;
  assert.equal(code, 0, stderr);
  assert.deepEqual(subject.log(), ['step', 'sysctl -n kern.bootsessionuuid']);
});

test('a script ends its own processes, and never those that share its process group', NAMESPACE, async (t) => {
  const command = `( ${LEAVES} ) & ${step('a')}; wait`;
  const subject = bench(t, {
    finally: 'echo finally >>log',
    workflows: { x: { steps: [command, 'echo later >>log'] } },
  });
  await writeScript(subject);
  // The caller shares the group: a signal to the group would reach it, and its other process.
  const other = `trap 'echo other got it >>log' TERM; echo other ready >>log; while :; do sleep 0.1; done`;
  const caller = `( ${other} ) & other=$!; bash x.sh & echo $! >script; wait $!; echo "code $?" >>log; kill -KILL $other`;
  const { ended } = runDetached(subject, ['-c', caller], ['sh', ENTER, 'bash']);
  await subject.logged('a ready', 'ready', 'other ready');
  process.kill(Number(subject.read('script')), 'SIGTERM');
  const { stderr } = await ended;
  assert.deepEqual(subject.log().slice(3), ['a got SIGTERM', 'finally', 'code 143'], stderr);
  assert.deepEqual(subject.survivors(), []);
});

test('a script without any process table ends its command, and says what it could not see', NAMESPACE, async (t) => {
  const subject = bench(t, { workflows: { x: { steps: [step('a'), 'echo later >>log'] } } });
  await writeScript(subject);
  const bin = join(subject.cwd, 'bin');
  mkdirSync(bin);
  writeFileSync(join(bin, 'ps'), '#!/bin/sh\nexit 1\n', { mode: 0o755 });
  const run = `PATH='${bin}':$PATH exec bash -c 'exec bash x.sh'`;
  const { pid, ended } = runDetached(subject, ['-c', run], ['sh', ENTER, 'bash']);
  await subject.logged('a ready');
  process.kill(pid, 'SIGTERM');
  const { signal, stderr } = await ended;
  assert.equal(signal, 'SIGTERM', stderr);
  assert.match(stderr, /^x\.sh: processes cannot be listed with ps: only commands were signalled, /m);
  assert.deepEqual(subject.log(), ['a ready', 'a got SIGTERM']);
});
