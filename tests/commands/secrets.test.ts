import assert from 'node:assert/strict';
import { test } from 'node:test';
import { workflowDirectory } from '../support/cli.ts';
import { toolInProcess, quickCli as cli } from '../support/in_process.ts';

/** The prefix of every secret, whatever its source. */
const MARK = 'S3cr3t';

const secret = (place: string): string => `${MARK}-${place}`;

/** Secrets in every place of a file, the parameters and the environment. */
const FILE = {
  env: { API_TOKEN: secret('global'), PLAIN: 'plain' },
  before_all: 'test "$API_TOKEN"',
  after_all: 'test "$DB_PASSWORD"',
  error: 'test "$CLI_PRIVATE_KEY"',
  workflows: {
    all: {
      env: { DB_PASSWORD: secret('workflow'), MY_SECRET: secret('inner') },
      steps: [
        'test "$API_TOKEN"',
        { name: 'long', run: 'test "$MY_SECRET"', if: 'MY_SECRET', with: { MY_SECRET: secret('with') } },
        { workflow: 'called', if: 'test "$API_KEY"', with: { API_KEY: secret('call') } },
        { run: 'test', if: 'GITHUB_PAT', with: { GITHUB_PAT: '' } },
      ],
    },
    called: { private: true, env: { SSH_KEY: secret('called') }, steps: ['test "$SSH_KEY"'] },
    fails: { env: { PRIVATE_KEY: secret('fails') }, steps: ['exit 3'] },
    large: { steps: [{ run: 'true', with: { AUTH_TOKEN: MARK + 'x'.repeat(131_072) } }] },
  },
};

const PARAMS = [`AUTH:${secret('param')}`, `API_TOKEN=${secret('param')}`, `RELEASE_JWT:${secret('jwt')}`];
const ENV = {
  CLI_KEY_ID: 'key',
  CLI_ISSUER_ID: 'issuer',
  CLI_PRIVATE_KEY: secret('key'),
  CLI_PRIVATE_KEY_B64: Buffer.from(secret('key')).toString('base64'),
  NPM_TOKEN: secret('npm'),
};

for (const [args, code] of [
  [['workflow', 'run', 'all', ...PARAMS], 0],
  [['workflow', 'run', 'all', ...PARAMS, '--debug'], 0],
  [['workflow', 'run', 'all', ...PARAMS, '--dry-run', '--debug', '--pretty'], 0],
  [['workflow', 'run', 'fails', ...PARAMS, '--debug'], 1],
  [['workflow', 'run', 'large', '--debug'], 1],
  [['workflow', 'run', 'missing', ...PARAMS], 2],
  [['workflow', 'explain', 'all', ...PARAMS, '--debug'], 0],
  [['workflow', 'explain', 'all', 'CLI_PRIVATE_KEY', ...PARAMS, '--format', 'json'], 0],
  [['workflow', 'explain', 'all', `${MARK}ab12cd34ef56`], 0],
  [['workflow', 'graph', 'all', '--debug'], 0],
  [['workflow', 'graph', 'all', '--format', 'dot'], 0],
  [['workflow', 'list', '--all', '--debug'], 0],
  [['workflow', 'validate', '--debug'], 0],
  [['auth', 'status', '--debug'], 0],
] as const) {
  test(`no secret is printed by: cli ${args.map((word) => word.replace(/S3cr3t.*/, '…')).join(' ')}`, async (t) => {
    const cwd = workflowDirectory(t, FILE);
    const result = await cli(args, { cwd, env: ENV });
    assert.equal(result.code, code);
    const printed = `${result.stdout}${result.stderr}`;
    const encoded = ENV.CLI_PRIVATE_KEY_B64.slice(0, 8);
    const leaks = printed.split('\n').filter((line) => line.includes(MARK) || line.includes(encoded));
    assert.deepEqual(leaks, []);
  });
}

test('a dry run masks each secret, and shows every other value', async (t) => {
  const tool = toolInProcess(t);
  const args = ['workflow', 'run', 'called', '--dry-run', '--file', '-', ...PARAMS, 'PLAIN:new'];
  const { stdout } = await tool(args, { input: JSON.stringify(FILE), env: ENV });
  const env = { AUTH: '***', API_TOKEN: '***', RELEASE_JWT: '***', PLAIN: 'new', SSH_KEY: '***' };
  assert.deepEqual(JSON.parse(stdout), {
    workflow: 'called',
    dry_run: true,
    before_all: { command: FILE.before_all },
    steps: [{ name: 'step_1', command: 'test "$SSH_KEY"', env }],
    after_all: { command: FILE.after_all },
    error: { command: FILE.error },
  });
});

const S = secret('value');

