import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { openTab } from '../support/goldens/chromium.ts';
import { needs } from '../support/needs.ts';
import { header, lines, writeOwnRun, writeSession, start, end, finish } from '../support/runs/journal.ts';
import { ask, nextRun, servePage } from '../support/runs/page.ts';
import { project } from '../support/runs/recorded_run.ts';
import { startPage, untilState } from '../support/runs/started_page.ts';

test('of 3,000 records the newest 200 are in the list, and each of them can be read', async (t) => {
  const page = await servePage(t);
  const older = Array.from({ length: 3000 }, (_, index) => `20250101-000000-${String(index).padStart(5, '0')}`);
  for (const run of older)
    writeSession(page.runs, run, 'session-1.ndjson', lines(header({ run, cwd: page.cwd }), finish()));
  const newest = nextRun();
  writeOwnRun(page.runs, newest, { cwd: page.cwd }, start(1, 'build'), end(1), finish());
  const { runs } = JSON.parse((await ask(page, 'GET /api/runs')).body);
  assert.deepEqual(
    runs.map(({ id }: { id: string }) => id),
    [newest, ...older.toReversed().slice(0, 199)],
  );
  assert.equal(JSON.parse((await ask(page, `GET /api/runs/${older[0]}`)).body).state, 'succeeded');
});

describe('a large run in Chromium', { concurrency: 1, ...needs('chromium') }, () => {
  test('300 members of a group are in the table and side by side in the graph', async (t) => {
    const members = Array.from({ length: 300 }, (_, index) => ({
      name: `m${index}`,
      run: index === 299 ? 'false' : ':',
    }));
    const page = await startPage(t, project(t, [{ parallel: members }, { name: 'last', run: 'true' }]));
    await page.cli('run ci');
    const { id } = await untilState(page, 'failed');
    const tab = await openTab(t, page.address);
    await tab.locator(`tr[data-run="${id}"] a`).click();
    await tab.locator('[data-step=last][data-state="not reached"]').waitFor();
    assert.equal(await tab.locator('tr[data-state=succeeded]').count(), 299);
    assert.equal(await tab.locator('.group [data-node]').count(), 300);
    assert.equal(await tab.locator('.group [data-node$=m299][data-state=failed]').count(), 1);
  });

  test('of 20,000 planted ops and calls without end, the page shows what a browser can, and more on request', async (t) => {
    const page = await servePage(t);
    const [many, deep] = [nextRun(), nextRun()];
    const place = {
      kind: 'step',
      workflow: 'ci',
      call: 0,
      step: 1,
      command: 'x',
      frame: '',
      file: 'f',
      line: 1,
      column: 1,
      status: 'not reached',
    };
    const calls = [{ workflow: 'ci', caller: null, step: null, name: null, start: 0 }];
    const plant = (id: string, paths: readonly (readonly string[])[]): void => {
      const ops = paths.map((path) => ({ ...place, id: path.map((name) => `name:${name}`), path, name: path.at(-1) }));
      writeOwnRun(page.runs, id, { cwd: page.cwd }, start(1, 's5000'), end(1, 3), finish({ success: false }));
      writeFileSync(join(page.runs, id, 'plan-1.json'), JSON.stringify({ version: 1, calls, ops }));
    };
    plant(
      many,
      Array.from({ length: 20_000 }, (_, index) => [`s${index}`]),
    );
    plant(deep, [Array.from({ length: 20_000 }, () => 'x')]);
    const tab = await openTab(t, `http://127.0.0.1:${page.port}/#k=${page.key}`);
    await tab.locator(`tr[data-run="${many}"] a`).click();
    await tab.getByText('18999 more are not shown.').waitFor();
    assert.deepEqual(
      [await tab.locator('[data-step]').count(), await tab.locator('[data-node]').count()],
      [1001, 1001],
    );
    assert.equal(await tab.locator('[data-step=s5000]').getAttribute('data-state'), 'failed');
    await tab.getByRole('button', { name: 'Show 1000 more' }).press('Enter');
    await tab.locator('[data-step=s1999]').waitFor();
    await tab.goBack();
    await tab.locator(`tr[data-run="${deep}"] a`).click();
    await tab.locator('main[data-state=failed] [data-step="s5000"]').waitFor();
    assert.equal(await tab.locator('[data-node]').count(), 52);
  });
});
