import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import { COMMAND, temporaryDirectory, workflowDirectory } from '../support/cli.ts';
import { quickCli as cli, inProcess } from '../support/in_process.ts';
import { needs } from '../support/needs.ts';
import { isAlive } from '../support/processes/processes.ts';
import { terminal } from '../support/processes/terminal.ts';

const bash = (script: string): object => ({ command: ['bash', '-c', script] });

/** A command that runs only if it gets its secrets. */
const listing = (...secrets: string[]): object => ({ if: 'test 1', run: 'echo ran >> ran', secrets });

const textOf = (cwd: string, name: string): string =>
  existsSync(join(cwd, name)) ? readFileSync(join(cwd, name), 'utf8').trim().replaceAll('\n', ' ') : '';

/** A workflow whose hook lists a secret. */
const failing = (name: string): object => ({ steps: ['false'], error: { run: 'touch hook', secrets: [name] } });

/** A provider that waits, and runs a command when it is started again. */
const onceMore = (second: string): object =>
  bash(`echo start >> starts; if [ -e once ]; then ${second}; else touch once; echo ready >&2; sleep 60; fi`);

/** A run whose hook lists a secret of such a provider. */
const withHook = (second: string): object => ({
  secrets: { KEY: onceMore(second) },
  error: { run: 'echo "hook $KEY" >> ran', secrets: ['KEY'] },
  workflows: { ci: { steps: ['false'] } },
});

/** A run with a provider that ends its process group. */
const endingItsGroup = (more: object): object => ({
  secrets: { KEY: bash('echo ready >&2; kill -TERM 0; sleep 60') },
  workflows: { ci: { steps: [{ run: 'touch ran', secrets: ['KEY'], ...more }] } },
  finally: 'echo finally >> ran',
});

/** More than the time in which two signals count as one, in milliseconds. */
const APART = 400;

/**
 * Runs `ci`, and sends a signal once standard error contains `ready`. Sends the other one from then on: on a busy machine,
 * it may count as the first.
 */
async function interrupted(
  cwd: string,
  signal?: NodeJS.Signals,
  other?: NodeJS.Signals,
): Promise<Readonly<{ by: unknown; stdout: string; stderr: string }>> {
  const [file, ...first] = COMMAND;
  const args = [...first, 'workflow', 'run', 'ci', '-q'];
  const child = spawn(file, args, { cwd, stdio: ['ignore', 'pipe', 'pipe'], detached: true });
  let said = '';
  const send = async (): Promise<void> => {
    if (signal !== undefined) child.kill(signal);
    if (other === undefined) return;
    while (child.exitCode === null && child.signalCode === null) {
      await delay(APART);
      child.kill(other);
    }
  };
  child.stderr.on('data', (chunk: Buffer) => {
    const before = said.includes('ready');
    said += chunk.toString();
    if (!before && said.includes('ready')) void send();
  });
  const ended = new Promise((resolve) => void child.once('exit', (code, signal) => resolve(signal ?? code)));
  const [by, stdout] = await Promise.all([ended, text(child.stdout)]);
  return { by, stdout, stderr: said };
}

test('the hooks of several members fail with the problem of their secret, which is sought once', async (t) => {
  const cwd = workflowDirectory(t, {
    secrets: {
      CODE: bash('echo start >> starts; exit 3'),
      NONE: { command: ['no-such-program'] },
      SLOW: { command: ['sleep', '60'], timeout: '50ms' },
      NUL: { command: ['printf', 'a\\0b'] },
    },
    workflows: {
      ci: {
        steps: [
          {
            parallel: [
              ...['code', 'none', 'slow', 'nul'].map((workflow) => ({ workflow })),
              { name: 'again', ...listing('CODE') },
            ],
            fail_fast: false,
          },
        ],
      },
      code: failing('CODE'),
      none: failing('NONE'),
      slow: failing('SLOW'),
      nul: failing('NUL'),
    },
  });
  const { code, stdout, stderr } = await cli(['workflow', 'run', 'ci'], { cwd });
  const { steps, hooks } = JSON.parse(stdout);
  const problems = {
    code: "secret 'CODE': 'bash' failed with exit code 3",
    none: "secret 'NONE': 'no-such-program' was not found",
    slow: "secret 'SLOW': 'sleep' timed out after 50ms",
    nul: "secret 'NUL': 'printf' gave a NUL byte or invalid UTF-8",
  };
  for (const [workflow, problem] of Object.entries(problems)) {
    assert.ok(stderr.includes(`hook 'error' of workflow '${workflow}' could not be started: ${problem}`), stderr);
  }
  assert.deepEqual([code, hooks.map((hook: { exit_code: number }) => hook.exit_code)], [1, [126, 126, 126, 126]]);
  const again = steps.find(({ name }: { name: string }) => name === 'again');
  assert.deepEqual([again.exit_code, again.error, textOf(cwd, 'starts')], [126, problems.code, 'start']);
  assert.deepEqual([existsSync(join(cwd, 'hook')), existsSync(join(cwd, 'ran'))], [false, false]);
});

