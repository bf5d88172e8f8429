import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import {
  COMMAND,
  temporaryDirectory,
  withoutAnnouncements,
  withoutLongestChain,
  workflowDirectory,
} from '../support/cli.ts';
import { quickCli as cli } from '../support/in_process.ts';
import { isAlive } from '../support/processes/processes.ts';

/** The values of secrets in these tests begin with this text. */
const MARK = 'S3cr3t';

const bash = (script: string): readonly string[] => ['bash', '-c', script];

/** What is wrong with a provider, and the message about it. */
const FAILURES: readonly (readonly [provider: object, message: string])[] = [
  [{ command: ['no-such-program'] }, "'no-such-program' was not found"],
  [{ command: ['/dev/null', MARK] }, "'/dev/null' could not be started: permission denied"],
  [
    { command: ['echo', 'x'.repeat(131_072)] },
    "'echo' could not be started: its arguments and environment are too long",
  ],
  [{ command: bash(`echo ${MARK}; exit 7`) }, "'bash' failed with exit code 7"],
  [{ command: bash("trap '' TERM; sleep 100 & wait; wait"), timeout: '100ms' }, "'bash' timed out after 100ms"],
  [{ command: ['echo'] }, "'echo' gave nothing"],
  [{ command: ['yes', MARK] }, "'yes' gave more than 64 KiB"],
  [{ command: bash('head -c 65537 /dev/zero | tr "\\0" x') }, "'bash' gave more than 64 KiB"],
  [{ command: bash('head -c 1100000 /dev/zero | tr "\\0" x'), value: '$.a' }, "'bash' gave more than 1 MiB"],
  [{ command: ['printf', `${MARK}\\0`] }, "'printf' gave a NUL byte or invalid UTF-8"],
  [{ command: ['printf', `${MARK}\\377`] }, "'printf' gave a NUL byte or invalid UTF-8"],
  [{ command: ['echo', `{ "${MARK}": 1, "b": [1] }`], value: '$.a' }, "'echo' gave no value at its path"],
  [{ command: ['echo', '{ "b": [1] }'], value: '$.b' }, "'echo' gave no value at its path"],
];

const SECRETS = Object.fromEntries(FAILURES.map(([provider], index) => [`KEY_${index}`, provider]));
const NAMES = Object.keys(SECRETS);
const PROBLEMS = FAILURES.map(([, message], index) => `secret 'KEY_${index}': ${message}`);

test('all problems with secrets that are certainly needed are told before the first command', async (t) => {
  const file = { secrets: SECRETS, workflows: { ci: { steps: ['touch ran', { run: 'true', secrets: NAMES }] } } };
  const cwd = workflowDirectory(t, file);
  const { code, stdout, stderr } = await cli(['workflow', 'run', 'ci', '--report', 'r.json'], {
    cwd,
    env: { CLI_NO_JOURNAL: undefined },
  });
  assert.equal(stderr, [...PROBLEMS, 'nothing was started'].map((line) => `cli: ${line}\n`).join(''));
  assert.deepEqual([code, stdout, existsSync(join(cwd, 'ran'))], [2, '', false]);
  assert.deepEqual([existsSync(join(cwd, 'r.json')), existsSync(join(cwd, '.cli/runs'))], [false, false]);
});

test('a step behind a condition fails without being started, and so does a hook', async (t) => {
  const guarded = NAMES.map((name) => {
    return { name, if: 'test 1', run: 'true', secrets: [name], allow_failure: true, retry: 3 };
  });
  const error = { run: 'touch hook', secrets: ['KEY_0'] };
  const file = { secrets: SECRETS, error, workflows: { ci: { steps: [...guarded, 'false'] } } };
  const cwd = workflowDirectory(t, file);
  const { code, stdout, stderr } = await cli(['workflow', 'run', 'ci', '--quiet', '--report', 'r.json'], { cwd });
  const entries = NAMES.map((name, index) => {
    return { name, command: 'true', exit_code: 126, allowed_failure: true, error: PROBLEMS[index] };
  });
  const last = { name: `step_${NAMES.length + 1}`, command: 'false', exit_code: 1 };
  assert.deepEqual(JSON.parse(stdout), {
    workflow: 'ci',
    steps: [...entries, last],
    error: { command: 'touch hook', exit_code: 126 },
    success: false,
  });
  assert.deepEqual([code, existsSync(join(cwd, 'hook'))], [1, false]);
  assert.ok(stderr.includes(`hook 'error' could not be started: ${PROBLEMS[0]}`), stderr);
  assert.ok(readFileSync(join(cwd, 'r.json'), 'utf8').includes(JSON.stringify(PROBLEMS[0])));
  assert.equal(`${stdout}${stderr}`.includes(MARK), false);
});

