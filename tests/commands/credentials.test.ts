import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { test, type TestContext } from 'node:test';
import { temporaryDirectory, workflowDirectory, type CommandResult } from '../support/cli.ts';
import { inProcess, quickCli as cli } from '../support/in_process.ts';
import { ci } from '../support/workflow.ts';

const PEM = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  .privateKey.export({ type: 'pkcs8', format: 'pem' })
  .toString();
const BASE64 = Buffer.from(PEM).toString('base64');

interface Credentials {
  readonly CLI_KEY_ID?: string;
  readonly CLI_ISSUER_ID?: string;
  readonly CLI_PRIVATE_KEY?: string;
  readonly CLI_PRIVATE_KEY_B64?: string;
}
const IDS = { CLI_KEY_ID: 'key-7', CLI_ISSUER_ID: 'issuer-9' };

function status(t: TestContext, credentials: Credentials): Promise<CommandResult> {
  return inProcess(t, ['auth', 'status'], { cwd: temporaryDirectory(t), env: { ...credentials } });
}

function answered(document: object, code: number, ...messages: string[]): CommandResult {
  const stderr = messages.map((line) => `cli: ${line}\n`).join('');
  return { code, signal: null, stdout: `${JSON.stringify(document)}\n`, stderr };
}

const IDS_SHOWN = { key_id: 'key-7', issuer_id: 'issuer-9' };

test('`auth status` with all credentials prints the identifiers, and the name of the key variable', async (t) => {
  const variable = 'CLI_PRIVATE_KEY';
  const document = { authenticated: true, ...IDS_SHOWN, private_key: variable };
  assert.deepEqual(await status(t, { ...IDS, [variable]: PEM }), answered(document, 0));
});

test('CLI_PRIVATE_KEY_B64 is decoded, and its line breaks are ignored', async (t) => {
  const broken = BASE64.replaceAll(/.{64}/g, '$&\n');
  const document = { authenticated: true, ...IDS_SHOWN, private_key: 'CLI_PRIVATE_KEY_B64' };
  const seen = await status(t, { ...IDS, CLI_PRIVATE_KEY_B64: broken });
  assert.deepEqual(seen, answered(document, 0));
});

test('CLI_PRIVATE_KEY has precedence over CLI_PRIVATE_KEY_B64', async (t) => {
  const document = { authenticated: true, ...IDS_SHOWN, private_key: 'CLI_PRIVATE_KEY' };
  const both = { CLI_PRIVATE_KEY: PEM, CLI_PRIVATE_KEY_B64: 'not base64' };
  assert.deepEqual(await status(t, { ...IDS, ...both }), answered(document, 0));
});

test('an undecodable CLI_PRIVATE_KEY_B64 does not count as a key', async (t) => {
  const document = { authenticated: false, ...IDS_SHOWN, private_key: null };
  const seen = await status(t, { ...IDS, CLI_PRIVATE_KEY_B64: 'hunter2!' });
  const message = 'not authenticated: CLI_PRIVATE_KEY_B64 is not base64';
  assert.deepEqual(seen, answered(document, 1, message));
});

test('a missing or empty credential is null in the document and named on stderr, with exit code 1', async (t) => {
  const none = { authenticated: false, key_id: null, issuer_id: null, private_key: null };
  const messages = [
    'not authenticated: CLI_KEY_ID is not set',
    'not authenticated: CLI_ISSUER_ID is not set',
    'not authenticated: CLI_PRIVATE_KEY (or CLI_PRIVATE_KEY_B64) is not set',
  ];
  assert.deepEqual(await status(t, {}), answered(none, 1, ...messages));
  const empty = { CLI_KEY_ID: '', CLI_ISSUER_ID: '', CLI_PRIVATE_KEY: '' };
  assert.deepEqual(await status(t, empty), answered(none, 1, ...messages));
});

test('a key that is not PEM causes a warning', async (t) => {
  const document = { authenticated: true, ...IDS_SHOWN, private_key: 'CLI_PRIVATE_KEY' };
  const seen = await status(t, { ...IDS, CLI_PRIVATE_KEY: 'hunter2' });
  const message = 'warning: CLI_PRIVATE_KEY is not a private key in PEM format';
  assert.deepEqual(seen, answered(document, 0, message));
});

test('no part of the key is printed, not even with --debug', async (t) => {
  const env = { ...IDS, CLI_PRIVATE_KEY: 'hunter2', CLI_PRIVATE_KEY_B64: 'hunter3=' };
  const { stdout, stderr } = await cli(['auth', 'status', '--debug'], { cwd: temporaryDirectory(t), env });
  assert.equal(`${stdout}${stderr}`.includes('hunter'), false);
});

