import assert from 'node:assert/strict';
import { existsSync, readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import {
  cli,
  COMMAND_LINE,
  finish,
  temporaryDirectory,
  withoutAnnouncements,
  workflowDirectory,
} from '../support/cli.ts';
import { inProcess } from '../support/in_process.ts';
import { answer, ci, entry, result, runCi, workflow } from '../support/workflow.ts';

test('the shell of steps, conditions and hooks is bash with pipefail', async (t) => {
  const shows = 'echo ${BASH_VERSION:+bash} && (exit 3) | cat';
  const file = ci([{ run: 'echo never', if: shows }, shows], { before_all: 'false | true || :' });
  const hooks = { before_all: { command: 'false | true || :', exit_code: 0 } };
  const { document, stderr } = await runCi(t, file);
  assert.deepEqual(document, result(false, [entry('step_2', shows, 3)], hooks));
  assert.equal(stderr, "bash\nbash\ncli: step 'step_2' of workflow 'ci' failed with exit code 3\n");
});

test('without bash in the PATH of cli, the shell is sh', async (t) => {
  const bin = temporaryDirectory(t);
  symlinkSync('/bin/sh', join(bin, 'sh'));
  const { document, stderr } = await runCi(t, ci(['echo $0']), [], { env: { PATH: bin } });
  assert.deepEqual(document, result(true, [entry('step_1', 'echo $0')]));
  assert.equal(stderr, `${join(bin, 'sh')}\n`);
});

test('without bash and sh the exit code is 2, before anything runs', async (t) => {
  assert.deepEqual(await runCi(t, ci(['echo never']), [], { env: { PATH: temporaryDirectory(t) } }), {
    code: 2,
    document: undefined,
    stderr: 'cli: neither bash nor sh was found in PATH\n',
  });
});

test('the shell is searched for in the PATH of cli, not of a step', async (t) => {
  const { document } = await runCi(t, ci(['echo $PATH'], { env: { PATH: '/nosuch' } }));
  assert.deepEqual(document, result(true, [entry('step_1', 'echo $PATH')]));
});

test('commands run in the current directory, wherever the file is', async (t) => {
  const cwd = temporaryDirectory(t, { 'deep/down/workflow.json': ci(['pwd -P']) });
  const args = ['workflow', 'run', '--file', 'deep/down/workflow.json', 'ci'];
  const { stderr } = await answer(t, args, { cwd });
  const { stdout } = await finish('pwd', ['-P'], { cwd });
  assert.equal(stderr, stdout);
});

test('no startup file runs, no shell option is inherited, and all other variables are', async (t) => {
  const start = join(temporaryDirectory(t, { 'start.sh': 'echo started\n' }), 'start.sh');
  const options = { SHELLOPTS: 'noexec', BASHOPTS: 'nullglob' };
  const shows = 'echo "$OTHER" [$BASH_ENV] [$ENV]; [[ $- = *n* ]] || shopt -p nullglob; :';
  const env = { BASH_ENV: start, ENV: start, ...options, OTHER: 'as it is' };
  const { stderr } = await runCi(t, ci([shows]), [], { env });
  assert.equal(stderr, `as it is [] [${start}]\nshopt -u nullglob\n`);
});

test('cli adds CLI_RUN_<id>=<number of the command>, with another id for each run, and the directory of the caller', async (t) => {
  const cwd = workflowDirectory(t, ci(['true', 'env -0 | tr "\\0" "\\n" | grep -a ^CLI_']));
  const env = { CLI_RUN_outer: undefined, CLI_NO_JOURNAL: undefined };
  const first = await answer(t, ['workflow', 'run', 'ci'], { cwd, env });
  const second = await answer(t, ['workflow', 'run', 'ci'], { cwd, env });
  for (const { stderr } of [first, second])
    assert.match(
      stderr.replace(`CLI_CALLER_DIR=${cwd}\n`, '').replace('CLI_LOGS=0\n', ''),
      /^CLI_RUN_[A-Za-z0-9_]+=2\n$/,
    );
  assert.notEqual(first.stderr, second.stderr);
});

test('a step ends when its shell ends, and its background processes continue', async (t) => {
  const cwd = workflowDirectory(t, ci(['sleep 600 & echo $! >pid', 'echo next']));
  const script = `${COMMAND_LINE} workflow run ci 2>log`;
  const { code, stdout } = await finish('sh', ['-c', script], { cwd });
  const pid = Number(readFileSync(join(cwd, 'pid'), 'utf8'));
  t.after(() => process.kill(pid, 'SIGKILL'));
  assert.equal(process.kill(pid, 0), true);
  assert.equal(code, 0);
  const steps = [entry('step_1', 'sleep 600 & echo $! >pid'), entry('step_2', 'echo next')];
  assert.deepEqual(JSON.parse(stdout), result(true, steps));
});

test('a step that cannot be started has exit code 126, the message names the variable and its size, and the run fails', async (t) => {
  const file = ci([{ run: 'echo never', with: { BIG: 'x'.repeat(140_000) } }], { error: 'echo alarm' });
  const reason = 'the value of BIG is 140000 bytes long; the system takes less than 131072';
  const hooks = { error: { command: 'echo alarm', exit_code: 0 } };
  assert.deepEqual(await runCi(t, file), {
    code: 1,
    document: result(false, [entry('step_1', 'echo never', 126)], hooks),
    stderr: `cli: step 'step_1' of workflow 'ci' could not be started: ${reason}\nalarm\n`,
  });
});

test('the exit code is 0 for success, 1 for failure, and 2 if nothing could start', async (t) => {
  const codes = { '--pretty good': 0, bad: 1, nosuch: 2, '--nosuch good': 2, 'good word': 2 };
  const file = { workflows: { good: { steps: [] }, bad: { steps: ['false'] } } };
  for (const [words, expected] of Object.entries(codes)) {
    const { code, document } = await workflow(t, file, ['run', ...words.split(' ')]);
    assert.equal(code, expected, words);
    assert.equal(document === undefined, expected === 2, words);
  }
  const { code: missing, document } = await workflow(t, file, ['list', '--file', 'nosuch']);
  assert.deepEqual({ missing, document }, { missing: 2, document: undefined });
});

test('an internal error has exit code 70 and a one-line message', async (t) => {
  const env: Record<string, string> = new Proxy(
    {},
    {
      get: () => {
        throw new Error('broken\nsecond line');
      },
    },
  );
  const { code, stdout, stderr } = await inProcess(t, ['auth', 'status'], { cwd: temporaryDirectory(t), env });
  const message = 'cli: internal error: broken\n';
  assert.deepEqual({ code, stdout, stderr }, { code: 70, stdout: '', stderr: message });
});

test('a result that cannot be written has exit code 74', { skip: !existsSync('/dev/full') }, async (t) => {
  const cwd = workflowDirectory(t, ci(['echo ran']));
  const script = `${COMMAND_LINE} workflow run ci >/dev/full`;
  const { code, stderr: all } = await finish('sh', ['-c', script], { cwd });
  const stderr = withoutAnnouncements(all);
  const reason = 'cli: cannot write the result to standard output: ENOSPC: no space left on device';
  assert.deepEqual({ code, stderr }, { code: 74, stderr: `ran\n${reason}\n` });
});

test('nothing runs until everything has been checked', async (t) => {
  const sound = { steps: ['touch ran'] };
  const refused: readonly (readonly [workflows: object, words: readonly string[]])[] = [
    [{ ci: sound, other: { steps: [1] } }, ['ci']],
    [{ ci: sound, other: { steps: [{ workflow: 'nosuch' }] } }, ['ci']],
    [{ ci: sound, other: { steps: [{ workflow: 'other' }] } }, ['ci']],
    [{ ci: sound }, ['other']],
    [{ ci: sound }, ['ci', 'word']],
    [{ ci: sound }, ['ci', '--flag']],
  ];
  for (const [workflows, words] of refused) {
    const cwd = workflowDirectory(t, { before_all: 'touch ran', workflows });
    const { code, document } = await answer(t, ['workflow', 'run', ...words], { cwd });
    const ran = existsSync(join(cwd, 'ran'));
    assert.deepEqual({ code, document, ran }, { code: 2, document: undefined, ran: false });
  }
});

test('the document is deterministic: equal files, arguments and exit codes give the same bytes', async (t) => {
  const file = ci(['echo $RANDOM $$', 'exit 3'], { env: { A: 'a' }, error: 'date' });
  const outputs = new Set<string>();
  for (const cwd of [workflowDirectory(t, file), workflowDirectory(t, file)]) {
    outputs.add((await cli(['workflow', 'run', 'ci', 'B:b'], { cwd })).stdout);
  }
  assert.deepEqual(
    outputs,
    new Set([
      '{"workflow":"ci","steps":[{"name":"step_1","command":"echo $RANDOM $$","exit_code":0},' +
        '{"name":"step_2","command":"exit 3","exit_code":3}],' +
        '"error":{"command":"date","exit_code":0},"success":false}\n',
    ]),
  );
});
