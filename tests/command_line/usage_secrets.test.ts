import assert from 'node:assert/strict';
import { test } from 'node:test';
import { workflowDirectory } from '../support/cli.ts';
import { quickCli as cli, toolInProcess } from '../support/in_process.ts';

const SECRET = 'hush5ecret';
const RUN_HELP = "cli: see 'cli workflow run --help'";
const VARIABLE_NAME =
  'is not a valid variable name: use letters, digits and underscores, and do not start with a digit';

/** Command lines with a secret in a wrong place. */
const SLIPS: readonly (readonly string[])[] = [
  ['workflow', 'run', 'w', `a-b:${SECRET}`],
  ['workflow', 'run', 'w', `:${SECRET}`, `=${SECRET}`, `1A=${SECRET}`],
  ['workflow', 'run', 'w', `API TOKEN=${SECRET}`],
  ['workflow', 'run', 'w', `BASH_FUNC_ls%%:${SECRET}`, `BASH_ENV:${SECRET}`],
  ['workflow', 'run', 'w', `a b:x:${SECRET}=${SECRET}`],
  ['workflow', 'run', 'w', `--token=${SECRET}`],
  ['workflow', 'run', 'w', `--K:${SECRET}`],
  ['workflow', 'run', 'w', `-K=${SECRET}`],
  ['workflow', 'run', 'w', `--dry-run=${SECRET}`],
  ['workflow', 'run', 'w', `--=${SECRET}`],
  ['workflow', 'run', `TOKEN:${SECRET}`, '--file', '-'],
  ['workflow', 'run', `TOKEN=${SECRET}`, 'K:V', '--file', '-'],
  ['workflow', 'list', `TOKEN:${SECRET}`],
  ['workflow', 'validate', `K=${SECRET}`],
  ['workflow', `TOKEN:${SECRET}`],
  [`TOKEN=${SECRET}`],
  [`--TOKEN=${SECRET}`],
  ['auth', 'status', `CLI_PRIVATE_KEY=${SECRET}`],
];

for (const args of SLIPS) {
  test(`a usage error does not repeat the text after the sign: cli ${args.join(' ')}`, async (t) => {
    const input = '{"workflows": {"w": {"steps": []}}}';
    const { code, stdout, stderr } = await toolInProcess(t)(args, { input });
    assert.deepEqual([code, stdout], [2, '']);
    assert.deepEqual(
      stderr.split('\n').filter((line) => line.includes(SECRET)),
      [],
    );
  });
}

/** Words that look like secrets. */
const TOKENS = [
  'ghp_16C7e42F292c6912E7710c838347Ae178B4a',
  'sk-live-4eC39HqLyjWDarjtT1zdp7dc',
  'AKIAIOSFODNN7EXAMPLE',
  'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.dozjgNryP4J3jVmNHl0w5N',
  'x'.repeat(64),
  'my_password_is_this',
];

for (const token of TOKENS) {
  test(`a usage error masks a word that looks like a secret: ${token}`, async (t) => {
    const tool = toolInProcess(t);
    const help = "cli: see 'cli --help'";
    const runHelp = "cli: see 'cli workflow run --help'";
    const errorLines = async (args: readonly string[]): Promise<string[]> =>
      (await tool(args, { input: '{"workflows": {"w": {"steps": []}}}' })).stderr.trimEnd().split('\n');
    assert.deepEqual(await errorLines([token]), [
      "cli: unknown command '***'",
      'cli: to run a workflow: cli run <name>',
      help,
    ]);
    assert.deepEqual(await errorLines(['workflow', 'list', token]), [
      "cli: unexpected argument '***'",
      "cli: see 'cli workflow list --help'",
    ]);
    assert.deepEqual(await errorLines(['workflow', 'run', 'w', token, '--file', '-']), [
      "cli: parameter 1 ('***') is not of the form KEY:VALUE",
      'cli: usage: cli run w --file -',
    ]);
    assert.deepEqual(await errorLines(['workflow', 'run', 'w', `--${token}`]), ["cli: unknown flag '***'", runHelp]);
    assert.deepEqual(await errorLines(['workflow', 'run', token, '--file', '-']), [
      "cli: no workflow '***' in <stdin>",
      'cli: to list the workflows: cli list --all --file -',
    ]);
  });
}

