/* Who gets a secret: each error, with its place. */
import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { temporaryDirectory } from '../support/cli.ts';
import { inProcess } from '../support/in_process.ts';

const HEAD = [
  '{ "secrets": { "KEY": { "command": ["op", "${vars.KEY}"] }, "OTHER": { "command": ["op"] } },',
  '"include": { "lib": "lib.json" },',
  '"env": { "STAGE": "dev", "KEY": "x" },',
  '"error": { "run": "a ${KEY:?}", "secrets": ["KEYS"] },',
  '"workflows": { "ci": {',
  '"env": { "KEY": "x" }, "inputs": { "KEY": { "required": true } },',
  '"steps": [',
];

const STEPS = [
  '{ "run": "a", "secrets": ["KEY"], "with": { "KEY": "x" } },',
  '{ "run": "a", "secrets": ["KEY"], "with": { "OWN": "${vars.KEY}" } },',
  '{ "run": "a", "secrets": ["KEY"], "matrix": { "KEY": ["x"] } },',
  '{ "run": "a", "secrets": ["KEY"], "dir": "${vars.KEY}" },',
  '{ "run": "a $KEY", "secrets": ["KEY"], "if": "KEY" },',
  '{ "run": "a $KEY", "secrets": ["KEY"], "if": "test -n \\"$KEY\\"" },',
  '{ "run": "a \\"$KEY\\" && KEY=b" },',
  '{ "run": "a \'$KEY\'; KEY=b; c $KEY" },',
  '"a | b $KEY",',
  '{ "parallel": ["a $KEY"] },',
  '{ "workflow": "lib:w", "with": { "KEY": "x" } }',
];

const LIB = '{ "env": { "KEY": "y" }, "workflows": { "w": { "steps": ["a $KEY", { "run": "a", "if": "KEY" }] } } }';

const SET = "'KEY' is a secret of the file, and cannot be set here";
const UNLISTED = 'the command uses the secret $KEY without listing it;';
const ADD = 'add "secrets": ["KEY"], or do not mention it';
const CONDITION = "'if' uses the secret $KEY, and conditions get no secrets";

const OF_HEAD = [
  `1:43: error: ${SET}`,
  `3:33: error: ${SET}`,
  `4:22: error: ${UNLISTED} ${ADD}`,
  "4:45: error: 'secrets': unknown secret 'KEYS'; did you mean 'KEY'?",
  `6:17: error: workflow 'ci': ${SET}`,
  `6:36: error: workflow 'ci': ${SET}`,
].map((line) => `.cli/workflow.json:${line}`);

const OF_LIB = [
  `.cli/lib.json:1:19: error: ${SET}`,
  `.cli/lib.json:1:61: error: workflow 'lib:w': step 1: the command uses the secret $KEY of .cli/workflow.json without listing it; declare it in "secrets" of .cli/lib.json, and ${ADD}`,
  `.cli/lib.json:1:88: error: workflow 'lib:w': step 2: ${CONDITION}`,
];

/** The errors and warnings of `validate`, without the lines that they quote. */
async function messages(t: TestContext, lines: readonly string[]): Promise<readonly string[]> {
  const cwd = temporaryDirectory(t, { '.cli/workflow.json': [...lines, '] } } }'].join('\n'), '.cli/lib.json': LIB });
  const { stdout } = await inProcess(t, ['validate'], { cwd });
  return stdout.split('\n').filter((line) => /: (?:error|warning): /.test(line));
}

test('only the section secrets sets a secret, and only commands that list it can use it', async (t) => {
  const errors = [
    `8:52: error: workflow 'ci': step 1: ${SET}`,
    `9:52: error: workflow 'ci': step 2: ${SET}`,
    `10:55: error: workflow 'ci': step 3: ${SET}`,
    `11:42: error: workflow 'ci': step 4: ${SET}`,
    `12:46: error: workflow 'ci': step 5: ${CONDITION}`,
    `13:46: error: workflow 'ci': step 6: ${CONDITION}`,
    `14:15: error: workflow 'ci': step 7: ${UNLISTED} ${ADD}`,
    `16:8: error: workflow 'ci': step 9: ${UNLISTED} ${ADD}`,
    `17:19: error: workflow 'ci': step 10.1: ${UNLISTED} ${ADD}`,
    `18:41: error: workflow 'ci': step 11: ${SET}`,
  ];
  assert.deepEqual(await messages(t, [...HEAD, ...STEPS]), [
    ...OF_HEAD,
    ...errors.map((line) => `.cli/workflow.json:${line}`),
    ...OF_LIB,
    ".cli/workflow.json:1:61: warning: no command lists the secret 'OTHER'",
  ]);
});

test('calls and groups list no secrets, and all other mistakes with secrets are reported beside that', async (t) => {
  const steps = ['{ "parallel": ["a"], "secrets": ["KEY"] },', '{ "workflow": "lib:w", "secrets": ["KEY"] }'];
  const message = "'secrets' applies only to steps with 'run'; set it on the steps of the called workflow";
  assert.deepEqual(await messages(t, [...HEAD, ...steps]), [
    ...OF_HEAD,
    `.cli/workflow.json:8:22: error: workflow 'ci': step 1: ${message}`,
    `.cli/workflow.json:9:24: error: workflow 'ci': step 2: ${message}`,
    ...OF_LIB,
  ]);
});

test('a step that is not valid keeps its number, so that secrets of later steps and members are reported with theirs', async (t) => {
  const steps = ['5,', '{ "name": "none" },', '{ "parallel": [true, "a $KEY"], "run": "a" },', '"a $KEY"'];
  const found = await messages(t, [...HEAD, ...steps]);
  const unlisted = found.filter((line) => /^\.cli\/workflow.* step .* without listing/.test(line));
  assert.deepEqual(unlisted, [
    `.cli/workflow.json:10:25: error: workflow 'ci': step 3.2: ${UNLISTED} ${ADD}`,
    `.cli/workflow.json:11:4: error: workflow 'ci': step 4: ${UNLISTED} ${ADD}`,
  ]);
});
