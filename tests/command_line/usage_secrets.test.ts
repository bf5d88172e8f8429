import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cli, folder } from '../support/cli.ts';
import { toolInProcess } from '../support/in_process.ts';

const SECRET = 'hush5ecret';

/** Command lines in which a secret stands where it must not, and is never repeated. */
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
  test(`a usage error keeps what follows the sign to itself: cli ${args.join(' ')}`, async (t) => {
    const input = '{"workflows": {"w": {"steps": []}}}';
    const { code, stdout, stderr } = await toolInProcess(t)(args, { input });
    assert.deepEqual([code, stdout], [2, '']);
    assert.deepEqual(
      stderr.split('\n').filter((line) => line.includes(SECRET)),
      [],
    );
  });
}

/** Words that look like secrets themselves. */
const TOKENS = [
  'ghp_16C7e42F292c6912E7710c838347Ae178B4a',
  'sk-live-4eC39HqLyjWDarjtT1zdp7dc',
  'AKIAIOSFODNN7EXAMPLE',
  'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.dozjgNryP4J3jVmNHl0w5N',
  'x'.repeat(64),
  'my_password_is_this',
];

for (const token of TOKENS) {
  test(`a usage error shows stars for a word that looks like a secret: ${token}`, async (t) => {
    const tool = toolInProcess(t);
    const help = "cli: see 'cli --help'";
    const runHelp = "cli: see 'cli workflow run --help'";
    const said = async (args: readonly string[]): Promise<string[]> =>
      (await tool(args, { input: '{"workflows": {}}' })).stderr.trimEnd().split('\n');
    assert.deepEqual(await said([token]), [
      "cli: unknown command '***'; commands: workflow run, workflow list, workflow validate, workflow explain, workflow graph, workflow schema, workflow init, auth status, completion bash, completion zsh, completion fish",
      help,
    ]);
    assert.deepEqual(await said(['workflow', 'list', token]), [
      "cli: unexpected argument '***'",
      "cli: see 'cli workflow list --help'",
    ]);
    assert.deepEqual(await said(['workflow', 'run', 'w', token]), [
      "cli: parameter 1 ('***') is not of the form KEY:VALUE",
    ]);
    assert.deepEqual(await said(['workflow', 'run', 'w', `--${token}`]), ["cli: unknown flag '***'", runHelp]);
    assert.deepEqual(await said(['workflow', 'run', token, '--file', '-']), [
      "cli: no workflow '***' in <stdin>",
      'cli: to list the workflows: cli workflow list --all --file -',
    ]);
  });
}

test('the real process keeps a secret in a wrong place to itself, with --debug too', async (t) => {
  const args = ['workflow', 'run', 'w', `API-KEY:${SECRET}`, '--debug'];
  assert.deepEqual(await cli(args, { cwd: folder(t) }), {
    code: 2,
    signal: null,
    stdout: '',
    stderr:
      "cli: the key of parameter 1 ('***') is not a valid variable name: use letters, digits and underscores, and do not start with a digit\n",
  });
});

test('a value that stands apart from the name of its secret is not repeated', async (t) => {
  const tool = toolInProcess(t);
  for (const words of [
    ['DB_PASSWORD:', 'hunter2'],
    ['API_TOKEN', 'hunter2'],
  ]) {
    const { code, stdout, stderr } = await tool(['workflow', 'run', 'w', ...words]);
    assert.deepEqual([code, stdout, stderr.includes('hunter2')], [2, '', false], stderr);
  }
});
