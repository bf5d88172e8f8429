import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { request } from 'node:http';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { test, type TestContext } from 'node:test';
import { cli } from '../support/cli.ts';
import { ask, heldBy, nextRun, servePage, type Page } from '../support/runs/page.ts';
import { end, finish, header, lines, start, writeOwnRun, writeSession } from '../support/runs/journal.ts';
import { until } from '../support/until.ts';

const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; base-uri 'none'; " +
  "form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'";

const JSON_TYPE = { 'Content-Type': 'application/json' };

/** A running process that ends at SIGINT, as the holder of a run. */
async function holder(t: TestContext): Promise<ReturnType<typeof spawn> & { readonly pid: number }> {
  const child = spawn('sleep', ['600'], { stdio: 'ignore' });
  t.after(() => child.kill('SIGKILL'));
  await once(child, 'spawn');
  const { pid } = child;
  assert.ok(pid !== undefined);
  return Object.assign(child, { pid });
}

/** Writes a run of which a process is the holder. */
function writeRunning({ cwd, runs }: Page, id: string, pid: number): void {
  writeOwnRun(runs, id, { ...heldBy(pid), cwd }, start(1, 'build'));
}

test('every check of a request has its place in the order, and every answer all headers', async (t) => {
  const page = await servePage(t);
  const process = await holder(t);
  const id = nextRun();
  writeRunning(page, id, process.pid);
  const wrong = { Authorization: 'Bearer 0' };
  const cancel = `POST /api/runs/${id}/cancel`;
  const cases: readonly (readonly [number, string, Record<string, string>?, string?])[] = [
    [403, 'PUT /api/none', { Host: 'example.org', ...wrong }],
    [403, 'GET /', { Host: `127.0.0.1:${page.port + 1}` }],
    [200, 'GET /api/runs', { Host: `localhost:${page.port}`, Origin: `http://localhost:${page.port}` }],
    [403, 'GET /api/runs', { Origin: 'http://127.0.0.1:1' }],
    [403, 'GET /api/runs', { Origin: 'null' }],
    [403, 'GET /api/runs', { 'Sec-Fetch-Site': 'cross-site' }],
    [403, 'GET /', { 'Sec-Fetch-Site': 'same-site' }],
    [200, 'GET /', { 'Sec-Fetch-Site': 'none', ...wrong }],
    [405, 'PUT /api/none', wrong],
    [405, 'HEAD /'],
    [405, 'OPTIONS /api/runs'],
    [405, 'POST /ui.js'],
    [401, 'GET /api/none', wrong],
    [401, 'POST /api/runs', { Authorization: page.key }],
    [401, `GET /api/runs/${id}`, { Authorization: `Bearer ${page.key}0` }],
    [404, 'GET /api/none'],
    [404, 'GET /api'],
    [404, 'GET /.cli/runs'],
    [404, 'GET /api/runs?x'],
    [404, 'POST /api/runs/20261123-000000-bbbbb/cancel'],
    [405, 'POST /api/runs'],
    [405, `GET /api/runs/${id}/cancel`],
    [405, `GET /api/runs/${id.slice(-5)}/cancel`],
    [415, cancel, {}, '{}'],
    [415, cancel, { 'Content-Type': 'text/plain' }, '{}'],
    [413, cancel, JSON_TYPE, ' '.repeat(4097)],
    [413, cancel, { ...JSON_TYPE, 'Transfer-Encoding': 'chunked' }, ' '.repeat(4097)],
    [400, cancel, JSON_TYPE, ''],
    [400, cancel, JSON_TYPE, '[]'],
    [400, cancel, JSON_TYPE, '{"command":"rm"}'],
    [400, cancel, JSON_TYPE, '{"__proto__":{}}'],
  ];
  for (const [status, line, headers, body] of cases) {
    const answer = await ask(page, line, headers, body);
    assert.equal(answer.status, status, `${line} ${JSON.stringify(headers)}`);
    assert.equal(Object.keys(answer.headers).filter((name) => name.startsWith('access-control')).length, 0);
    assert.equal(answer.headers['content-security-policy'], POLICY);
    assert.equal(answer.headers['x-content-type-options'], 'nosniff');
    assert.equal(answer.headers['x-frame-options'], 'DENY');
    assert.equal(answer.headers['referrer-policy'], 'no-referrer');
    assert.equal(answer.headers['cross-origin-resource-policy'], 'same-origin');
    assert.equal(answer.headers['cross-origin-opener-policy'], 'same-origin');
    assert.equal(answer.headers['cache-control'], 'no-store');
    assert.equal(answer.headers['set-cookie'], undefined);
  }
  assert.equal(process.exitCode, null);
  const ids = ['..', '%2e%2e', `${id}/..`, `${id}%00`, '__proto__', 'constructor', `${id}/logs/1-0/..`, '.gitignore'];
  for (const each of ids) assert.equal((await ask(page, `GET /api/runs/${each}`)).status, 404, each);
});

