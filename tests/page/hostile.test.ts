import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, copyFileSync, mkdirSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { networkInterfaces } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { test, type TestContext } from 'node:test';
import { effect, project } from '../support/runs/recorded_run.ts';
import { startPage, untilState } from '../support/runs/started_page.ts';
import { ask, nextRun, servePage, type Page } from '../support/runs/page.ts';
import { end, finish, header, lines, start, writeOwnRun, writeSession } from '../support/runs/journal.ts';

const JSON_TYPE = { 'Content-Type': 'application/json' };

/** A connection without a protocol. */
async function rawSocket(t: TestContext, port: number, host = '127.0.0.1'): Promise<Socket> {
  const socket = connect(port, host);
  t.after(() => socket.destroy());
  await once(socket, 'connect');
  return socket;
}

/** All that the server answers to some bytes. */
async function answerTo(t: TestContext, { port }: Page, bytes: string): Promise<string> {
  const socket = await rawSocket(t, port);
  socket.write(bytes);
  return text(socket).catch(() => '');
}

/** A run that has failed, which can be resumed. */
function writeFailed(page: Page, id: string, more: object = {}): void {
  writeOwnRun(page.runs, id, { cwd: page.cwd, ...more }, start(1, 'build'), end(1, 3), finish({ success: false }));
}

test('only 127.0.0.1 is served, and each start has a key of its own', async (t) => {
  const [page, other] = [await servePage(t), await servePage(t)];
  assert.match(page.key, /^[0-9a-f]{64}$/);
  assert.notEqual(page.key, other.key);
  assert.equal((await ask({ ...page, key: other.key }, 'GET /api/runs')).status, 401);
  const addresses = Object.values(networkInterfaces()).flatMap((all = []) => all.map(({ address }) => address));
  for (const address of ['127.0.0.2', '::1', ...addresses]) {
    if (address === '127.0.0.1' || address.startsWith('fe80:')) continue;
    await assert.rejects(rawSocket(t, page.port, address), /ECONNREFUSED|EADDRNOTAVAIL|ENETUNREACH|EAFNOSUPPORT/);
  }
});

test('what is no request gets no answer, and no more than 128 connections are open', async (t) => {
  const page = await servePage(t);
  const host = `Host: 127.0.0.1:${page.port}\r\nConnection: close\r\n`;
  for (const bytes of [
    `GET /api/runs/\0 HTTP/1.1\r\n${host}\r\n`,
    'nonsense\r\n\r\n',
    `GET / HTTP/1.1\r\n${host}X: ${'x'.repeat(100_000)}\r\n\r\n`,
    `POST / HTTP/1.1\r\n${host}Content-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n`,
    `CONNECT example.org:80 HTTP/1.1\r\n${host}\r\n`,
  ])
    assert.equal(await answerTo(t, page, bytes), '', bytes.slice(0, 40));
  const unexpected = await answerTo(t, page, `GET /api/runs HTTP/1.1\r\n${host}Expect: the-unexpected\r\n\r\n`);
  assert.match(unexpected, /^HTTP\/1\.1 401 Unauthorized\r\n(?:.*\r\n)*Content-Security-Policy: default-src 'none'; /);
  const get = `GET /ui.css HTTP/1.1\r\n${host}\r\n`;
  for (let excess = 'x', took = Infinity; excess !== '';) {
    // On a busy machine, the time for headers may be over before the last connection is open.
    assert.ok(took > 4000, excess.slice(0, 100));
    const [open, began]: [Socket[], number] = [[], performance.now()];
    for (let count = 0; count < 128; count += 1) open.push(await rawSocket(t, page.port));
    excess = await answerTo(t, page, get);
    took = performance.now() - began;
    for (const socket of open.slice(0, -1)) socket.destroy();
    const last = open.at(-1);
    assert.ok(last !== undefined);
    last.write(get);
    if (excess === '') assert.match(await text(last), /^HTTP\/1\.1 200 OK\r\n/);
    last.destroy();
  }
});

