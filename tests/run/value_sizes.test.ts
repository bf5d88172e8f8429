import assert from 'node:assert/strict';
import { test } from 'node:test';
import { workflowDirectory } from '../support/cli.ts';
import { quickCli as cli, toolInProcess } from '../support/in_process.ts';
import { LINUX, script } from '../support/processes/shell.ts';

const LONG = 'x'.repeat(131_072);
const ERROR_HOOK = { error: 'echo the hook ran' };
const FAILED_HOOK = { command: ERROR_HOOK.error, exit_code: 126 };
const RAN_HOOK = { command: ERROR_HOOK.error, exit_code: 0 };

test('a value that exceeds the system limit is named with its size, and the error hook runs', LINUX, async (t) => {
  const steps = [{ run: 'echo never', with: { SHORT: 'x', LONG } }, 'echo never'];
  const cwd = workflowDirectory(t, { ...ERROR_HOOK, workflows: { w: { steps } } });
  const entry = { name: 'step_1', command: 'echo never', exit_code: 126 };
  assert.deepEqual(await cli(['workflow', 'run', 'w'], { cwd }), {
    code: 1,
    signal: null,
    stdout: `${JSON.stringify({ workflow: 'w', steps: [entry], error: RAN_HOOK, success: false })}\n`,
    stderr:
      "cli: step 'step_1' of workflow 'w' could not be started: the value of LONG is 131072 bytes long; the system takes less than 131072\nthe hook ran\n",
  });
});

test('a global value that exceeds the system limit fails the hooks, each by name', LINUX, async (t) => {
  const cwd = workflowDirectory(t, {
    ...ERROR_HOOK,
    env: { LONG },
    before_all: 'echo never',
    workflows: { w: { steps: ['echo never'] } },
  });
  const reason = 'the value of LONG is 131072 bytes long; the system takes less than 131072';
  const before = { command: 'echo never', exit_code: 126 };
  assert.deepEqual(await cli(['workflow', 'run', 'w'], { cwd }), {
    code: 1,
    signal: null,
    stdout: `${JSON.stringify({ workflow: 'w', before_all: before, steps: [], error: FAILED_HOOK, success: false })}\n`,
    stderr: `cli: hook 'before_all' could not be started: ${reason}\ncli: hook 'error' could not be started: ${reason}\n`,
  });
});

test('a command that exceeds the system limit is reported with its size', LINUX, async (t) => {
  const command = `: ${'é'.repeat(65_535)}`;
  const cwd = workflowDirectory(t, { ...ERROR_HOOK, workflows: { w: { steps: [command] } } });
  const entry = { name: 'step_1', command, exit_code: 126 };
  assert.deepEqual(await cli(['workflow', 'run', 'w'], { cwd }), {
    code: 1,
    signal: null,
    stdout: `${JSON.stringify({ workflow: 'w', steps: [entry], error: RAN_HOOK, success: false })}\n`,
    stderr:
      "cli: step 'step_1' of workflow 'w' could not be started: the command is 131072 bytes long; the system takes less than 131072\nthe hook ran\n",
  });
});

test('the longest command and the longest value within the system limit work', LINUX, async (t) => {
  const step = { run: `:${' '.repeat(131_070)}`, with: { LONG: LONG.slice('LONG='.length + 1) } };
  const cwd = workflowDirectory(t, { workflows: { w: { steps: [step] } } });
  const { code, stderr } = await cli(['workflow', 'run', 'w'], { cwd });
  assert.deepEqual([code, stderr], [0, '']);
});