const SECRET_NAMES = [
  'CLI_PRIVATE_KEY',
  'CLI_PRIVATE_KEY_B64',
  'GITHUB_TOKEN',
  'token',
  'CLIENT_SECRET',
  'DB_PASSWORD',
  'MY_PRIVATE_KEY',
  'API_KEY',
  'APIKEY',
  'Secret_Names',
];

test('values of secret variables are *** in the dry run and in every debug line', async (t) => {
  const [first = '', ...rest] = SECRET_NAMES;
  const secrets = Object.fromEntries(rest.map((name) => [name, 'hunter2']));
  const step = { run: ':', with: { CLIENT_SECRET: 'hunter3' } };
  const cwd = workflowDirectory(t, ci([step], { env: { ...secrets, PLAIN: 'shown' } }));
  const words = [`${first}:hunter4`, 'APP_TOKEN:hunter5', 'CLI_KEY_ID:id', 'CLI_ISSUER_ID:id'];
  for (const flags of [['--dry-run', '--debug'], ['--debug']]) {
    const env = { CLI_PRIVATE_KEY_B64: 'hunter6' };
    const seen = await cli(['workflow', 'run', ...flags, 'ci', ...words], { cwd, env });
    assert.equal(seen.code, 0);
    assert.equal(`${seen.stdout}${seen.stderr}`.includes('hunter'), false);
    assert.equal(seen.stderr.includes('PLAIN=shown'), true);
    if (!flags.includes('--dry-run')) continue;
    const masked = Object.fromEntries([first, 'APP_TOKEN', 'CLIENT_SECRET', ...rest].map((name) => [name, '***']));
    const env2 = { ...masked, CLI_KEY_ID: 'id', CLI_ISSUER_ID: 'id', PLAIN: 'shown' };
    const document: unknown = JSON.parse(seen.stdout);
    const steps = [{ name: 'step_1', command: ':', env: env2 }];
    assert.deepEqual(document, { workflow: 'ci', dry_run: true, steps });
  }
});

test('the output of a step is not masked, and `command` is the command as written', async (t) => {
  const cwd = workflowDirectory(t, ci(['echo $API_KEY # hunter1']));
  const { stdout, stderr } = await cli(['workflow', 'run', 'ci', 'API_KEY:hunter2'], { cwd });
  assert.equal(stderr, 'hunter2\n');
  assert.equal(stdout.includes('"command":"echo $API_KEY # hunter1"'), true);
});

/** What `validate` prints for a file. */
async function validated(t: TestContext, file: unknown): Promise<string> {
  const cwd = workflowDirectory(t, file);
  const { stdout, stderr } = await inProcess(t, ['workflow', 'validate'], { cwd });
  return stdout + stderr;
}

test('a warning about a secret value contains no part of it', async (t) => {
  const output = await validated(t, ci([], { env: { DB_PASSWORD: 'p$hunter2' } }));
  assert.equal(output.includes('DB_PASSWORD'), true);
  assert.equal(output.includes('hunter2'), false, output);
});

test('a source line contains no secret value, regardless of escapes in its name', async (t) => {
  const names = ['API_TOKEN', String.raw`API_\u0054OKEN`, String.raw`\u0061pi_key`];
  for (const name of names) {
    const output = await validated(t, `{"env": {"${name}": 4711}, "workflows": {}}`);
    assert.equal(output.includes('must be a string, found a number'), true);
    assert.equal(output.includes('4711'), false, output);
  }
});

test('a usage error repeats neither the text after `=` or `:` nor a word that looks like a secret', async (t) => {
  const cwd = workflowDirectory(t, ci(['echo never']));
  const given = [
    ['workflow', 'run', 'ci', '1:hunter2', 'a-b=hunter2', ':hunter2', 'my_password_hunter2'],
    ['workflow', 'run', 'ci', 'ghp_16C7e42F292c6912E7hunter2'],
    ['workflow', 'run', '--token=hunter2', 'ci'],
    ['workflow', 'run', '--dry-run=hunter2', 'ci'],
    ['workflow', 'run', 'hunter2token'],
    ['workflow', 'list', 'API_KEY:hunter2'],
    ['token:hunter2'],
    ['workflow', 'token=hunter2'],
  ];
  for (const args of given) {
    const { code, stdout, stderr } = await inProcess(t, args, { cwd });
    assert.deepEqual({ code, stdout }, { code: 2, stdout: '' }, args.join(' '));
    assert.equal(stderr.includes('hunter2'), false, stderr);
  }
});