test('nothing starts on the word of a foreign record, or of one from elsewhere, whatever CLI_TRUST_RECORDS says', async (t) => {
  process.env['CLI_TRUST_RECORDS'] = '1';
  t.after(() => delete process.env['CLI_TRUST_RECORDS']);
  const page = await servePage(t);
  const [own, foreign, elsewhere] = [nextRun(), nextRun(), nextRun()];
  writeFailed(page, own);
  const records = [start(1, 'build'), end(1, 3), finish({ success: false })];
  const head = header({ run: foreign, cwd: page.cwd });
  writeSession(page.runs, foreign, 'session-1.ndjson', lines(head, ...records));
  writeFailed(page, elsewhere, { cwd: '/elsewhere' });
  const others = [foreign, elsewhere];
  if (process.getuid?.() === 0) {
    const taken = nextRun();
    writeFailed(page, taken);
    chownSync(join(page.runs, taken), 65_534, 65_534);
    others.push(taken);
  }
  const { runs } = JSON.parse((await ask(page, 'GET /api/runs')).body);
  assert.deepEqual(
    runs.toReversed().map((run: { id: string; state: string; actions: string[] }) => [run.id, run.state, run.actions]),
    [[own, 'failed', ['resume', 'again']], ...others.map((id) => [id, 'failed', []])],
  );
  for (const id of others) {
    for (const action of ['cancel', 'resume', 'again']) {
      const { status } = await ask(page, `POST /api/runs/${id}/${action}`, JSON_TYPE, '{}');
      assert.equal(status, 409, `${id} ${action}`);
    }
  }
});

test('a plan that is a link, a pipe, a directory or too large is none, and nothing waits for it', async (t) => {
  const page = await servePage(t);
  const secret = join(page.cwd, 'secret.json');
  const op = { id: ['name:a'], kind: 'step', name: 'planted', workflow: 'ci', call: 0, step: 1, command: 'x' };
  const place = { status: 'not reached', frame: '', file: '/etc/passwd', line: 1, column: 1 };
  const calls = [{ workflow: 'ci', caller: null, step: null, name: null, start: 0 }];
  writeFileSync(secret, JSON.stringify({ version: 1, calls, ops: [{ ...op, ...place }] }));
  const copy = (path: string): void => copyFileSync(secret, path);
  const plant = [
    copy,
    (path: string): void => symlinkSync(secret, path),
    (path: string): void => void execFileSync('mkfifo', [path]),
    (path: string): void => mkdirSync(path),
    (path: string): void => {
      writeFileSync(path, '');
      truncateSync(path, 17 * 2 ** 20);
    },
  ];
  for (const write of plant) {
    const id = nextRun();
    writeFailed(page, id);
    write(join(page.runs, id, 'plan-1.json'));
    const { isPlanned, ops } = JSON.parse((await ask(page, `GET /api/runs/${id}`)).body);
    assert.deepEqual(
      [isPlanned, ops.map(({ name }: { name: string }) => name)],
      [write === copy, write === copy ? ['planted', 'build'] : ['build']],
    );
  }
});

test('a workflow file that has become a pipe stops neither the page nor what it starts, and a signal still ends it', async (t) => {
  const page = await startPage(t, project(t, [effect('build'), { name: 'upload', run: 'false' }]));
  await page.cli('run ci');
  const { id } = await untilState(page, 'failed');
  const [, shown] = await page.post(id, 'again', {});
  const file = join(page.cwd, '.cli/workflow.json');
  rmSync(file);
  execFileSync('mkfifo', [file]);
  const problem = 'cannot read .cli/workflow.json: it is not a regular file';
  for (const action of ['again', 'resume']) {
    assert.deepEqual((await page.post(id, action, {}))[1].problems, [problem]);
    assert.equal((await page.post(id, action, { digest: shown.digest }))[0], 409);
  }
  assert.equal((await page.runs()).length, 1);
  assert.equal(await page.end('SIGTERM'), 0);
});