test('a hook fails without being started, and says why', async (t) => {
  const names = NAMES.map((name) => name.toLowerCase());
  const hooked = NAMES.map((name) => [
    name.toLowerCase(),
    { steps: ['false'], error: { run: 'touch hook', secrets: [name] } },
  ]);
  const parallel = names.map((workflow) => ({ workflow }));
  const file = { secrets: SECRETS, workflows: { ci: { steps: [{ parallel }] }, ...Object.fromEntries(hooked) } };
  const cwd = workflowDirectory(t, file);
  const { code, stdout, stderr } = await cli(['workflow', 'run', 'ci', '--quiet'], { cwd });
  const { hooks } = JSON.parse(stdout);
  assert.deepEqual([code, hooks.map((hook: { exit_code: number }) => hook.exit_code)], [1, NAMES.map(() => 126)]);
  for (const [index, name] of names.entries()) {
    assert.ok(stderr.includes(`hook 'error' of workflow '${name}' could not be started: ${PROBLEMS[index]}\n`), stderr);
  }
  assert.deepEqual([existsSync(join(cwd, 'hook')), `${stdout}${stderr}`.includes(MARK)], [false, false]);
});

test('a secret at a path can be in a document of up to 1 MiB, and those of one list of arguments share the longest limit', async (t) => {
  const document = bash(
    `sleep 0.2; echo '{"a": "${MARK}-a", "b": "${MARK}-b", "c": "'"$(head -c 100000 /dev/zero | tr '\\0' x)"'"}'`,
  );
  const file = {
    secrets: {
      A: { command: document, value: '$.a', timeout: '50ms' },
      B: { command: document, value: '$.b', timeout: '30s' },
    },
    workflows: { ci: { steps: [{ run: `test "$A $B" = "${MARK}-a ${MARK}-b"`, secrets: ['A', 'B'] }] } },
  };
  const { code, stderr } = await cli(['run', 'ci', '-q'], { cwd: workflowDirectory(t, file) });
  assert.deepEqual([code, stderr], [0, '']);
});

test('a command has the secrets that it lists, and no other process has them', async (t) => {
  const list = 'env | grep -o "^[A-Z]*_SECRET=.*" | sort | tr "\\n" " "; echo';
  const file = {
    secrets: {
      A_SECRET: { command: bash(`echo start >> starts; ${list} >&2; echo '{ "a": "one", "n": 7 }'`), value: '$.a' },
      N_SECRET: { command: bash(`echo start >> starts; ${list} >&2; echo '{ "a": "one", "n": 7 }'`), value: '$.n' },
      E_SECRET: { command: bash('touch started') },
      V_SECRET: { command: ['echo', '${vars.STAGE}-value'] },
      D_SECRET: { command: bash('sleep 60 2>/dev/null & echo daemon; echo $! > daemon') },
    },
    env: { STAGE: 'dev' },
    dotenv: '.env',
    before_all: `echo before: $(${list})`,
    finally: { run: `echo finally: $(${list})`, secrets: ['E_SECRET'] },
    workflows: {
      ci: {
        env: { STAGE: 'prod' },
        steps: [
          { run: `echo none: $(${list})`, if: `${list}; true` },
          { run: `echo two: $(${list})`, secrets: ['A_SECRET', 'N_SECRET'], retry: 2 },
          { run: `echo other: $(${list})`, secrets: ['V_SECRET', 'D_SECRET'] },
          { parallel: [{ run: `echo member: $(${list})`, secrets: ['N_SECRET'] }] },
        ],
      },
    },
  };
  const cwd = temporaryDirectory(t, { '.cli/workflow.json': file, '.env': 'A_SECRET=dotenv\n' });
  const env = { E_SECRET: 'inherited', A_SECRET: '' };
  const { code, stderr } = await cli(['workflow', 'run', 'ci'], { cwd, env });
  process.kill(Number(readFileSync(join(cwd, 'daemon'), 'utf8')));
  assert.equal(
    withoutLongestChain(withoutAnnouncements(stderr)),
    [
      "cli: warning: 'A_SECRET' is a secret of the file, so its entry in .env is not used",
      '',
      'before:',
      '',
      'none:',
      'two: A_SECRET=one N_SECRET=7',
      'other: D_SECRET=daemon V_SECRET=prod-value',
      "cli: step 'step_4' of workflow 'ci': 1 in parallel",
      'step_4.1 │ member: N_SECRET=7',
      'finally: E_SECRET=inherited',
      '',
    ].join('\n'),
  );
  assert.deepEqual(
    [code, readFileSync(join(cwd, 'starts'), 'utf8'), existsSync(join(cwd, 'started'))],
    [0, 'start\n', false],
  );
});

