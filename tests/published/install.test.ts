/* install.sh and the Homebrew formula, on a fake release. */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, readdirSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { finish, ROOT, temporaryDirectory, type CommandResult } from '../support/cli.ts';

const SYSTEM = `${process.platform}-${process.arch}`;
const NAME = `cli-1.2.3-${SYSTEM}`;
const PROGRAM = '#!/bin/sh\necho 1.2.3\n';

const sumOf = (text: string): string => createHash('sha256').update(text).digest('hex');
const SUMS = [
  `${sumOf('other')}  cli-1.2.3-plan9-mips`,
  `${sumOf('document')}  ${NAME}.cdx.json`,
  `${sumOf(PROGRAM)}  ${NAME}`,
  '',
].join('\n');

/** Makes the formula from the checksums of a release. */
function formula(input: string): Promise<CommandResult> {
  return finish('node', ['scripts/formula.mjs', '1.2.3', 'https://example.com/v1.2.3'], { cwd: ROOT, input });
}

/** Serves files at 127.0.0.1; those that are cut end early. Returns its URL. */
async function release(t: TestContext, files: Readonly<Record<string, string>>, cut = ''): Promise<string> {
  const server = createServer(({ url = '' }, response) => {
    const text = files[url.slice(1)];
    if (text === undefined) {
      response.writeHead(404).end();
      return;
    }
    response.writeHead(200, { 'content-length': text.length + (url === `/${cut}` ? 10 : 0) });
    response.write(text, () => (url === `/${cut}` ? response.destroy() : response.end()));
  });
  t.after(() => server.close());
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  assert.ok(typeof address === 'object' && address !== null);
  return `http://127.0.0.1:${address.port}`;
}

async function install(url: string, prefix: string): Promise<CommandResult> {
  const env = { CLI_RELEASE_URL: url, PREFIX: prefix, TMPDIR: join(prefix, '..') };
  return finish('sh', [join(ROOT, 'install.sh')], { cwd: ROOT, env });
}

test('install.sh writes the executable of this system to PREFIX/bin/cli, and replaces an older one', async (t) => {
  const directory = temporaryDirectory(t);
  const url = await release(t, { SHA256SUMS: SUMS, [NAME]: PROGRAM });
  const prefix = join(directory, 'a b');
  const lines = [
    `install.sh: downloading ${url}/${NAME}`,
    `install.sh: installed cli 1.2.3 as ${prefix}/bin/cli`,
    `install.sh: ${prefix}/bin is not in PATH: add it, or call ${prefix}/bin/cli`,
    '',
  ];
  for (const _ of [1, 2]) {
    const { code, stdout, stderr } = await install(url, prefix);
    assert.deepEqual({ code, stdout, stderr }, { code: 0, stdout: '', stderr: lines.join('\n') });
  }
  assert.deepEqual(readdirSync(directory), ['a b']);
  assert.deepEqual(readdirSync(join(prefix, 'bin')), ['cli']);
  assert.equal((await finish(join(prefix, 'bin/cli'), [], { cwd: directory })).stdout, '1.2.3\n');
});

for (const [what, files, cut, message] of [
  [
    'a wrong file',
    { SHA256SUMS: SUMS, [NAME]: `${PROGRAM}#` },
    '',
    `${NAME} is not the file of the release: its SHA-256 checksum differs`,
  ],
  [
    'a file that is cut off',
    { SHA256SUMS: SUMS, [NAME]: PROGRAM.slice(0, -3) },
    NAME,
    `URL/${NAME} could not be downloaded`,
  ],
  ['a missing file', { SHA256SUMS: SUMS }, '', `URL/${NAME} could not be downloaded`],
  ['no checksums', { [NAME]: PROGRAM }, '', 'URL/SHA256SUMS could not be downloaded'],
  [
    'no executable for this system',
    { SHA256SUMS: `${sumOf('x')}  cli-1.2.3-plan9-mips\n` },
    '',
    `the release at URL has no executable for ${SYSTEM}`,
  ],
] as const) {
  test(`install.sh leaves nothing after ${what}`, async (t) => {
    const directory = temporaryDirectory(t);
    const url = await release(t, files, cut);
    const { code, stdout, stderr } = await install(url, join(directory, 'prefix'));
    assert.deepEqual([code, stdout], [1, '']);
    const last = stderr.trim().split('\n').at(-1)?.replaceAll(url, 'URL');
    assert.equal(last, `install.sh: ${message}; nothing was installed`);
    assert.deepEqual(readdirSync(directory), []);
    assert.equal(existsSync(join(directory, 'prefix')), false);
  });
}

test('the Homebrew formula has the files of a release and their checksums', async () => {
  const systems = ['darwin-arm64', 'darwin-x64', 'linux-arm64', 'linux-x64'];
  const sums = systems.map((system) => `${sumOf(system)}  cli-1.2.3-${system}\n`);
  const { code, stdout, stderr } = await formula(sums.join(''));
  assert.equal(code, 0, stderr);
  const found = [...stdout.matchAll(/url "(.*)"\n *sha256 "(.*)"/g)].map(([, url, sum]) => [url, sum]);
  assert.deepEqual(
    found,
    systems.map((system) => [`https://example.com/v1.2.3/cli-1.2.3-${system}`, sumOf(system)]),
  );
  assert.match(stdout, /^class WorkflowPlan < Formula\n[^]*\n {2}version "1\.2\.3"\n[^]*\nend\n$/);
  const missing = await formula(sums.slice(1).join(''));
  assert.equal(missing.code, 1);
  assert.match(missing.stderr, /SHA256SUMS has no cli-1\.2\.3-darwin-arm64/);
});
