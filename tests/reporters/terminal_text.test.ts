import assert from 'node:assert/strict';
import { test } from 'node:test';
import { temporaryDirectory, workflowDirectory } from '../support/cli.ts';
import { toolInProcess, quickCli as cli } from '../support/in_process.ts';

/** Characters that a terminal interprets or does not show: all controls except the line feed, and others. */
const OBEYED =
  /[^\P{Cc}\n]|[\ufe00\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\u{e0000}-\u{e007f}]/u;

/** Names may hold hidden characters, but no controls. */
const NAME = 'a\u202eb\u2066c\u200b\u200d\u2060\ufeff\u00ad\u180e\ufe00\u{e0001}\u{e0041}\u{e007f}';
const ESCAPES = `\x1b[2J\x1b]0;title\x07\r\x9b31m\u202eback\u2066${NAME}`;
const FILE = {
  env: { V: `${ESCAPES}value` },
  before_all: `: '${ESCAPES}' before`,
  error: `: '${ESCAPES}'\n: error`,
  workflows: {
    [NAME]: {
      description: `${ESCAPES}description`,
      steps: [
        { name: NAME, run: `: '${ESCAPES}'`, if: `: '${ESCAPES}'`, with: { W: ESCAPES } },
        { workflow: `${NAME}2` },
      ],
    },
    [`${NAME}2`]: { steps: [`: '${ESCAPES}'; exit 3`] },
  },
};

for (const [args, code] of [
  [['workflow', 'run', NAME, '--dry-run'], 0],
  [['workflow', 'run', NAME, '--dry-run', '--debug', '--pretty', `P:${ESCAPES}`], 0],
  [['workflow', 'run', NAME, '--debug', `P:${ESCAPES}`], 1],
  [['workflow', 'list', '--pretty'], 0],
  [['workflow', 'run', `${ESCAPES}missing`], 2],
  [['workflow', 'run', NAME, `${ESCAPES}:x`, ESCAPES, `--${ESCAPES}`], 2],
  [[ESCAPES], 2],
  [['workflow', 'validate', '--file', ESCAPES], 2],
] as const) {
  test(`no control characters are printed by: cli ${JSON.stringify(args)}`, async (t) => {
    const cwd = workflowDirectory(t, FILE);
    const result = await cli(args, { cwd });
    assert.equal(result.code, code);
    const lines = `${result.stdout}${result.stderr}`.split('\n');
    assert.deepEqual(
      lines.filter((line) => OBEYED.test(line)),
      [],
    );
  });
}

test('a JSON parser restores escaped texts', async (t) => {
  const input = JSON.stringify(FILE);
  const { stdout } = await toolInProcess(t)(['workflow', 'list', '--file', '-'], { input });
  const entry = { private: false, step_count: 1 };
  assert.deepEqual(JSON.parse(stdout), [
    { ...entry, name: NAME, description: `${ESCAPES}description`, step_count: 2 },
    { ...entry, name: `${NAME}2`, description: '' },
  ]);
});

test('a description is visibly escaped in the document', async (t) => {
  const workflows = { w: { description: 'a\x1b[31m\r\x9b\u202eb', steps: [] } };
  const cwd = workflowDirectory(t, { workflows });
  assert.equal(
    (await cli(['workflow', 'list'], { cwd })).stdout,
    String.raw`[{"name":"w","description":"a\u001b[31m\r\u009b\u202eb","private":false,"step_count":0}]` + '\n',
  );
});

for (const [what, input] of [
  ['names with control characters', { workflows: { [ESCAPES]: { steps: [{ name: ESCAPES, run: 'x' }] } } }],
  ['fields with control characters', { [ESCAPES]: 1, workflows: { w: { [ESCAPES]: 1, steps: [] } } }],
  ['variables with control characters', { env: { [ESCAPES]: 'x' }, workflows: {} }],
  ['a call of a name with escapes', { workflows: { w: { steps: [{ workflow: NAME }] } } }],
  ['a cycle of names with escapes', { workflows: { [NAME]: { steps: [{ workflow: NAME }] } } }],
  ['raw escapes in a string', `{"workflows": {"w": {"steps": ["${ESCAPES}"]}}}`],
  ['raw escapes outside of strings', `{"workflows": ${ESCAPES} {}}`],
  ['raw escapes in a comment', `{"x": /* ${ESCAPES} */ 1, "workflows": {}}`],
] as const) {
  test(`errors in a file contain no control characters: ${what}`, async (t) => {
    const tool = toolInProcess(t);
    const text = typeof input === 'string' ? input : JSON.stringify(input).replaceAll('\\u202e', '\u202e');
    for (const words of [['validate'], ['run', 'w'], ['list', '--pretty']]) {
      const args = ['workflow', ...words, '--file', '-'];
      const { stdout, stderr } = await tool(args, { input: text });
      assert.deepEqual(
        `${stdout}${stderr}`.split('\n').filter((line) => OBEYED.test(line)),
        [],
      );
    }
  });
}

/** A CI service interprets lines that begin with two colons, after optional spaces, and `##[` anywhere. */
const COMMAND_LINE = /^\s*::|##\[/;
const CI_NAME = '::error::x ##[error]y';

test('no line of cli is a command to a CI service, regardless of the names of steps and workflows', async (t) => {
  const cwd = temporaryDirectory(t, {
    '.cli/workflow.json': {
      before_all: ':',
      workflows: {
        [CI_NAME]: {
          description: CI_NAME,
          steps: [
            { name: CI_NAME, run: ':', if: ':' },
            { workflow: '::stop-commands::y', if: 'V' },
            { name: CI_NAME, run: ': ; exit 3' },
          ],
        },
        '::stop-commands::y': { steps: [{ name: '  ::add-mask::z', run: `: \n${CI_NAME}` }] },
      },
    },
    '::error::broken.json': '{"workflows": {"w": {"steps": ["::error::x", 1]}}}',
  });
  for (const words of [
    ['run', CI_NAME, 'V:1'],
    ['run', CI_NAME, '--debug'],
    ['run', CI_NAME, '--dry-run', '--pretty'],
    ['run', CI_NAME, '--dry-run', '--debug'],
    ['run', '::error::missing'],
    ['list', '--pretty'],
    ['validate', '--file', './::error::broken.json'],
    ['validate', '--file', '::error::broken.json'],
  ]) {
    const { stdout, stderr } = await cli(['workflow', ...words], { cwd });
    const obeyed = `${stdout}\n${stderr}`.split('\n').filter((line) => COMMAND_LINE.test(line));
    assert.deepEqual(obeyed, [], words.join(' '));
  }
});
