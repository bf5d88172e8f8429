import assert from 'node:assert/strict';
import { EventEmitter, once } from 'node:events';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import type { Locator, Page as Tab } from 'playwright-core';
import { findings, openTab } from '../support/goldens/chromium.ts';
import { needs } from '../support/needs.ts';
import { effect, project, waiting } from '../support/runs/recorded_run.ts';
import { startPage, untilState } from '../support/runs/started_page.ts';

const FAILING = [effect('build'), { name: 'upload', run: 'echo upload >> effects; test -e host' }];

/** Opens the dialog of a button of the newest run. */
async function openDialog(tab: Tab, button: string): Promise<Locator> {
  if ((await tab.locator('main[data-run]').count()) === 0) await tab.locator('tr[data-run] a').first().click();
  await tab.getByRole('button', { name: button }).press('Enter');
  const dialog = tab.getByRole('dialog');
  await dialog.getByRole('group', { name: 'Command line' }).waitFor();
  assert.equal(await dialog.evaluate((element) => element.matches(':focus-within')), true);
  return dialog;
}

describe('the dialogs of the page in Chromium', { concurrency: 1, ...needs('chromium') }, () => {
  test('Resume… shows the plan and the equal command line, and starts them; Escape starts nothing', async (t) => {
    const page = await startPage(t, project(t, FAILING));
    await page.cli('run ci');
    const { id } = await untilState(page, 'failed');
    const tab = await openTab(t, page.address);
    const first = await openDialog(tab, 'Resume…');
    assert.equal(
      await first.getByRole('group', { name: 'Plan' }).textContent(),
      `run ${id} of workflow ci\n  = build  kept: finished\n  > upload  run`,
    );
    await tab.keyboard.press('Escape');
    await first.waitFor({ state: 'detached' });
    assert.deepEqual(page.effects(), ['build', 'upload']);
    writeFileSync(join(page.cwd, 'host'), '');
    const dialog = await openDialog(tab, 'Resume…');
    assert.equal(await dialog.getByRole('group', { name: 'Command line' }).textContent(), `cli resume ${id} --logs`);
    await dialog.getByRole('button', { name: 'Resume' }).press('Enter');
    await tab.locator(`main[data-run="${id}"][data-state=succeeded]`).waitFor();
    assert.equal(await tab.getByRole('dialog').count(), 0);
    assert.equal(await tab.getByRole('button', { name: 'Resume…' }).count(), 0);
    assert.deepEqual(page.effects(), ['build', 'upload', 'upload']);
  });

  test('Run again… shows parameters and questions, and the new run after its start', async (t) => {
    const steps = [{ name: 'upload', run: 'echo "$STAGE" >> effects', confirm: 'Upload to everyone?' }];
    const page = await startPage(t, project(t, steps));
    await page.cli('run ci STAGE:<b>prod --yes');
    const { id } = await untilState(page, 'succeeded');
    const tab = await openTab(t, page.address);
    const dialog = await openDialog(tab, 'Run again…');
    await dialog.getByText('STAGE=<b>prod', { exact: true }).waitFor();
    const start = dialog.getByRole('button', { name: 'Run again' });
    assert.equal(await start.isDisabled(), true);
    await dialog.getByLabel('Upload to everyone?').press('Space');
    await start.press('Enter');
    await tab.locator(`main[data-run][data-state=succeeded]:not([data-run="${id}"])`).waitFor();
    assert.deepEqual(page.effects(), ['<b>prod', '<b>prod']);
  });

  test('hidden characters are shown as escapes, and Copy gives a command line without them', async (t) => {
    const hidden = 'a\u202eb\u200b\u00ad\u{e0041}';
    const shown = String.raw`a\u202eb\u200b\u00ad\udb40\udc41`;
    const steps = [{ name: `up ${hidden}`, run: `echo '${hidden}' # ${hidden}`, confirm: `Upload ${hidden}?` }];
    const page = await startPage(t, project(t, steps));
    await page.cli(`run ci STAGE:${hidden} --yes --logs`);
    await untilState(page, 'succeeded');
    const tab = await openTab(t, page.address);
    await tab.locator('tr[data-run] a').first().click();
    await tab.getByText(`up ${shown}`).first().waitFor();
    const dialog = await openDialog(tab, 'Run again…');
    await dialog.getByText(`STAGE=${shown}`, { exact: true }).waitFor();
    await dialog.getByLabel(`Upload ${shown}?`).waitFor();
    assert.doesNotMatch(
      String(await tab.evaluate('document.body.innerText + document.title')),
      /[\u202e\u200b\u00ad\u{e0041}]/u,
    );
    await tab.evaluate('navigator.clipboard.writeText = async (text) => { globalThis.copied = text }');
    await dialog.getByRole('button', { name: 'Copy' }).press('Enter');
    const word = String.raw`$'STAGE:a\342\200\256b\342\200\213\302\255\363\240\201\201'`;
    assert.equal(await tab.evaluate('globalThis.copied'), `cli run ci ${word} --logs --yes`);
  });

  test('two clicks, or Enter held, start one run, and the dialog shows the answer of the first', async (t) => {
    const page = await startPage(t, project(t, FAILING));
    await page.cli('run ci');
    const { id } = await untilState(page, 'failed');
    const tab = await openTab(t, page.address);
    const again = await openDialog(tab, 'Run again…');
    await again.getByRole('button', { name: 'Run again' }).dblclick();
    await again.waitFor({ state: 'detached' });
    await tab.locator(`main[data-state=failed]:not([data-run="${id}"])`).waitFor();
    assert.equal((await page.runs()).length, 2);
    const held = await openDialog(tab, 'Run again…');
    await held.getByRole('button', { name: 'Run again' }).focus();
    for (let count = 0; count < 10; count += 1) await tab.keyboard.down('Enter');
    await held.waitFor({ state: 'detached' });
    await tab.keyboard.up('Enter');
    const [newest] = await page.runs();
    await tab.locator(`main[data-state=failed][data-run="${newest?.id}"]`).waitFor();
    assert.equal((await page.runs()).length, 3);
    page.edit([FAILING[0], waiting('upload')]);
    const resume = await openDialog(tab, 'Resume…');
    await resume.getByRole('button', { name: 'Resume' }).dblclick();
    await resume.waitFor({ state: 'detached' });
    await tab.locator('main[data-state=running]').waitFor();
    writeFileSync(join(page.cwd, 'go'), '');
    await untilState(page, 'succeeded');
  });

  test('an answer that a later one has overtaken is not shown', async (t) => {
    const page = await startPage(t, project(t, FAILING));
    await page.cli('run ci');
    await untilState(page, 'failed');
    page.edit([effect('build', { run: 'echo rebuilt >> effects' }), FAILING[1]]);
    const tab = await openTab(t, page.address);
    const dialog = await openDialog(tab, 'Resume…');
    const released = new EventEmitter();
    const isAnswered = tab.waitForResponse((response) => response.request().postData()?.includes('keep') === true);
    await tab.route(/\/resume$/, async (route) => {
      if (route.request().postData()?.includes('keep') === true) await once(released, 'now');
      await route.continue();
    });
    await dialog.getByRole('button', { name: 'Keep finished steps' }).press('Enter');
    await dialog.getByRole('button', { name: 'Run again from the first conflict' }).press('Enter');
    const plan = dialog.getByRole('group', { name: 'Plan' });
    await plan.getByText('> build  again').waitFor();
    released.emit('now');
    await (await isAnswered).finished();
    await tab.evaluate("fetch('/ui.css').then((answer) => answer.text())");
    assert.match((await plan.textContent()) ?? '', /> build {2}again/);
  });

  test('conflicts disable the button until a choice shows the plan that it makes', async (t) => {
    const page = await startPage(t, project(t, FAILING));
    await page.cli('run ci');
    const { id } = await untilState(page, 'failed');
    page.edit([effect('build', { run: 'echo rebuilt >> effects' }), FAILING[1]]);
    const tab = await openTab(t, page.address);
    const dialog = await openDialog(tab, 'Resume…');
    await dialog.getByText("conflict: step 'build': its command changed since it finished").waitFor();
    const start = dialog.getByRole('button', { name: 'Resume' });
    assert.equal(await start.isDisabled(), true);
    const plan = dialog.getByRole('group', { name: 'Plan' });
    const keep = dialog.getByRole('button', { name: 'Keep finished steps' });
    await keep.press('Enter');
    await plan.getByText('= build  kept: finished, and edited since').waitFor();
    assert.equal(await keep.getAttribute('aria-pressed'), 'true');
    assert.equal(await start.isDisabled(), false);
    await dialog.getByRole('button', { name: 'Run again from the first conflict' }).press('Enter');
    await plan.getByText('> build  again').waitFor();
    const command = await dialog.getByRole('group', { name: 'Command line' }).textContent();
    assert.equal(command, `cli resume ${id} --changed=rerun --logs`);
    await start.press('Enter');
    await dialog.waitFor({ state: 'detached' });
    await untilState(page, 'failed');
    assert.deepEqual(page.effects(), ['build', 'upload', 'rebuilt', 'upload']);
  });

  test('while a start is under way, the decisions stay; what cannot be planned has no plan', async (t) => {
    const page = await startPage(t, project(t, FAILING));
    await page.cli('run ci');
    await untilState(page, 'failed');
    page.edit([effect('build', { run: 'echo rebuilt >> effects' }), FAILING[1]]);
    const tab = await openTab(t, page.address);
    const dialog = await openDialog(tab, 'Resume…');
    const plan = dialog.getByRole('group', { name: 'Plan' });
    const keep = dialog.getByRole('button', { name: 'Keep finished steps' });
    await keep.press('Enter');
    await plan.getByText('= build  kept: finished, and edited since').waitFor();
    const gate = new EventEmitter();
    const released = once(gate, 'now');
    await tab.route(/\/resume$/, async (route) => {
      await released;
      await route.continue();
    });
    await dialog.getByRole('button', { name: 'Resume', exact: true }).press('Enter');
    await dialog.getByRole('button', { name: 'Run again from the first conflict' }).press('Enter');
    assert.equal(await keep.getAttribute('aria-pressed'), 'true');
    rmSync(join(page.cwd, '.cli/workflow.json'));
    gate.emit('now');
    await dialog.getByRole('alert').waitFor();
    const problem = 'cannot read .cli/workflow.json: it does not exist';
    assert.deepEqual(await dialog.getByRole('listitem').allTextContents(), [problem]);
    assert.equal(await plan.count(), 0);
  });

  test('a step that was running when its run was killed runs again, or counts as finished', async (t) => {
    const page = await startPage(t, project(t, [waiting('wait'), effect('after')]));
    const run = await page.start('run ci');
    assert.ok(run.pid !== undefined);
    process.kill(-run.pid, 'SIGKILL');
    const { id } = await untilState(page, 'crashed');
    const tab = await openTab(t, page.address);
    const dialog = await openDialog(tab, 'Resume…');
    const start = dialog.getByRole('button', { name: 'Resume' });
    assert.equal(await start.isDisabled(), true);
    const command = dialog.getByRole('group', { name: 'Command line' });
    await dialog.getByRole('button', { name: 'Run it again' }).press('Enter');
    await command.getByText(`cli resume ${id} --on-crash=rerun --logs`).waitFor();
    await dialog.getByRole('button', { name: 'Count it as finished' }).press('Enter');
    await command.getByText(`cli resume ${id} --done=wait --logs`).waitFor();
    await start.press('Enter');
    await tab.locator('main[data-state=succeeded]').waitFor();
    assert.deepEqual(page.effects(), ['wait', 'after']);
  });

  test('nothing starts that was not shown: not after an edit, and not after another page was faster', async (t) => {
    const page = await startPage(t, project(t, FAILING));
    await page.cli('run ci');
    const { id } = await untilState(page, 'failed');
    const [tab, other] = [await openTab(t, page.address), await openTab(t, page.address)];
    const dialog = await openDialog(tab, 'Resume…');
    page.edit([FAILING[0], waiting('upload')]);
    await dialog.getByRole('button', { name: 'Resume' }).press('Enter');
    await dialog
      .getByRole('alert')
      .getByText('The plan has changed since it was shown. Nothing was started.')
      .waitFor();
    assert.deepEqual(page.effects(), ['build', 'upload']);
    const faster = await openDialog(other, 'Resume…');
    await faster.getByRole('button', { name: 'Resume' }).press('Enter');
    await other.locator('main[data-state=running]').waitFor();
    await dialog.getByRole('button', { name: 'Resume' }).press('Enter');
    await dialog.getByRole('alert').getByText('The state of the run does not allow it. Nothing was started.').waitFor();
    writeFileSync(join(page.cwd, 'go'), '');
    await other.locator(`main[data-run="${id}"][data-state=succeeded]`).waitFor();
    assert.deepEqual(page.effects(), ['build', 'upload', 'upload', 'upload-end']);
  });

  for (const [colorScheme, width] of [
    ['light', 1200],
    ['dark', 320],
  ] as const) {
    test(`axe has no findings in a dialog in ${colorScheme} colours, ${width} pixels wide`, async (t) => {
      const long = { name: 'x'.repeat(200), run: 'false', confirm: 'y'.repeat(100) };
      const page = await startPage(t, project(t, [effect('build'), long]));
      await page.cli('run ci --yes');
      page.edit([effect('build', { run: 'echo rebuilt >> effects' }), long]);
      await untilState(page, 'failed');
      const tab = await openTab(t, page.address, { colorScheme, size: { width, height: 800 }, runsScripts: true });
      const dialog = await openDialog(tab, 'Resume…');
      assert.deepEqual(await findings(tab), []);
      await dialog.getByRole('button', { name: 'Keep finished steps' }).press('Enter');
      await dialog.getByRole('checkbox').waitFor();
      assert.deepEqual(await findings(tab), []);
    });
  }
});