test('Cancel interrupts the process of the record, and no other', async (t) => {
  const page = await servePage(t);
  const [own, stranger, foreign] = [await holder(t), await holder(t), await holder(t)];
  const [running, reused, alien, elsewhere] = [nextRun(), nextRun(), nextRun(), nextRun()];
  writeRunning(page, running, own.pid);
  writeOwnRun(page.runs, reused, { ...heldBy(stranger.pid), started: '1', cwd: page.cwd }, start(1, 'build'));
  const head = header({ ...heldBy(foreign.pid), run: alien, cwd: page.cwd });
  writeSession(page.runs, alien, 'session-1.ndjson', lines(head, start(1, 'build')));
  writeOwnRun(page.runs, elsewhere, { ...heldBy(foreign.pid), cwd: '/elsewhere' }, start(1, 'build'));
  const { runs } = JSON.parse((await ask(page, 'GET /api/runs')).body);
  assert.deepEqual(
    runs.map((run: { id: string; state: string; actions: string[] }) => [run.id, run.state, run.actions]),
    [
      [elsewhere, 'running', []],
      [alien, 'running', []],
      [reused, 'crashed', ['resume', 'again']],
      [running, 'running', ['cancel']],
    ],
  );
  const cancel = async (id: string): Promise<number> =>
    (await ask(page, `POST /api/runs/${id}/cancel`, JSON_TYPE, '{}')).status;
  for (const id of [reused, alien, elsewhere]) assert.equal(await cancel(id), 409);
  const ended = once(own, 'exit');
  assert.equal(await cancel(running), 202);
  assert.deepEqual(await ended, [null, 'SIGINT']);
  assert.equal(await cancel(running), 409);
  for (const other of [stranger, foreign]) assert.deepEqual([other.exitCode, other.signalCode], [null, null]);
});

test('with --read-only, the page cannot cancel', async (t) => {
  const page = await servePage(t, { readOnly: true });
  const process = await holder(t);
  const id = nextRun();
  writeRunning(page, id, process.pid);
  assert.deepEqual(JSON.parse((await ask(page, 'GET /api/runs')).body).runs[0].actions, []);
  assert.equal((await ask(page, `POST /api/runs/${id}/cancel`)).status, 403);
});

test('only regular logs of recorded commands are read, without following links, and only their end', async (t) => {
  const page = await servePage(t);
  const id = nextRun();
  const commands = [1, 2, 3, 4, 5].flatMap((n) => [start(n, `s${n}`), end(n)]);
  writeOwnRun(page.runs, id, { cwd: page.cwd }, ...commands, finish());
  const logs = join(page.runs, id, 'logs');
  const log = async (name: string): Promise<string> => {
    const { status, body } = await ask(page, `GET /api/runs/${id}/logs/${name}`);
    return status === 200 ? JSON.parse(body).text : String(status);
  };
  assert.equal(await log('1-1'), '404');
  mkdirSync(logs);
  writeFileSync(join(page.cwd, 'secret'), 'secret');
  writeFileSync(join(logs, '1-1.log'), `${'x'.repeat(300_000)}end`);
  symlinkSync(join(page.cwd, 'secret'), join(logs, '1-2.log'));
  mkdirSync(join(logs, '1-3.log'));
  writeFileSync(join(logs, '1-5.log'), Buffer.from([0xff, 0x41]));
  writeFileSync(join(logs, '1-6.log'), 'not in the record');
  const whole = await log('1-1');
  assert.equal(whole.length, 262_144);
  assert.ok(whole.endsWith('xend'));
  assert.deepEqual(
    await Promise.all(['1-2', '1-3', '1-4', '1-5', '1-6', '2-1', '0-1', '1-01'].map(log)),
    '404 404 404 \uFFFDA 404 404 404 404'.split(' '),
  );
  const linked = nextRun();
  writeOwnRun(page.runs, linked, { cwd: page.cwd }, start(1, 's1'), end(1), finish());
  symlinkSync(logs, join(page.runs, linked, 'logs'));
  assert.equal((await ask(page, `GET /api/runs/${linked}/logs/1-1`)).status, 404);
});