test('variables that exceed the total limit are reported, and the largest is named', LINUX, async (t) => {
  const many = Object.fromEntries(Array.from({ length: 31 }, (_, n) => [`V${n}`, 'x'.repeat(100_000 + n)]));
  const steps = [{ run: 'echo never', with: many }];
  const cwd = workflowDirectory(t, { ...ERROR_HOOK, workflows: { w: { steps } } });
  // The limit is a quarter of the stack limit, which this sets to a known value.
  const { code, stdout, stderr } = await script('ulimit -s 8192; cli workflow run w', { cwd });
  const entry = { name: 'step_1', command: 'echo never', exit_code: 126 };
  assert.deepEqual([code, JSON.parse(stdout)], [1, { workflow: 'w', steps: [entry], error: RAN_HOOK, success: false }]);
  assert.equal(
    stderr.replace(/\b31\d{5} bytes/, '31NNNNN bytes'),
    "cli: step 'step_1' of workflow 'w' could not be started: the environment is 31NNNNN bytes in total, more than the system takes; the value of V30 is 100030 bytes long\nthe hook ran\n",
  );
});

test('a condition that is too long fails the run instead of skipping its step', LINUX, async (t) => {
  const steps = [{ if: `: ${LONG}`, run: 'echo never' }, 'echo never'];
  const cwd = workflowDirectory(t, { ...ERROR_HOOK, workflows: { w: { steps } } });
  assert.deepEqual(await cli(['workflow', 'run', 'w'], { cwd }), {
    code: 1,
    signal: null,
    stdout: `${JSON.stringify({ workflow: 'w', steps: [], error: RAN_HOOK, success: false })}\n`,
    stderr:
      "cli: the condition of step 1 of workflow 'w' could not be started: the command is 131074 bytes long; the system takes less than 131072\nthe hook ran\n",
  });
});

test('a NUL in a command, a condition, a hook or a value is rejected, with its position', async (t) => {
  const tool = toolInProcess(t);
  const input = [
    String.raw`{"before_all": "a\u0000b", "env": {"V": "\u0000"},`,
    String.raw` "workflows": {"w": {"steps": [`,
    String.raw`  "a\u0000b",`,
    String.raw`  {"run": "\u0000", "with": {"V": "\u0000"}, "if": "\u0000"},`,
    String.raw`  {"run": "a", "name": "\u0000"}]}}}`,
  ].join('\n');
  const nul = 'must not contain a NUL character';
  const { code, stdout, stderr } = await tool(['workflow', 'validate', '--file', '-'], { input });
  assert.deepEqual(
    [code, JSON.parse(stdout)],
    [
      1,
      {
        valid: false,
        errors: [
          { workflow: '', message: `'before_all' ${nul}` },
          { workflow: '', message: `'env.V' ${nul}` },
          { workflow: 'w', message: `step 1: 'run' ${nul}` },
          { workflow: 'w', message: `step 2: 'run' ${nul}` },
          { workflow: 'w', message: `step 2: 'with.V' ${nul}` },
          { workflow: 'w', message: `step 2: 'if' ${nul}` },
          { workflow: 'w', message: `step 3: 'name' must not contain control characters` },
        ],
      },
    ],
  );
  assert.deepEqual(
    stderr.split('\n').flatMap((line) => /^<stdin>:(\d+:\d+): error: /.exec(line)?.[1] ?? []),
    ['1:16', '1:41', '3:3', '4:11', '4:35', '4:52', '5:24'],
  );
});

test('an output that exceeds the limit in a command is named as written there', LINUX, async (t) => {
  const make = `printf '"%0131072d"\\n' 0`;
  const steps = [{ name: 'make', run: make, outputs: { TEXT: '$' } }, 'echo ${steps.make.TEXT}'];
  const cwd = workflowDirectory(t, { ...ERROR_HOOK, error: 'true', workflows: { w: { steps } } });
  const { code, stderr } = await cli(['workflow', 'run', 'w'], { cwd });
  const [text = '', ...lines] = stderr.split(/(?<=\n)/);
  assert.deepEqual([code, text.length], [1, 131_075]);
  assert.deepEqual(lines, [
    "cli: step 'step_2' of workflow 'w' could not be started: the value of ${steps.make.TEXT} is 131072 bytes long; the system takes less than 131072\n",
  ]);
});
