import assert from 'node:assert/strict';
import { test } from 'node:test';
import { workflowDirectory } from '../support/cli.ts';
import { quickCli as cli, toolInProcess } from '../support/in_process.ts';

/** Names of properties that every JavaScript object inherits. */
const INHERITED = ['__proto__', 'constructor', 'toString', 'hasOwnProperty', 'valueOf'];

/** A text, because an object literal would lose or reorder some of these names. */
const FILE = `{"env": {${INHERITED.map((name) => `"${name}": "of ${name}"`).join()}}, "workflows": {
  ${[...INHERITED, '10', '2', 'a b', '✓'].map(workflowText).join(',\n  ')}
}}`;

function workflowText(name: string): string {
  const step = `{"name": "${name}", "run": "env | grep -E '^(${INHERITED.join('|')})=' | sort"}`;
  const call = `{"workflow": "constructor", "if": "toString", "with": {"__proto__": "with"}}`;
  return `"${name}": {"steps": [${name === 'constructor' ? step : `${step}, ${call}`}]}`;
}

const PRINTED = INHERITED.map((name) => `${name}=of ${name}`).toSorted();
const COMMAND = `env | grep -E '^(${INHERITED.join('|')})=' | sort`;

for (const name of ['__proto__', 'toString', '10']) {
  test(`'${name}' is an ordinary name of workflows, steps and variables`, async (t) => {
    const cwd = workflowDirectory(t, FILE);
    const ran = await cli(['workflow', 'run', name], { cwd, env: { LC_ALL: 'C' } });
    const called = PRINTED.map((line) => line.replace(/^__proto__=.*/, '__proto__=with'));
    const steps = [name, 'constructor'].map((step) => ({ name: step, command: COMMAND, exit_code: 0 }));
    assert.deepEqual(ran, {
      code: 0,
      signal: null,
      stdout: `${JSON.stringify({ workflow: name, steps, success: true })}\n`,
      stderr: `${[...PRINTED, ...called].join('\n')}\n`,
    });
  });
}

function entryText(name: string): string {
  const count = name === 'constructor' ? 1 : 2;
  return `{"name":"${name}","description":"","private":false,"step_count":${count}}`;
}

test('names that look like numbers stay in file order in a list', async (t) => {
  const cwd = workflowDirectory(t, FILE);
  const names = [...INHERITED, '10', '2', 'a b', '✓'];
  assert.deepEqual(await cli(['workflow', 'list'], { cwd }), {
    code: 0,
    signal: null,
    stdout: `[${names.map(entryText).join()}]\n`,
    stderr: '',
  });
});

test('a dry run shows a variable called __proto__, set by a parameter', async (t) => {
  const cwd = workflowDirectory(t, { workflows: { w: { steps: ['echo $__proto__ $constructor'] } } });
  const args = ['workflow', 'run', 'w', '--dry-run', '__proto__:1', 'constructor=2'];
  assert.equal(
    (await cli(args, { cwd })).stdout,
    '{"workflow":"w","dry_run":true,"steps":[{"name":"step_1","command":"echo $__proto__ $constructor","env":{"__proto__":"1","constructor":"2"}}]}\n',
  );
});

test('names of inherited properties are undefined unless the file defines them', async (t) => {
  const steps = INHERITED.map((name) => ({ if: name, run: `echo ${name} is set` }));
  const cwd = workflowDirectory(t, { workflows: { w: { steps } } });
  assert.deepEqual(await cli(['workflow', 'run', 'w'], { cwd }), {
    code: 0,
    signal: null,
    stdout: '{"workflow":"w","steps":[],"success":true}\n',
    stderr: '',
  });
  const tool = toolInProcess(t);
  for (const name of INHERITED) {
    assert.deepEqual(await tool(['workflow', 'run', name, '--file', '-'], { input: '{"workflows": {}}' }), {
      code: 2,
      stdout: '',
      stderr: `cli: no workflow '${name}' in <stdin>\ncli: to list the workflows: cli list --all --file -\n`,
    });
  }
});

/** Invalid names of variables, their form in messages, and the message. */
const NO_NAME = 'is not a valid variable name: use letters, digits and underscores, and do not start with a digit';
const FORBIDDEN = 'cannot be set: it is reserved for the shell or this tool';
const BAD_NAMES: readonly (readonly [name: string, shown: string, why: string])[] = [
  ['', '', NO_NAME],
  ['a-b', 'a-b', NO_NAME],
  ['1a', '1a', NO_NAME],
  ['a b', 'a…', NO_NAME],
  ['é', 'é', NO_NAME],
  ['BASH_FUNC_ls%%', 'BASH_FUNC_ls%%', NO_NAME],
  ...[
    'BASH_ENV',
    'SHELLOPTS',
    'BASHOPTS',
    'CLI_CALLER_DIR',
    'CLI_RUN_1_1',
    'CLI_OUTPUT_2',
    '_',
    'SHLVL',
    'BASH_ARGC',
    'BASH_ARGV',
  ]
    .concat(['BASH_LINENO', 'BASH_SOURCE'])
    .map((name) => [name, name, FORBIDDEN] as const),
];

/** Whether a line of stderr belongs to a code frame, which shows values that no secret name has. */
const isFrame = (line: string): boolean => /^ +\d* \| /.test(line);

for (const [name, shown, why] of BAD_NAMES) {
  test(`'${name}' is rejected as a variable in env, with and parameters, without quoting its value`, async (t) => {
    const tool = toolInProcess(t);
    const variables = { [name]: 'hidden-value' };
    const file = { env: variables, workflows: { w: { env: variables, steps: [{ run: ':', with: variables }] } } };
    const input = JSON.stringify(file);
    const validated = await tool(['workflow', 'validate', '--file', '-'], { input });
    assert.deepEqual(JSON.parse(validated.stdout), {
      valid: false,
      errors: [
        { workflow: '', message: `'${shown}' in 'env' ${why}` },
        { workflow: 'w', message: `'${shown}' in 'env' ${why}` },
        { workflow: 'w', message: `step 1: '${shown}' in 'with' ${why}` },
      ],
    });
    const run = await tool(['workflow', 'run', 'w', '--file', '-'], { input });
    assert.deepEqual([run.code, run.stdout], [2, '']);
    const messages = `${validated.stderr}${run.stderr}`.split('\n').filter((line) => !isFrame(line));
    assert.deepEqual([messages.length, messages.filter((line) => line.includes('hidden-value'))], [7, []]);
    const valid = { input: JSON.stringify({ workflows: { w: { steps: [':'] } } }) };
    const given = await tool(['workflow', 'run', 'w', '--file', '-', `${name}:hidden-value`], valid);
    const usage = why === NO_NAME ? 'cli: usage: cli run w --file -\n' : '';
    const stderr = `cli: the key of parameter 1 ('${name}') ${why}\n${usage}`;
    assert.deepEqual(given, { code: 2, stdout: '', stderr });
  });
}

test('a name that contains an equals sign is rejected as a variable', async (t) => {
  const tool = toolInProcess(t);
  const input = '{"env": {"A=B": "hidden-value"}, "workflows": {}}';
  const { code, stdout, stderr } = await tool(['workflow', 'validate', '--file', '-'], { input });
  const messages = stderr.split('\n').filter((line) => !isFrame(line));
  assert.deepEqual([code, messages], [1, [`<stdin>:1:10: error: 'A…' in 'env' ${NO_NAME}`, '']]);
  assert.equal(stdout, `{"valid":false,"errors":[{"workflow":"","message":"'A…' in 'env' ${NO_NAME}"}]}\n`);
});
