import assert from 'node:assert/strict';
import { appendFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { findings, openTab } from '../support/goldens/chromium.ts';
import { needs } from '../support/needs.ts';
import { heldBy, nextRun, servePage, type Page } from '../support/runs/page.ts';
import { end, finish, lines, print, start, writeOwnRun } from '../support/runs/journal.ts';
import { until } from '../support/until.ts';

const OUTPUT =
  '\u001B[31mred\u001B[0m \u001B]8;;http://x\u0007link\u001B]8;;\u0007 <img src=x onerror=alert(1)>\u001B[2J\n';

/** A run of this process with nested steps, one of them running, and its log. */
function writeRunning({ cwd, runs }: Page): string {
  const id = nextRun();
  const call = { id: ['call:<b>sub', 'name:inner'] };
  const records = [start(1, 'build'), end(1), start(2, 'inner', call), end(2, 3), start(3, 'long')];
  writeOwnRun(runs, id, { ...heldBy(process.pid), cwd, params: [['TOKEN', null]], workflow: 'release' }, ...records);
  mkdirSync(join(runs, id, 'logs'));
  for (const n of [1, 2, 3]) writeFileSync(join(runs, id, 'logs', `1-${n}.log`), OUTPUT);
  return id;
}

/** The address that `cli ui` prints. */
const address = ({ port, key }: Page): string => `http://127.0.0.1:${port}/#k=${key}`;

describe('the page of runs in Chromium', { concurrency: 1, ...needs('chromium') }, () => {
  test('a run is followed from the list to its output, and its text stays text', async (t) => {
    const page = await servePage(t);
    const id = writeRunning(page);
    const tab = await openTab(t, address(page));
    let dialogs = 0;
    tab.on('dialog', () => (dialogs += 1));
    await tab.getByRole('table', { name: 'Runs' }).waitFor();
    assert.equal(new URL(tab.url()).hash, '#/');
    await tab.locator(`tr[data-run="${id}"][data-state=running] a`).click();
    await tab.getByRole('heading', { level: 1, name: 'release' }).waitFor();
    await tab.locator('[data-step=long][data-state=running]').waitFor();
    const log = tab.getByRole('log', { name: 'Output of long' });
    await log.getByText('red', { exact: true }).waitFor();
    assert.equal(await log.textContent(), 'red link <img src=x onerror=alert(1)>\n');
    assert.equal(await log.locator('.f1').textContent(), 'red');
    assert.equal(await tab.locator('[data-step="<b>sub/inner"]').getAttribute('data-state'), 'failed');
    const graph = tab.getByRole('group', { name: 'Graph' });
    await graph.locator('[data-node="<b>sub"] [data-node="<b>sub/inner"][data-state=failed]').waitFor();
    assert.match(String(await tab.locator('dl').textContent()), /ParametersTOKEN\*\*\*/);
    assert.equal(await tab.getByRole('button', { name: 'Cancel' }).count(), 1);
    // What any process records is shown, and the reader stays at the end of the output.
    const records = [end(3), start(4, 'late', { print: print('echo late') }), end(4), finish()];
    appendFileSync(join(page.runs, id, 'logs/1-3.log'), 'more\n');
    await log.getByText('more').waitFor();
    appendFileSync(join(page.runs, id, 'session-1.ndjson'), lines(...records));
    await tab.locator('main[data-state=succeeded] [data-step=late][data-state=succeeded]').waitFor();
    assert.equal(await tab.getByRole('button', { name: 'Cancel' }).count(), 0);
    await tab.reload();
    await tab.locator('main[data-state=succeeded]').waitFor();
    const second = await openTab(t, `http://127.0.0.1:${page.port}/#/runs/${id}`);
    await second.locator('main[data-state=succeeded]').waitFor();
    const lost: number[] = [];
    tab.on('requestfailed', () => lost.push(Date.now()));
    page.close();
    await tab.getByText('Connection lost. This is the last known state.').waitFor();
    assert.equal(await tab.locator('main[data-state=succeeded]').count(), 1);
    // The page tries again each second.
    await until(
      () => lost.length > 3,
      () => `${lost.length} attempts`,
    );
    const [first = 0, , , fourth = 0] = lost;
    assert.ok(fourth - first > 2500, `${fourth - first} ms for three attempts`);
    assert.equal(dialogs, 0);
  });

  test('a step shows its attempts, and its output the styles and colours of a terminal', async (t) => {
    const page = await servePage(t);
    const id = nextRun();
    const records = [
      start(1, 'flaky'),
      end(1, 1, { more: true }),
      start(2, 'flaky', { op: 0, attempt: 2 }),
      end(2),
      start(3, 'once', { op: 1 }),
      end(3),
      finish(),
    ];
    writeOwnRun(page.runs, id, { ...heldBy(process.pid), cwd: page.cwd, workflow: 'release' }, ...records);
    mkdirSync(join(page.runs, id, 'logs'));
    writeFileSync(
      join(page.runs, id, 'logs/1-2.log'),
      '\u001B[1;31mone\u001B[22m two\u001B[0;3;4mthree\u001B[23;24;38;5;208mfour\u001B[38;5;9;2mfive' +
        '\u001B[22;38;2;1;2;300msix\u001B[48;5;3;32mseven\u001B[48;2;9;9;9;38;5;244meight\u001B[39mnine\n',
    );
    const tab = await openTab(t, address(page));
    await tab.goto(`http://127.0.0.1:${page.port}/#/runs/${id}`);
    await tab.locator('[data-step=once] button').click();
    assert.equal(
      await tab.locator('[data-step=once] + .details').innerHTML(),
      '<td colspan="4"><pre tabindex="0" role="group" aria-label="Command of once">do once</pre><pre role="log" aria-label="Output of once" tabindex="0" class="output"></pre></td>',
    );
    const details = tab.locator('[data-step=flaky] + .details');
    await tab.locator('[data-step=flaky] button').click();
    await details.getByText('nine').waitFor();
    assert.equal(
      await details.innerHTML(),
      '<td colspan="4"><pre tabindex="0" role="group" aria-label="Command of flaky">do flaky</pre><p>2 attempts</p>' +
        '<pre role="log" aria-label="Output of flaky" tabindex="0" class="output"><span class="bold f1">one</span>' +
        '<span class="f1"> two</span><span class="italic underline">three</span>' +
        '<span class="" style="color: rgb(255, 135, 0);">four</span><span class="dim f1">five</span>' +
        '<span class="" style="color: rgb(1, 2, 255);">six</span><span class="f2">seven</span>' +
        '<span class="" style="color: rgb(128, 128, 128);">eight</span>nine\n</pre></td>',
    );
  });

  test('the page of one run shows that run first', async (t) => {
    const page = await servePage(t, { runShown: () => shown });
    const shown = writeRunning(page);
    const tab = await openTab(t, address(page));
    await tab.locator(`main[data-run="${shown}"]`).waitFor();
    await tab.getByRole('link', { name: 'All runs' }).click();
    await tab.getByRole('table', { name: 'Runs' }).waitFor();
  });

  test('the filters and the dialog work with the keyboard', async (t) => {
    const page = await servePage(t);
    const id = writeRunning(page);
    const other = nextRun();
    writeOwnRun(page.runs, other, { cwd: page.cwd, workflow: 'test' }, start(1, 'unit'), end(1), finish());
    const tab = await openTab(t, address(page));
    await tab.locator(`[data-run="${other}"]`).waitFor();
    await tab.getByLabel('Workflow').fill('rel');
    await tab.locator(`[data-run="${other}"]`).waitFor({ state: 'detached' });
    await tab.getByLabel('Workflow').fill('');
    await tab.getByLabel('State').selectOption('succeeded');
    await tab.locator(`[data-run="${id}"]`).waitFor({ state: 'detached' });
    await tab.locator(`[data-run="${other}"] a`).press('Enter');
    await tab.locator('[data-step=unit] button').press('Enter');
    await tab.getByText('The output of this run is not stored. To store it, run with --logs.').waitFor();
    await tab.goto(`http://127.0.0.1:${page.port}/#/runs/${id}`);
    await tab.getByRole('button', { name: 'Cancel' }).press('Enter');
    const dialog = tab.getByRole('dialog', { name: 'Cancel the run?' });
    await dialog.waitFor();
    assert.equal(await dialog.evaluate((element) => element.matches(':focus-within')), true);
    await tab.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
  });

  for (const [colorScheme, width] of [
    ['light', 1200],
    ['dark', 320],
  ] as const) {
    test(`axe has no findings in ${colorScheme} colours, ${width} pixels wide, and nothing is cut off`, async (t) => {
      const page = await servePage(t);
      const id = writeRunning(page);
      const tab = await openTab(t, address(page), { colorScheme, size: { width, height: 800 }, runsScripts: true });
      for (const step of ['list', 'run']) {
        if (step === 'list') await tab.locator(`[data-run="${id}"]`).waitFor();
        else {
          await tab.locator(`[data-run="${id}"] a`).click();
          await tab.getByRole('log', { name: 'Output of long' }).getByText('red', { exact: true }).waitFor();
        }
        assert.deepEqual(await findings(tab), [], step);
      }
    });
  }

  test('without a valid key there is no data, and another local page gets none with it', async (t) => {
    const page = await servePage(t);
    const id = writeRunning(page);
    let interrupted = 0;
    const onSignal = (): void => void (interrupted += 1);
    process.on('SIGINT', onSignal);
    t.after(() => process.removeListener('SIGINT', onSignal));
    const tab = await openTab(t, `http://127.0.0.1:${page.port}/#k=${'0'.repeat(64)}`);
    await tab.getByText('To see the runs, open the address that cli ui printed.').waitFor();
    assert.equal(await tab.locator('[data-run]').count(), 0);
    const server = createServer((_request, response) => {
      response.setHeader('Content-Type', 'text/html');
      const target = `http://127.0.0.1:${page.port}`;
      const forms = ['', `#k=${page.key}`].map(
        (key) => `<form method=post enctype=text/plain action="${target}/api/runs/${id}/cancel${key}" target=answer>
          <input name='{"a":"' value='"}'></form>`,
      );
      response.end(`<iframe src="${target}/"></iframe><iframe name=answer></iframe>${forms.join('')}`);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    t.after(() => server.closeAllConnections());
    t.after(() => server.close());
    const listening = server.address();
    assert.ok(typeof listening === 'object' && listening !== null);
    await tab.goto(`http://127.0.0.1:${listening.port}/`);
    const attempts = [
      `fetch('http://127.0.0.1:${page.port}/api/runs', { headers: { Authorization: 'Bearer ${page.key}' } })`,
      `fetch('http://127.0.0.1:${page.port}/api/runs/${id}/cancel', { method: 'POST', mode: 'no-cors', body: '{}' }).then((answer) => { if (answer.type === 'opaque') throw 0; })`,
      `fetch('http://127.0.0.1:${page.port}/')`,
      `fetch('http://127.0.0.1:${page.port}/api/runs/${id}/cancel', { method: 'POST', headers: { Authorization: 'Bearer ${page.key}', 'Content-Type': 'application/json' }, body: '{}' })`,
      `new Promise((done, fail) => { const script = document.createElement('script'); Object.assign(script, { src: 'http://127.0.0.1:${page.port}/ui.js', onload: done, onerror: fail }); document.head.append(script); })`,
    ];
    for (const attempt of attempts) {
      assert.equal(await tab.evaluate(`${attempt}.then(() => 'read', () => 'refused')`), 'refused');
    }
    for (const form of [0, 1]) {
      const sent = tab.waitForResponse((response) => response.url().includes('/cancel'));
      await tab.evaluate(`document.forms[${form}].submit()`);
      assert.equal((await sent).status(), 403);
    }
    const framed = tab.frames().find((frame) => frame !== tab.mainFrame());
    assert.doesNotMatch((await framed?.content()) ?? '', /ui\.js/);
    assert.equal(interrupted, 0);
  });
});