test('the step in which a run was killed has failed, and that of a run that goes on is running', async (t) => {
  const page = await servePage(t);
  const own = heldBy(process.pid);
  for (const [holder, expected] of [
    [own, ['running', 'running', null]],
    [{ ...own, pid: spawnSync('true').pid }, ['crashed', 'failed', 'its end was not recorded']],
  ] as const) {
    const id = nextRun();
    writeOwnRun(page.runs, id, { ...holder, cwd: page.cwd }, start(1, 'build'));
    const { state, ops } = JSON.parse((await ask(page, `GET /api/runs/${id}`)).body);
    assert.deepEqual([state, ops[0].status, ops[0].reason], expected);
  }
});

test('damaged and newer records have a state and a reason, and no value of a secret parameter', async (t) => {
  const page = await servePage(t);
  const [damaged, secret] = [nextRun(), nextRun()];
  writeSession(page.runs, damaged, 'session-1.ndjson', '{"kind":"session","version":99}\n');
  const params = [['TOKEN', null] as const, ['STAGE', 'dev'] as const];
  writeOwnRun(page.runs, secret, { cwd: page.cwd, params }, start(1, 'build'), end(1, 3), finish({ success: false }));
  const read = async (id: string): Promise<Record<string, unknown>> =>
    JSON.parse((await ask(page, `GET /api/runs/${id}`)).body);
  const { state, problem, ops } = await read(damaged);
  assert.deepEqual([state, ops], ['damaged', []]);
  assert.match(String(problem), /the record has version 99, which needs a newer cli$/);
  const failed = await read(secret);
  assert.deepEqual([failed['state'], failed['params']], ['failed', { TOKEN: '***', STAGE: 'dev' }]);
});

test('pages get a line for each change, at most 32 of them at a time', async (t) => {
  const page = await servePage(t);
  const received: string[] = [];
  const streams = Array.from({ length: 32 }, () => {
    const headers = { Authorization: `Bearer ${page.key}` };
    const sent = request({ host: '127.0.0.1', port: page.port, path: '/api/changes', headers, agent: false });
    t.after(() => sent.destroy());
    sent.on('error', () => undefined);
    sent.end();
    return sent;
  });
  const [first] = await Promise.all(streams.map(async (sent) => (await once(sent, 'response'))[0]));
  first.setEncoding('utf8').on('data', (chunk: string) => received.push(...chunk.trim().split('\n')));
  assert.equal((await ask(page, 'GET /api/changes')).status, 503);
  const id = nextRun();
  const changed = JSON.stringify({ run: id });
  const process = await holder(t);
  writeRunning(page, id, process.pid);
  const count = (): number => received.filter((line) => line === changed).length;
  await until(
    () => count() > 0,
    () => `a line for the new run in ${received.join()}`,
  );
  // The state of a run changes with its process, which writes nothing.
  const { runs } = JSON.parse((await ask(page, 'GET /api/runs')).body);
  assert.equal(runs[0].state, 'running');
  process.kill('SIGKILL');
  const before = count();
  const stateOf = async (): Promise<string> => JSON.parse((await ask(page, 'GET /api/runs')).body).runs[0].state;
  await until(
    async () => count() > before && (await stateOf()) === 'crashed',
    () => 'a line for the end of the process',
  );
});

test('half a request ends within the time for headers, which is shorter than that for a body', async (t) => {
  const page = await servePage(t);
  const began = performance.now();
  const send = (request: string): Socket => {
    const socket = connect(page.port, '127.0.0.1');
    t.after(() => socket.destroy());
    socket.write(request);
    return socket;
  };
  const host = `Host: 127.0.0.1:${page.port}\r\nConnection: close\r\n`;
  const slow = send(`POST /api/runs HTTP/1.1\r\n${host}Content-Length: 9\r\n\r\n`);
  assert.equal(await text(send(`GET / HTTP/1.1\r\n${host}`)), '');
  slow.write('123456789');
  assert.match(await text(slow), /^HTTP\/1\.1 401 /);
  assert.ok(performance.now() - began > 4900);
});

test('a taken port, no number and an argument are refused', async (t) => {
  const { cwd, port } = await servePage(t);
  const results = await Promise.all(
    [['--port', String(port)], ['--port', '70000'], ['x']].map((words) => cli(['ui', ...words], { cwd })),
  );
  assert.deepEqual(
    results.map(({ code, stdout, stderr }) => [code, stdout, stderr]),
    [
      [2, '', `cli: port ${port} is taken\n`],
      [2, '', "cli: --port must be a number from 0 to 65535, not '70000'\n"],
      [2, '', "cli: unexpected argument 'x'\ncli: see 'cli ui --help'\n"],
    ],
  );
});