/** Invalid files with the secret on or next to the line of the error. */
const WRONG: Readonly<Record<string, string>> = {
  'a missing comma after the value': `{"env": {"TOKEN": "${S}" "B": "b"}, "workflows": {}}`,
  'a missing comma before the value': `{"env": {"B": "b" "TOKEN": "${S}"}, "workflows": {}}`,
  'a missing colon': `{"env": {"TOKEN" "${S}"}, "workflows": {}}`,
  'an equals sign': `{"env": {"TOKEN" = "${S}"}, "workflows": {}}`,
  'single quotes': `{"env": {'TOKEN': '${S}'}, "workflows": {}}`,
  'a value in single quotes': `{"env": {"TOKEN": '${S}'}, "workflows": {}}`,
  'a value in single quotes with a comma': `{"env": {"TOKEN": 'a,${S}'}, "workflows": {}}`,
  'a value in single quotes with a brace': `{"env": {"TOKEN": 'a}${S}'}, "workflows": {}}`,
  'a value in backquotes with brackets': `{"env": {"TOKEN": \`a]},${S}\`}, "workflows": {}}`,
  'no quotes': `{"env": {TOKEN: ${S}}, "workflows": {}}`,
  'no quotes and an equals sign': `{"env": {TOKEN=${S}}, "workflows": {}}`,
  'a value without quotes': `{"env": {"TOKEN": ${S}}, "workflows": {}}`,
  'a value without quotes, with spaces': `{"env": {"TOKEN": Bearer ${S} ${S}}, "workflows": {}}`,
  'a quote that is not closed': `{"env": {"TOKEN": "${S}}, "workflows": {}}`,
  'a quote inside the value': `{"env": {"TOKEN": "a"${S}"b"}, "workflows": {}}`,
  'a line break inside the value': `{"env": {"TOKEN": "${S}\n${S},\n${S}"}, "workflows": {}}`,
  'a bad escape inside the value': `{"env": {"TOKEN": "${S}\\x"}, "workflows": {}}`,
  'the value on the next line': `{"env": {"TOKEN":\n"${S}" "B": 1}, "workflows": {}}`,
  'a comment before the value': `{"env": {"TOKEN": // so, there\n"${S}" "B": 1}, "workflows": {}}`,
  'a block comment before the value': `{"env": {"TOKEN": /* a, b */ "${S}" "B": 1}, "workflows": {}}`,
  'a value in an array': `{"env": {"TOKEN": ["a", "${S}"]}, "workflows": {}}`,
  'a value in an object': `{"env": {"TOKEN": {"value": {"a": "${S}"}, "b": "${S}"}}, "workflows": {}}`,
  'a value as a key': `{"env": {"TOKEN": {"${S}": 1}}, "workflows": {}}`,
  'a number next to the value': `{"env": {"TOKEN": "${S}", "B": 1}, "workflows": {}}`,
  'a duplicate key': `{"env": {"TOKEN": "${S}", "TOKEN": "${S}"}, "workflows": {}}`,
  'a key with an escape': `{"env": {"TO\\u004bEN": "${S}", "B": 1}, "workflows": {}}`,
  'a name with a dash': `{"env": {"API-KEY": "${S}"}, "workflows": {}}`,
  'assignments in an array': `{"env": ["TOKEN=${S}"], "workflows": {}}`,
  'assignments in a string': `{"env": "TOKEN=${S}", "workflows": {}}`,
  'an assignment as a key': `{"env": {"TOKEN=${S}": ""}, "workflows": {}}`,
  'names and values in an array': `{"env": [{"name": "TOKEN", "value": "${S}"}], "workflows": {}}`,
  'a NUL in the value': `{"env": {"TOKEN": "${S}\\u0000"}, "workflows": {}}`,
  'an unknown field on a step': `{"workflows": {"w": {"steps": [{"run": "x", "TOKEN": "${S}"}]}}}`,
  'a wrong type in with': `{"workflows": {"w": {"steps": [{"run": "x", "with": {"TOKEN": ["${S}"]}}]}}}`,
  'a missing bracket after the value': `{"env": {"TOKEN": "${S}", "workflows": {}`,
  'a surplus bracket after the value': `{"env": {"TOKEN": "${S}"}}, "workflows": {}}`,
  'a lone surrogate next to the value': `{"env": {"A": "\\ud800", "TOKEN": "${S}"}, "workflows": {}}`,
};

for (const [what, input] of Object.entries(WRONG)) {
  test(`no secret is printed for an invalid file with ${what}`, async (t) => {
    const tool = toolInProcess(t);
    for (const words of [['validate'], ['list'], ['run', 'w', '--debug']]) {
      const { code, stdout, stderr } = await tool(['workflow', ...words, '--file', '-'], { input });
      assert.equal(code, words[0] === 'validate' ? 1 : 2);
      const lines = `${stdout}${stderr}`.split('\n');
      assert.deepEqual(
        lines.filter((line) => line.includes(MARK) || line.includes(S.slice(-6))),
        [],
      );
    }
  });
}