test('a provider has no standard input without a terminal, and its output ends at 1 MiB', async (t) => {
  const cwd = workflowDirectory(t, {
    secrets: { INPUT: { command: ['cat'] }, HUGE: { command: ['head', '-c', '1G', '/dev/zero'] } },
    workflows: { ci: { steps: ['cat > input', { ...listing('INPUT'), allow_failure: true }, listing('HUGE')] } },
  });
  const { code, stdout } = await cli(['workflow', 'run', 'ci'], { cwd, input: 'for the step' });
  const errors = JSON.parse(stdout).steps.map(({ error }: { error?: string }) => error);
  assert.deepEqual(errors, [
    undefined,
    "secret 'INPUT': 'cat' gave nothing",
    "secret 'HUGE': 'head' gave more than 64 KiB",
  ]);
  assert.deepEqual([code, textOf(cwd, 'input'), textOf(cwd, 'ran')], [1, 'for the step', '']);
});

test('a provider can ask at the terminal, on its standard input too', needs('python3'), async (t) => {
  const cwd = workflowDirectory(t, {
    secrets: {
      PIN: bash('read -r -s -p "PIN? " pin < /dev/tty 2> /dev/tty; echo "$pin"'),
      NAME: bash('read -r -p "NAME? " name; echo "$name"'),
    },
    workflows: { ci: { steps: [{ run: 'echo "$NAME ${#PIN}" >> ran', secrets: ['PIN', 'NAME'] }] } },
  });
  const [file, ...first] = COMMAND;
  const shown = terminal(t, cwd, file, [...first, 'run', 'ci']);
  await shown.shows('PIN? ');
  shown.type('1234\r');
  await shown.shows('NAME? ');
  shown.type('me\r');
  assert.deepEqual(await shown.ended, { code: 0, signal: null });
  assert.equal(textOf(cwd, 'ran'), 'me 4');
});

for (const isGuarded of [false, true]) {
  const place = isGuarded ? 'at a step behind a condition' : 'before the first command';
  test(`a second signal kills a provider ${place} that ignores the first one`, async (t) => {
    const provider = bash("trap '' INT TERM HUP; echo $$ > pid; echo ready >&2; exec sleep 60");
    const step = { ...(isGuarded && { if: 'test 1' }), run: 'touch ran', secrets: ['KEY'] };
    const cwd = workflowDirectory(t, {
      secrets: { KEY: provider },
      ...(isGuarded && { finally: 'touch ran' }),
      workflows: { ci: { steps: [step] } },
    });
    const { by, stdout } = await interrupted(cwd, 'SIGINT', 'SIGTERM');
    assert.deepEqual([by, existsSync(join(cwd, 'ran'))], ['SIGTERM', false]);
    if (isGuarded)
      assert.deepEqual(JSON.parse(stdout), { workflow: 'ci', steps: [], success: false, interrupted: 'SIGTERM' });
    else assert.equal(stdout, '');
    assert.equal(isAlive(Number(textOf(cwd, 'pid'))), false);
  });
}

test('after a first signal, the provider of a hook is started again, and a second signal ends it', async (t) => {
  const cwd = workflowDirectory(t, withHook('echo value'));
  const once = await interrupted(cwd, 'SIGINT');
  assert.deepEqual([once.by, JSON.parse(once.stdout).error.exit_code], ['SIGINT', 0]);
  assert.deepEqual([textOf(cwd, 'starts'), textOf(cwd, 'ran')], ['start start', 'hook value']);
  const other = workflowDirectory(t, withHook('echo $$ > pid; sleep 60'));
  const twice = await interrupted(other, 'SIGTERM', 'SIGTERM');
  assert.deepEqual([twice.by, textOf(other, 'ran')], ['SIGTERM', '']);
  assert.equal(isAlive(Number(textOf(other, 'pid'))), false);
});

