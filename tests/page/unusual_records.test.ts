import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { ask, heldBy, nextRun, servePage, type Page } from '../support/runs/page.ts';
import { end, finish, start, writeOwnRun } from '../support/runs/journal.ts';

const JSON_TYPE = { 'Content-Type': 'application/json' };

async function read(page: Page, path: string): Promise<Record<string, unknown>> {
  const { status, body } = await ask(page, `GET /api/runs/${path}`);
  assert.equal(status, 200, path);
  return JSON.parse(body);
}

test('a log that is a pipe is none, and of a log of 1 GiB the end is read', async (t) => {
  const page = await servePage(t);
  const id = nextRun();
  writeOwnRun(page.runs, id, { cwd: page.cwd }, start(1, 'a'), end(1), start(2, 'b'), end(2), finish());
  const logs = join(page.runs, id, 'logs');
  mkdirSync(logs);
  execFileSync('mkfifo', [join(logs, '1-1.log')]);
  assert.equal((await ask(page, `GET /api/runs/${id}/logs/1-1`)).status, 404);
  writeFileSync(join(logs, '1-2.log'), '');
  truncateSync(join(logs, '1-2.log'), 2 ** 30);
  assert.deepEqual(await read(page, `${id}/logs/1-2`), { text: '\0'.repeat(262_144), cut: true });
});

test('a damaged plan is none: the page shows what has started', async (t) => {
  const page = await servePage(t);
  const plans = ['', '{"version":1,"calls":[],"ops":[{"id":["name:a"],"call":7}]}', '{'.repeat(10_000)];
  for (const plan of plans) {
    const id = nextRun();
    writeOwnRun(page.runs, id, { cwd: page.cwd }, start(1, 'a'), end(1), finish());
    writeFileSync(join(page.runs, id, 'plan-1.json'), plan);
    const { isPlanned, ops } = await read(page, id);
    assert.ok(Array.isArray(ops));
    assert.deepEqual([isPlanned, ops.map(({ path, status }) => [path, status])], [false, [['a', 'succeeded']]]);
  }
});

test('a process of another machine or of another user is not interrupted', async (t) => {
  const page = await servePage(t);
  const own = heldBy(process.pid);
  const before = process.listenerCount('SIGINT');
  let interrupted = 0;
  const onSignal = (): void => void (interrupted += 1);
  process.on('SIGINT', onSignal);
  t.after(() => process.removeListener('SIGINT', onSignal));
  for (const other of [
    { host: 'elsewhere', boot: '00000000-0000-0000-0000-000000000000' },
    { uid: (own.uid ?? 0) + 1 },
    { space: 'pid:[1]' },
  ]) {
    const id = nextRun();
    writeOwnRun(page.runs, id, { ...own, ...other, cwd: page.cwd }, start(1, 'a'));
    assert.equal((await ask(page, `POST /api/runs/${id}/cancel`, JSON_TYPE, '{}')).status, 409, JSON.stringify(other));
  }
  assert.deepEqual([interrupted, process.listenerCount('SIGINT')], [0, before + 1]);
});

test('a run with 10,000 commands has a document with all of them', async (t) => {
  const page = await servePage(t);
  const id = nextRun();
  const commands = Array.from({ length: 10_000 }, (_, n) => [start(n + 1, `s${n}`), end(n + 1)]).flat();
  writeOwnRun(page.runs, id, { cwd: page.cwd }, ...commands, finish());
  const { ops } = await read(page, id);
  assert.ok(Array.isArray(ops));
  assert.equal(ops.length, 10_000);
  assert.equal(ops.at(-1).path, 's9999');
});
