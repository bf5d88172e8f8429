import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test, type TestContext } from 'node:test';
import type { Page as Tab } from 'playwright-core';
import { workflowDirectory } from '../support/cli.ts';
import { findings, openTab } from '../support/goldens/chromium.ts';
import { needs } from '../support/needs.ts';
import { ownPostgres } from '../support/remote/postgres.ts';
import { ENGINE, needsPostgres, remoteCli, startWorker } from '../support/remote/workers.ts';
import { startPage } from '../support/runs/started_page.ts';

const server = ownPostgres();
const LIMITED = { ...needsPostgres(), ...needs('chromium') };

const FILE = {
  workflows: {
    main: {
      steps: [
        { name: 'build', run: 'echo built' },
        { name: 'upload', run: 'echo "no route to host" >&2; exit 3' },
        { name: 'announce', run: 'true' },
      ],
    },
    long: { steps: [{ name: 'wait', run: 'echo ready; sleep 60' }] },
    held: {
      steps: [
        { name: 'hold', run: 'echo held; until [ -e go ]; do sleep 0.1; done; echo on' },
        { name: 'last', run: 'echo last' },
      ],
    },
  },
};

/** A password that the server does not ask for. */
const PASSWORD = 'unseen-password';

function urlOf(): string {
  const url = new URL(server().url);
  url.password = PASSWORD;
  return url.href;
}

async function servedPage(t: TestContext, cwd: string, ...flags: readonly string[]) {
  return startPage(t, { cwd }, { CLI_ENGINE: ENGINE }, ['--on', urlOf(), ...flags]);
}

async function submit(cwd: string, ...words: readonly string[]): Promise<void> {
  const { code, stderr } = await remoteCli(['workflow', 'run', ...words, '--on', server().url, '--detach'], cwd);
  assert.equal(code, 0, stderr);
}

/** Opens the view of a run from the list. */
async function openRun(tab: Tab, id: string, state: string): Promise<void> {
  await tab.goto(`${new URL(tab.url()).origin}/#/`);
  await tab.locator(`tr[data-run=${id}][data-state=${state}] a`).click();
  await tab.locator(`main[data-run=${id}]`).waitFor();
}

describe('the page of the runs of all workers', { concurrency: 1, ...LIMITED }, () => {
  test('shows steps, output and the command line to resume, cancels queued and running runs, and hides the URL', async (t) => {
    const cwd = workflowDirectory(t, FILE);
    await startWorker(t, server(), cwd, { flags: ['--name', 'first', '--jobs', '2'] });
    await submit(cwd, 'main', 'STAGE:<b>prod', '--id', 'Failing.run', '--lock', 'deploy');
    await submit(cwd, 'long', '--id', 'long_run');
    await submit(cwd, 'main', '--id', 'queued-run', '--tag', 'nobody');
    const page = await servedPage(t, cwd);
    const tab = await openTab(t, page.address, { runsScripts: true });
    await tab.getByText('Runs of all workers').waitFor();
    await openRun(tab, 'Failing\\.run', 'failed');
    await tab.getByRole('heading', { level: 1, name: 'main' }).waitFor();
    const states = await tab
      .locator('tr[data-step]')
      .evaluateAll((rows) => rows.map((row) => `${row.getAttribute('data-step')} ${row.getAttribute('data-state')}`));
    assert.deepEqual(states, ['build succeeded', 'upload failed', 'announce not reached']);
    await tab.locator('[data-step=upload] .toggle').click();
    await tab.locator('.details').getByText('.cli/workflow.json:1:', { exact: false }).waitFor();
    await tab.getByRole('log', { name: 'Output of Failing.run' }).getByText('no route to host').waitFor();
    assert.match(String(await tab.locator('dl').textContent()), /WorkerfirstLockdeployParametersSTAGE<b>prod/);
    assert.equal(await tab.getByRole('group', { name: 'Command line' }).textContent(), 'cli runs resume Failing.run');
    assert.deepEqual(await tab.locator('.buttons button').allTextContents(), ['Copy']);
    assert.deepEqual(await findings(tab), []);
    for (const [id, state] of [
      ['queued-run', 'queued'],
      ['long_run', 'running'],
    ] as const) {
      await openRun(tab, id, state);
      if (state === 'running') await tab.getByRole('log').getByText('ready').waitFor();
      assert.deepEqual(await tab.locator('.buttons button').allTextContents(), ['Cancel']);
      await tab.getByRole('button', { name: 'Cancel' }).press('Enter');
      await tab.getByRole('button', { name: 'Cancel the run' }).press('Enter');
      await tab.locator(`main[data-run=${id}][data-state=cancelled]`).waitFor();
    }
    for (const path of ['/api/runs', '/api/runs/Failing.run', '/api/runs/Failing.run/log', '/api/runs/none']) {
      assert.doesNotMatch(await page.get(path), /unseen-password|postgres:/);
    }
    for (const action of ['resume', 'again', 'cancel'])
      assert.equal((await page.post('Failing.run', action, {}))[0], 409);
    const reading = await servedPage(t, cwd, '--read-only');
    assert.equal((await reading.post('Failing.run', 'cancel', {}))[0], 403);
  });

  test('follows a run from a killed worker to the next, and through the loss of the database', async (t) => {
    const cwd = workflowDirectory(t, FILE);
    const first = await startWorker(t, server(), cwd, { flags: ['--name', 'first'] });
    await submit(cwd, 'held', '--id', 'moved');
    const page = await servedPage(t, cwd);
    const tab = await openTab(t, page.address);
    await openRun(tab, 'moved', 'running');
    await tab.getByRole('log').getByText('held').waitFor();
    await startWorker(t, server(), cwd, { flags: ['--name', 'second'] });
    first.child.kill('SIGKILL');
    await tab.locator('dl').getByText('second').waitFor();
    await tab.locator('dl').getByText('1×').waitFor();
    await server().stop();
    const lost = tab.getByRole('status').getByText('Connection lost. This is the last known state.');
    await lost.waitFor();
    assert.equal(await tab.locator('main[data-run=moved][data-state=running]').count(), 1);
    await server().start();
    await lost.waitFor({ state: 'detached' });
    writeFileSync(join(cwd, 'go'), '');
    await tab.locator('main[data-run=moved][data-state=succeeded] [data-step=last][data-state=succeeded]').waitFor();
    await tab.getByRole('log').getByText('last').waitFor();
  });
});