test('the real process masks a secret in a wrong place, even with --debug', async (t) => {
  const args = ['workflow', 'run', 'w', `API-KEY:${SECRET}`, '--debug'];
  const cwd = workflowDirectory(t, { workflows: { w: { steps: [] } } });
  assert.deepEqual(await cli(args, { cwd }), {
    code: 2,
    signal: null,
    stdout: '',
    stderr:
      "cli: the key of parameter 1 ('***') is not a valid variable name: use letters, digits and underscores, and do not start with a digit\ncli: usage: cli run w\n",
  });
});

const USAGE = 'cli: usage: cli run w --file -';

/** Command lines with a value separate from the name of its secret, and standard error. */
const APART: readonly (readonly [words: readonly string[], stderr: string])[] = [
  [['run', 'w', 'DB_PASSWORD:', 'hush', '--file', '-'], `parameter 2 ('***') is not of the form KEY:VALUE\n${USAGE}`],
  [
    ['run', 'w', 'API_TOKEN', 'hush', '--file', '-'],
    `parameter 1 ('***') is not of the form KEY:VALUE\ncli: parameter 2 ('***') is not of the form KEY:VALUE\n${USAGE}`,
  ],
  [
    ['run', 'w', 'API_TOKEN', ':', 'hush', '--file', '-'],
    "parameter 1 ('***') is not of the form KEY:VALUE\n" +
      `cli: the key of parameter 2 ('***') ${VARIABLE_NAME}\n` +
      `cli: parameter 3 ('***') is not of the form KEY:VALUE\n${USAGE}`,
  ],
  [
    ['run', 'w', 'PASSPHRASE:correct horse', 'hush', 'STAGE:x', '--file', '-'],
    `parameter 2 ('***') is not of the form KEY:VALUE\n${USAGE}`,
  ],
  [
    ['run', 'w', 'API_TOKEN:x', 'hush-hush:x', '--file', '-'],
    `the key of parameter 2 ('***') ${VARIABLE_NAME}\n${USAGE}`,
  ],
  [['run', 'w', 'API_TOKEN', '--hush'], `unknown flag '***'\n${RUN_HELP}`],
  [['run', 'w', '--file=API_TOKEN', '--hush'], `unknown flag '***'\n${RUN_HELP}`],
  [['run', 'w', '--fiel', 'x'], `unknown flag '--fiel'; did you mean '--file'?\n${RUN_HELP}`],
  [['list', '--file', 'API_TOKEN', 'hush'], "unexpected argument '***'\ncli: see 'cli workflow list --help'"],
  [
    ['list', 'API_TOKEN', 'hush', 'STAGE:hush'],
    "unexpected argument '***'\ncli: unexpected argument '***'\ncli: unexpected argument 'STAGE…'\n" +
      "cli: see 'cli workflow list --help'",
  ],
  [
    ['list', '--file', 'ops/rotate-token.json', 'more'],
    "unexpected argument 'more'\ncli: see 'cli workflow list --help'",
  ],
  [['list', '--file', 'API_TOKEN:hush'], 'cannot read API_TOKEN:***: it does not exist'],
  [['run', 'hush', '--file', 'API_TOKEN'], 'cannot read API_TOKEN: it does not exist'],
  [['init', '--from', 'PASSWORD=hush'], 'cannot read PASSWORD=***: it does not exist'],
  [['explain', 'w', 'API_TOKEN', 'hush', '--file', '-'], `parameter 1 ('***') is not of the form KEY:VALUE\n${USAGE}`],
];

for (const [words, message] of APART) {
  test(`a value separate from the name of its secret is masked: cli workflow ${words.join(' ')}`, async (t) => {
    const input = '{"workflows": {"w": {"steps": []}}}';
    const { code, stdout, stderr } = await toolInProcess(t)(['workflow', ...words], { input });
    assert.deepEqual([code, stdout, stderr], [2, '', `cli: ${message}\n`]);
  });
}

test('a workflow whose name follows the name of a secret is masked, and nothing is suggested for it', async (t) => {
  const args = ['workflow', 'run', '--file', '-', '--report', 'API_TOKEN', 'hush'];
  const { stderr } = await toolInProcess(t)(args, { input: '{"workflows": {"hash": {"steps": []}}}' });
  assert.equal(stderr.split('\n')[0], "cli: no workflow '***' in <stdin>");
});

test('a mistyped command after `auth` is shown', async (t) => {
  const { stderr } = await toolInProcess(t)(['auth', 'statsu']);
  assert.equal(stderr.split('\n')[0], "cli: unknown command 'auth statsu'; did you mean 'auth status'?");
});