test('an output that contains a secret is used, but neither shown nor recorded', async (t) => {
  const file = {
    secrets: { KEY: { command: ['printf', `${MARK}-1\\n${MARK}-2\\n`] } },
    workflows: {
      ci: {
        steps: [
          { name: 'give', run: 'echo "key: $KEY" | tail -n 1', secrets: ['KEY'], outputs: { TEXT: 'text' } },
          { name: 'use', run: `test "\${steps.give.TEXT}" = ${MARK.slice(0, 2)}''${MARK.slice(2)}-2` },
          { name: 'fail', run: 'echo "$KEY"; exit 3', secrets: ['KEY'] },
        ],
      },
    },
  };
  const cwd = workflowDirectory(t, file);
  const args = ['workflow', 'run', 'ci', '--report', 'r.json', '--report', 'r.html', '--events', 'events'];
  const env = { CLI_NO_JOURNAL: undefined, GITHUB_ACTIONS: 'true', GITHUB_STEP_SUMMARY: join(cwd, 'summary') };
  const { code, stdout, stderr } = await cli(args, { cwd, env });
  assert.equal(code, 1);
  const [first] = JSON.parse(stdout).steps;
  assert.deepEqual(first.outputs, { TEXT: '***' });
  const masks = [`::add-mask::${MARK}-1\n`, `::add-mask::${MARK}-2\n`];
  for (const mask of masks) assert.ok(stderr.indexOf(mask) < stderr.indexOf(`\n${MARK}`), stderr);
  const records = readdirSync(join(cwd, '.cli/runs'), { recursive: true, encoding: 'utf8' });
  const written = ['r.json', 'r.html', 'events', 'summary', ...records.map((name) => join('.cli/runs', name))];
  const texts = written.flatMap((name) => (/\.ndjson$|^[a-z]/.test(name) ? readFileSync(join(cwd, name), 'utf8') : []));
  assert.deepEqual(
    [stdout, ...texts].filter((each) => each.includes(`${MARK}-`)),
    [],
  );
  assert.ok(texts.some((each) => each.includes('"outputs":[["TEXT",null]]')));
});

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  test(`${signal} ends a provider before the first command with its tree, and then the tool`, async (t) => {
    const provider = bash('sleep 100 & echo $! > pid; echo ready >&2; wait');
    const file = {
      secrets: { KEY: { command: provider } },
      finally: 'touch finally',
      workflows: { ci: { steps: [{ run: 'touch ran', secrets: ['KEY'] }] } },
    };
    const cwd = workflowDirectory(t, file);
    const [program, ...first] = COMMAND;
    const child = spawn(program, [...first, 'workflow', 'run', 'ci'], { cwd, stdio: ['ignore', 'pipe', 'pipe'] });
    child.stderr.once('data', () => child.kill(signal));
    const ended = new Promise((resolve) => void child.once('exit', (_, by) => resolve(by)));
    assert.deepEqual(await Promise.all([ended, text(child.stdout), text(child.stderr)]), [signal, '', 'ready\n']);
    assert.deepEqual([existsSync(join(cwd, 'ran')), existsSync(join(cwd, 'finally'))], [false, false]);
    assert.equal(isAlive(Number(readFileSync(join(cwd, 'pid'), 'utf8'))), false);
  });
}

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  test(`${signal} while a provider runs for a step is an interruption, and a hook can still get its secrets`, async (t) => {
    const file = {
      secrets: { KEY: { command: bash('test -e once && echo second && exit; touch once; echo ready >&2; sleep 100') } },
      finally: { run: 'echo "finally $KEY"', secrets: ['KEY'] },
      workflows: { ci: { steps: [{ if: 'test 1', run: 'touch ran', secrets: ['KEY'] }] } },
    };
    const guarded = { ...file, finally: 'true', error: file.finally };
    const cwd = workflowDirectory(t, guarded);
    const [program, ...first] = COMMAND;
    const child = spawn(program, [...first, 'workflow', 'run', 'ci', '--quiet'], {
      cwd,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    child.stderr.once('data', () => child.kill(signal));
    const ended = new Promise((resolve) => void child.once('exit', (_, by) => resolve(by)));
    const [by, stdout, stderr] = await Promise.all([ended, text(child.stdout), text(child.stderr)]);
    const { steps, error, interrupted } = JSON.parse(stdout);
    assert.deepEqual([by, steps, error?.exit_code, interrupted], [signal, [], 0, signal]);
    assert.deepEqual(
      stderr.split('\n').filter((line) => line.includes('finally')),
      ['finally second'],
    );
  });
}