test('a provider that ends its process group ends the tool before the first command, and interrupts a run', async (t) => {
  const early = workflowDirectory(t, endingItsGroup({}));
  assert.deepEqual(await interrupted(early), { by: 'SIGTERM', stdout: '', stderr: 'ready\n' });
  assert.equal(textOf(early, 'ran'), '');
  const late = workflowDirectory(t, endingItsGroup({ if: 'test 1' }));
  const { by, stdout } = await interrupted(late);
  assert.deepEqual([by, JSON.parse(stdout).interrupted, textOf(late, 'ran')], ['SIGTERM', 'SIGTERM', 'finally']);
});

test('commands that run nothing start no provider', async (t) => {
  const cwd = workflowDirectory(t, {
    secrets: { KEY: bash('touch started; echo value') },
    error: { run: 'true', secrets: ['KEY'] },
    workflows: { ci: { steps: [{ name: 'one', run: 'true', secrets: ['KEY'] }, listing('KEY')] } },
  });
  const lines = [
    ...['list', 'validate', 'secrets', 'schema'].map((word) => [word]),
    ...['explain', 'graph', 'plan', 'export'].map((word) => [word, 'ci']),
    ['run', 'ci', '--dry-run'],
    ['run', 'ci', '--dry-run', '--assume', 'one=fail'],
    ['graph', 'ci', '--assume', 'one=fail'],
    ['diff', 'ci', '--from', '.cli/workflow.json', '--to', '.cli/workflow.json'],
  ];
  for (const line of lines) {
    const { code, stderr } = await inProcess(t, line, { cwd, env: { PATH: process.env['PATH'] } });
    assert.ok(code === 0 || (code === 1 && line.includes('--assume')), `${line.join(' ')}: ${code} ${stderr}`);
    assert.equal(existsSync(join(cwd, 'started')), false, line.join(' '));
  }
});

test('an included file has its own secrets, and two files can have programs for one name', async (t) => {
  const lib = {
    secrets: { KEY: { command: ['echo', 'of-lib'] } },
    workflows: {
      own: {
        steps: [{ run: 'echo "lib $KEY" >> ran', secrets: ['KEY'] }, 'env | grep -c "^KEY=\\|^ROOT=" >> ran; true'],
      },
    },
  };
  const root = {
    include: { lib: 'lib.json' },
    secrets: { KEY: { command: ['echo', 'of-root'] }, ROOT: { command: ['echo', 'root'] } },
    workflows: {
      ci: { steps: [{ run: 'echo "root $KEY $ROOT" >> ran', secrets: ['KEY', 'ROOT'] }, { workflow: 'lib:own' }] },
    },
  };
  const cwd = temporaryDirectory(t, { '.cli/workflow.json': root, '.cli/lib.json': lib });
  const { code, stderr } = await cli(['run', 'ci'], { cwd });
  assert.deepEqual([code, textOf(cwd, 'ran')], [0, 'root of-root root lib of-lib 0'], stderr);
  const foreign = { workflows: { own: { steps: ['echo $ROOT', { run: 'true', secrets: ['ROOT'] }] } } };
  const wrong = temporaryDirectory(t, { '.cli/workflow.json': root, '.cli/lib.json': foreign });
  const checked = await inProcess(t, ['validate'], { cwd: wrong });
  assert.deepEqual(
    checked.stdout.split('\n').filter((line) => line.includes('error:')),
    [
      '.cli/lib.json:1:37: error: workflow \'lib:own\': step 1: the command uses the secret $ROOT of .cli/workflow.json without listing it; declare it in "secrets" of .cli/lib.json, and add "secrets": ["ROOT"], or do not mention it',
      ".cli/lib.json:1:69: error: workflow 'lib:own': step 2: 'secrets': 'ROOT' is a secret of .cli/workflow.json, which .cli/lib.json does not get: declare it in \"secrets\" of .cli/lib.json, too",
    ],
  );
});
