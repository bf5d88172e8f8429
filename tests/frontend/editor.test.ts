import assert from 'node:assert/strict';
import { test } from 'node:test';
import { completions, editorProblems, hoverText } from '../support/lsp/schema_editor.ts';

/** A file with the given steps. */
const steps = (text: string): string => `{"workflows": {"a": {"steps": [${text}]}}}`;

const MISTAKES: readonly (readonly [title: string, text: string, problems: readonly string[]])[] = [
  [
    'a field of another tool',
    steps('{"name": "x", "command": "make"}'),
    [
      `{"name": "x", "command": "make"}: Missing 'run' or 'workflow'.`,
      `"make": Unknown field 'command'; did you mean 'run'?`,
    ],
  ],
  [
    'a misspelt field',
    steps('{"run": "make", "timout": "5m"}'),
    [
      '"timout": Expected an object with the fields run, workflow, parallel, name, if, with, matrix, dir, secrets, sources, generates, outputs, retry, timeout, allow_failure, on_crash, on_resume, confirm, background, ready, max_parallel, fail_fast, output, or keys that start with x-.',
    ],
  ],
  ['a step that does nothing', steps('{"name": "x"}'), [`{"name": "x"}: Missing 'run' or 'workflow'.`]],
  [
    'a step that runs and calls',
    steps('{"run": "make", "workflow": "b"}'),
    [`"make": 'run' and 'workflow' are mutually exclusive.`],
  ],
  [
    'a call with a field for commands',
    steps('{"workflow": "b", "retry": {"max_attempts": 3, "delay": "1s"}}'),
    [`{"max_attempts": 3, "delay": "1s"}: Applies only to steps with 'run'.`],
  ],
  [
    'outputs without a name',
    steps('{"run": "make", "outputs": {"A": "$"}}'),
    ['{"run": "make", "outputs": {"A": "$"}}: Object is missing property name required by property outputs.'],
  ],
  [
    'a malformed duration',
    steps('{"run": "make", "timeout": "5 minutes"}'),
    ['"5 minutes": Must be a duration such as 500ms, 30s or 1h30m, at least 1ms and at most 24h.'],
  ],
  [
    'too few attempts',
    steps('{"run": "make", "retry": {"max_attempts": 1, "delay": "1s"}}'),
    ['1: Value is below the minimum of 2.'],
  ],
  ['a blank command', steps('" "'), ['" ": Must not be blank.']],
  ['a step that is a number', steps('5'), ['5: Must be a command (a string) or an object.']],
  [
    'a number as the value of a variable',
    '{"env": {"PORT": 80}, "workflows": {}}',
    ['80: Must be a string, in double quotes.'],
  ],
  [
    'an invalid name of a variable',
    '{"env": {"MY-PORT": "80"}, "workflows": {}}',
    ['"MY-PORT": Is not a valid variable name: use letters, digits and underscores, and do not start with a digit.'],
  ],
  [
    'a misspelt field of the file',
    '{"worklfows": {}}',
    [
      '{: Missing property "workflows".',
      '"worklfows": Expected an object with the fields $schema, default, agents, env, dotenv, include, secrets, before_all, after_all, error, finally, workflows, or keys that start with x-.',
    ],
  ],
  ['a workflow without steps', '{"workflows": {"a": {"description": "x"}}}', ['"a": Missing property "steps".']],
];

for (const [title, text, problems] of MISTAKES) {
  test(`VS Code explains ${title}`, async () => assert.deepEqual(await editorProblems(text), problems));
}

const PLACES: readonly (readonly [title: string, text: string, labels: readonly string[]])[] = [
  ['an empty file', '|', ['workflow file']],
  [
    'the fields of a file',
    '{|}',
    [
      '$schema',
      'default',
      'agents',
      'env',
      'dotenv',
      'include',
      'secrets',
      'before_all',
      'after_all',
      'error',
      'finally',
      'workflows',
    ],
  ],
  [
    'the fields of a workflow',
    '{"workflows": {"a": {|}}}',
    [
      'description',
      'private',
      'agents',
      'aliases',
      'inputs',
      'env',
      'dotenv',
      'dir',
      'error',
      'finally',
      'once',
      'logs',
      'lock',
      'steps',
    ],
  ],
  [
    'a first step',
    steps('|'),
    [
      'step',
      'step with a condition',
      'step with retry',
      'step with outputs',
      'step with a time limit',
      'call',
      'call with variables',
    ],
  ],
  ['the fields of a step', steps('{|}'), ['run', 'workflow', 'parallel', 'name', 'if', 'with', 'dir']],
  [
    'the fields of a command',
    steps('{"run": "make", |}'),
    [
      'secrets',
      'sources',
      'generates',
      'outputs',
      'retry',
      'timeout',
      'allow_failure',
      'on_crash',
      'on_resume',
      'confirm',
      'background',
      'ready',
      'matrix',
      'output',
      'name',
      'if',
      'with',
      'dir',
    ],
  ],
  ['the fields of a call', steps('{"workflow": "b", |}'), ['matrix', 'name', 'if', 'with', 'dir']],
  ['the fields of a retry', steps('{"run": "make", "retry": {|}}'), ['max_attempts', 'delay']],
  [
    'the value of a retry',
    steps('{"run": "make", "retry": |}'),
    ['3', '{"max_attempts":3,"delay":"10s"}', 'three attempts'],
  ],
  ['the value of a time limit', steps('{"run": "make", "timeout": |}'), ['"30s"', '"1h30m"']],
  ['the value of allow_failure', steps('{"run": "make", "allow_failure": |}'), ['false', 'true']],
  ['the value of on_crash', steps('{"run": "make", "on_crash": |}'), ['"ask"', '"rerun"', '"fail"']],
];

for (const [title, text, labels] of PLACES) {
  test(`VS Code completes ${title}`, async () => {
    assert.deepEqual(
      (await completions(text)).map(({ label }) => label),
      labels,
    );
  });
}

test('a snippet of VS Code has placeholders', async () => {
  const texts = new Map((await completions(steps('|'))).map(({ label, textEdit }) => [label, textEdit?.newText]));
  assert.equal(
    texts.get('step with outputs'),
    '{\n\t"name": "${1:name}",\n\t"run": "${2:command}",\n\t"outputs": {\n\t\t"${3:KEY}": "$.${4:path}"\n\t}\n}',
  );
});

test('VS Code shows a field with its description and an example', async () => {
  assert.deepEqual(await hoverText(steps('{"run": "make", "time|out": "5m"}')), [
    'The time limit of each attempt, at most 24h. When it expires, every process of the attempt is terminated.\n\n```json\n"timeout": "30s"\n```',
  ]);
});

test('VS Code accepts comments and trailing commas, as the tool does', async () => {
  assert.deepEqual(await editorProblems(`// A file.\n${steps('"make",')}`), []);
});
