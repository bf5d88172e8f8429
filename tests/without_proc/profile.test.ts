import assert from 'node:assert/strict';
import { chmodSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { bench, runDetached, step } from '../support/processes/bench.ts';
import { writeScript } from '../support/export/write_script.ts';
import { COMMAND, finish, ROOT } from '../support/cli.ts';
import { within } from '../support/until.ts';
import { ENTER, NAMESPACE } from '../support/without_proc/namespace.ts';

/** Test files, and those of their tests that run without /proc too. */
const SELECTED = {
  'signals/interruption.test': 'SIG\\w+ to cli alone|Ctrl-C reaches the step exactly',
  'signals/hang_up.test': 'while its shell runs',
  'signals/timeout.test': 'even if it exits with 0$|a stopped step ends',
  'export/background.slow': 'hooks of their calls',
  'resume/kills.test': 'killed in a condition|left by a killed run|has succeeded or failed',
  'records/ticket_lock.test': 'that another process runs|take a lock at the same time',
  'journal/holder.test': '^(?:a holder|a stopped process|this process)',
  'backend/process_table.test': '2 seconds for a system call|a list of ps',
} as const;

const OPTIONS = ['--test', '--test-reporter=tap', '--test-force-exit', '--require=./scripts/time_limit.cjs'];

describe('without /proc, among programs of BSD', { concurrency: 2, ...NAMESPACE }, () => {
  for (const [name, pattern] of Object.entries(SELECTED)) {
    test(`the tests of ${name} pass`, async () => {
      const env = { NODE_TEST_CONTEXT: undefined, NODE_OPTIONS: undefined, TEST_TIMEOUT: '45000' };
      const node = ['node', ...OPTIONS, `--test-name-pattern=${pattern}`, `build/tests/${name}.js`];
      const { code, stdout } = await finish('sh', [ENTER, ...node], { cwd: ROOT, env });
      assert.equal(code, 0, stdout);
      assert.match(stdout, /^# pass [1-9]\d*$/m);
    });
  }
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
  const { signal, stderr } = await within(ended, () => 'the end of the run');
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
  await within(ended, () => 'the end of the run');
  const resume = async (ps: string): Promise<string> => {
    rmSync(join(subject.cwd, 'bin'), { recursive: true });
    const [file = '', ...args] = commandWith(subject.cwd, ps === '' ? {} : { ps });
    const result = await within(
      finish(file, [...args, 'resume', '--last', '--on-crash', 'rerun'], { cwd: subject.cwd }),
      () => 'the end of the resume',
    );
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
  const isRecorded = `grep -qs '"boot":"B-1"' .cli/runs/*/session-1.ndjson`;
  const recorded = `n=0; until ${isRecorded} || [ $((n += 1)) = 100 ]; do sleep 0.05; done; ${isRecorded}`;
  const subject = bench(t, ci(`echo $$ >>log; ${recorded}`));
  const scripts = { ps: 'echo ps >>log; exit 1', sysctl: 'echo "$$ sysctl $*" >>log; echo B-1' };
  const { ended } = runDetached(subject, ['run', 'ci'], commandWith(subject.cwd, scripts));
  const { code, stderr } = await within(ended, () => 'the end of the run');
  assert.equal(code, 0, stderr);
  // Numbers of processes are in the order of their starts; of the lines, either may be the first.
  const started = subject.log().toSorted((one, other) => Number.parseInt(one, 10) - Number.parseInt(other, 10));
  const names = started.map((line) => line.replace(/^\d+ ?/, ''));
  assert.deepEqual(names, ['', 'sysctl -n kern.bootsessionuuid']);
});

test('a script ends its own processes, and never those that share its process group', NAMESPACE, async (t) => {
  const command = `( ${LEAVES} ) & ${step('a')}; wait`;
  const subject = bench(t, {
    finally: 'echo finally >>log',
    workflows: { x: { steps: [command, 'echo later >>log'] } },
  });
  await writeScript(subject);
  // The caller shares the group: a signal to the group would reach it, and its other process.
  const other = `trap 'echo other got it >>log' TERM; echo other ready >>log; while kill -0 $$; do sleep 0.1; done`;
  const caller = `( ${other} ) & other=$!; bash x.sh & echo $! >script; wait $!; echo "code $?" >>log; kill -KILL $other`;
  const { ended } = runDetached(subject, ['-c', caller], ['sh', ENTER, 'bash']);
  await subject.logged('a ready', 'ready', 'other ready');
  process.kill(Number(subject.read('script')), 'SIGTERM');
  const { stderr } = await within(ended, () => 'the end of the run');
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
  const { signal, stderr } = await within(ended, () => 'the end of the run');
  assert.equal(signal, 'SIGTERM', stderr);
  assert.match(stderr, /^x\.sh: processes cannot be listed with ps: only commands were signalled, /m);
  assert.deepEqual(subject.log(), ['a ready', 'a got SIGTERM']);
});

test('a script waits 2 seconds for a process in a system call, whose state is U on macOS', async () => {
  const program = `source src/export/runtime/processes.bash
wf_is_alive() { wf_fields=("$state"); }
sleep() { n+=1; }
for state in S D U; do
  declare -i n=0
  wf_stopped=' 5 ' wf_parents_of_stopped='' wf_await_stop 5
  echo "$state $n"
done`;
  const { stdout, stderr } = await finish('bash', ['-c', program], { cwd: ROOT });
  assert.deepEqual({ stdout, stderr }, { stdout: 'S 1000\nD 200\nU 200\n', stderr: '' });
});
