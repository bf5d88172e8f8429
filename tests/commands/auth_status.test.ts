import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { test } from 'node:test';
import { COMMAND_LINE, temporaryDirectory } from '../support/cli.ts';
import { toolInProcess, quickCli as cli } from '../support/in_process.ts';

const pair = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const PEM = String(pair.privateKey.export({ type: 'pkcs8', format: 'pem' }));
const PUBLIC_PEM = String(pair.publicKey.export({ type: 'spki', format: 'pem' }));
const ENCRYPTED_PEM = String(
  pair.privateKey.export({ type: 'pkcs8', format: 'pem', cipher: 'aes-256-cbc', passphrase: 'passphrase' }),
);
const base64 = (text: string): string => Buffer.from(text).toString('base64');
const inLines = (text: string): string => text.replace(/.{64}/g, '$&\n');

const IDS = { CLI_KEY_ID: 'KEY123', CLI_ISSUER_ID: 'issuer-1' };
const PLAIN = 'CLI_PRIVATE_KEY';
const ENCODED = 'CLI_PRIVATE_KEY_B64';
const NO_KEY = 'cli: not authenticated: CLI_PRIVATE_KEY (or CLI_PRIVATE_KEY_B64) is not set\n';
const NOT_BASE64 = 'cli: not authenticated: CLI_PRIVATE_KEY_B64 is not base64\n';
const notPem = (variable: string): string => `cli: warning: ${variable} is not a private key in PEM format\n`;

/** Credentials in addition to both identifiers, the variable with the key, and standard error. */
const KEYS: readonly (readonly [
  what: string,
  env: Readonly<Record<string, string>>,
  from: string | null,
  stderr: string,
])[] = [
  ['a key in PEM format', { [PLAIN]: PEM }, PLAIN, ''],
  ['a key in PEM format with line ends of Windows', { [PLAIN]: PEM.replaceAll('\n', '\r\n') }, PLAIN, ''],
  ['an encrypted key', { [PLAIN]: ENCRYPTED_PEM }, PLAIN, ''],
  ['a base64 key', { [ENCODED]: base64(PEM) }, ENCODED, ''],
  ['a base64 key over several lines', { [ENCODED]: inLines(base64(PEM)) }, ENCODED, ''],
  ['both, the base64 one invalid', { [PLAIN]: PEM, [ENCODED]: '%' }, PLAIN, ''],
  ['both, the plain one not PEM', { [PLAIN]: 'junk', [ENCODED]: base64(PEM) }, PLAIN, notPem(PLAIN)],
  ['both, the plain one empty', { [PLAIN]: '', [ENCODED]: base64(PEM) }, ENCODED, ''],
  ['a key that is not PEM', { [PLAIN]: 'junk' }, PLAIN, notPem(PLAIN)],
  ['a public key', { [PLAIN]: PUBLIC_PEM }, PLAIN, notPem(PLAIN)],
  ['a base64 key that is not PEM', { [ENCODED]: base64('junk') }, ENCODED, notPem(ENCODED)],
  ['text that is not base64', { [ENCODED]: 'not base64!' }, null, NOT_BASE64],
  ['base64 of the wrong length', { [ENCODED]: base64(PEM).replace(/=*$/, 'A') }, null, NOT_BASE64],
  ['no key', {}, null, NO_KEY],
  ['empty keys', { [PLAIN]: '', [ENCODED]: '' }, null, NO_KEY],
];

for (const [what, env, from, stderr] of KEYS) {
  test(`auth status with ${what}: ${from === null ? 'not authenticated' : `from ${from}`}`, async (t) => {
    const tool = toolInProcess(t);
    const document = { authenticated: from !== null, key_id: 'KEY123', issuer_id: 'issuer-1', private_key: from };
    assert.deepEqual(await tool(['auth', 'status'], { env: { ...IDS, ...env } }), {
      code: from === null ? 1 : 0,
      stdout: `${JSON.stringify(document)}\n`,
      stderr,
    });
  });
}

test('auth status names every credential that is missing or empty', async (t) => {
  const env = { CLI_KEY_ID: '', CLI_ISSUER_ID: undefined, CLI_PRIVATE_KEY: undefined };
  const given = { cwd: temporaryDirectory(t), env: { ...env, CLI_PRIVATE_KEY_B64: undefined } };
  assert.deepEqual(await cli(['auth', 'status'], given), {
    code: 1,
    signal: null,
    stdout: '{"authenticated":false,"key_id":null,"issuer_id":null,"private_key":null}\n',
    stderr:
      'cli: not authenticated: CLI_KEY_ID is not set\ncli: not authenticated: CLI_ISSUER_ID is not set\n' + NO_KEY,
  });
});

for (const [missing, document] of [
  ['CLI_KEY_ID', { key_id: null, issuer_id: 'issuer-1' }],
  ['CLI_ISSUER_ID', { key_id: 'KEY123', issuer_id: null }],
] as const) {
  test(`auth status without ${missing} names it and prints the rest`, async (t) => {
    const env = { ...IDS, CLI_PRIVATE_KEY: PEM, [missing]: '' };
    const key = { private_key: 'CLI_PRIVATE_KEY' };
    assert.deepEqual(await toolInProcess(t)(['auth', 'status'], { env }), {
      code: 1,
      stdout: `${JSON.stringify({ authenticated: false, ...document, ...key })}\n`,
      stderr: `cli: not authenticated: ${missing} is not set\n`,
    });
  });
}

test('auth status can check the credentials as the first step of a workflow', async (t) => {
  const cwd = temporaryDirectory(t, {
    '.cli/workflow.json': { workflows: { w: { steps: [`${COMMAND_LINE} auth status`, ':'] } } },
  });
  const env = { ...IDS, CLI_PRIVATE_KEY: PEM, CLI_PRIVATE_KEY_B64: undefined };
  const ran = await cli(['workflow', 'run', 'w'], { cwd, env: env });
  assert.deepEqual(
    [ran.code, ran.stderr],
    [0, '{"authenticated":true,"key_id":"KEY123","issuer_id":"issuer-1","private_key":"CLI_PRIVATE_KEY"}\n'],
  );
  const without = { ...env, CLI_KEY_ID: undefined };
  assert.equal((await cli(['workflow', 'run', 'w'], { cwd, env: without })).code, 1);
});

test('auth status --pretty indents the document', async (t) => {
  const env = { ...IDS, CLI_PRIVATE_KEY: PEM };
  assert.deepEqual(await toolInProcess(t)(['auth', 'status', '--pretty'], { env }), {
    code: 0,
    stdout:
      '{\n  "authenticated": true,\n  "key_id": "KEY123",\n  "issuer_id": "issuer-1",\n  "private_key": "CLI_PRIVATE_KEY"\n}\n',
    stderr: '',
  });
});
