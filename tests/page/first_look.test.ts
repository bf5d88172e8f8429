/* What the page of a run shows at the first look, in real Chromium. */
import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test, type TestContext } from 'node:test';
import type { Page as Tab } from 'playwright-core';
import { workflowDirectory } from '../support/cli.ts';
import { openTab } from '../support/goldens/chromium.ts';
import { quickCli } from '../support/in_process.ts';
import { needs } from '../support/needs.ts';
import { startPage } from '../support/runs/started_page.ts';

const FILE = {
  workflows: {
    release: {
      error: 'echo rolled back',
      steps: [
        { name: 'build', run: 'sleep 0.3' },
        { name: 'announce', if: 'ANNOUNCE', run: 'true' },
        { workflow: 'docs', if: 'test -d .cli' },
        { name: 'server', run: 'echo up; exec sleep 94.1', background: true, ready: { output: 'up' } },
        { name: 'publish', run: 'seq 100 140; echo "no access to $REGISTRY"; exit 3' },
      ],
    },
    docs: { steps: [{ name: 'pages', run: 'true' }] },
    other: { steps: ['true'] },
  },
};
const COMMIT = '0123456789abcdef'.repeat(3).slice(0, 40);
const REGISTRY = 'https://registry.example.org/a/path/that/is/long/enough/for/two/lines';

/** A page with a run that failed twice, and with one that succeeded, in a window of a width. */
async function failedRun(t: TestContext, width: number): Promise<Tab> {
  const cwd = workflowDirectory(t, FILE);
  const env = { CLI_NO_JOURNAL: undefined };
  mkdirSync(join(cwd, '.git'));
  writeFileSync(join(cwd, '.git/HEAD'), `${COMMIT}\n`);
  await quickCli(['run', 'release', 'VERSION:1.2 beta', `REGISTRY:${REGISTRY}`, '--logs'], { cwd, env });
  await quickCli(['resume', '--last', '--logs'], { cwd, env });
  await quickCli(['run', 'other'], { cwd, env });
  const { address } = await startPage(t, { cwd });
  return openTab(t, address, { size: { width, height: 900 } });
}

/** The texts of elements. */
const texts = async (tab: Tab, selector: string): Promise<readonly string[]> => tab.locator(selector).allTextContents();

/** The elements whose content is cut at their edge, or that reach beyond the window. */
const CUT = `[...document.querySelectorAll('body *')].filter((each) => {
  const { overflowX } = getComputedStyle(each);
  const isCut = overflowX === 'hidden' && each.scrollWidth > each.clientWidth + 1;
  return each.closest('.hidden, svg') === null && (isCut || each.getBoundingClientRect().right > innerWidth + 1);
}).map((each) => each.outerHTML.slice(0, 200))`;

describe('the page of a run at the first look', { concurrency: 1, ...needs('chromium') }, () => {
  test('a failed run begins with the failure and the way to continue; then steps, graph, times and parameters', async (t) => {
    const tab = await failedRun(t, 1400);
    assert.deepEqual((await texts(tab, 'tr[data-run] a')).toSorted(), ['other', 'release']);
    const row = tab.locator('tr[data-run][data-state=failed]');
    assert.equal(await row.locator('.params').textContent(), ` VERSION=1.2 beta REGISTRY=${REGISTRY}`);
    assert.equal(await row.locator('.commit').textContent(), COMMIT.slice(0, 10));
    assert.equal(await row.locator('.commit').getAttribute('title'), COMMIT);
    assert.match(String(await row.locator('.age').textContent()), /^\d+s ago$/);
    assert.match(String(await row.locator('.age').getAttribute('title')), /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/);
    assert.deepEqual(
      await tab.locator('.bars rect').evaluateAll((bars) => bars.map((bar) => bar.getAttribute('class'))),
      ['succeeded', 'failed'],
    );
    await row.locator('a').click();
    const failure = tab.getByRole('region', { name: 'What failed' });
    await failure.getByRole('log').getByText('no access to').waitFor();
    assert.equal(await failure.getByRole('heading').textContent(), 'publish: exit code 3');
    const output = String(await failure.getByRole('log').textContent()).split('\n');
    assert.deepEqual(output.slice(1, 3), ['122', '123']);
    assert.deepEqual(output.slice(-2), [`no access to ${REGISTRY}`, '']);
    const id = await tab.locator('main').getAttribute('data-run');
    assert.equal(await failure.getByRole('group', { name: 'Command line' }).textContent(), `cli resume ${id}`);
    assert.deepEqual(await texts(tab, 'h2'), ['publish: exit code 3', 'Steps', 'Graph', 'About this run']);
    assert.deepEqual(await texts(tab, '.steps tbody tr .step'), [
      'build',
      'announce',
      'docs',
      'pages',
      'server',
      'publish',
      'hookerror',
    ]);
    assert.match((await texts(tab, '[data-step=server] .result')).join(), /^✓ stopped, ready after \d+ ms$/);
    assert.deepEqual(await texts(tab, '.params[aria-label] tr'), ['VERSION1.2 beta', `REGISTRY${REGISTRY}`]);
    assert.deepEqual(
      (await texts(tab, '[data-session]')).map((text) => text.replace(/ after .*? on \S+?(?=publish)/, ' ')),
      ['failed publish: exit code 3', 'failed publish: exit code 3'],
    );
  });

  test('times stand on the axis, the graph shows the order and what conditions ask, and the plan is there as text', async (t) => {
    const tab = await failedRun(t, 1400);
    await tab.locator('tr[data-run][data-state=failed] a').click();
    await tab.locator('.steps thead svg text').first().waitFor();
    const labels = await texts(tab, '.steps thead svg text');
    assert.ok(labels.length > 1 && labels[0] === '0' && labels.slice(1).every((label) => /^[\d.]+ m?s$/.test(label)));
    // The second session begins at the end of the first one, without the time between them.
    assert.equal(await tab.locator('[data-step=publish] .line line').count(), 1);
    const graph = tab.getByRole('group', { name: 'Graph' });
    assert.deepEqual(
      await graph
        .locator('.asks')
        .evaluateAll((all) =>
          all.map((each) => `${each.textContent} → ${each.closest('[data-node]')?.getAttribute('data-node')}`),
        ),
      ['if ANNOUNCE → announce', 'if test -d .cli → docs'],
    );
    assert.equal(await graph.locator('.box[data-node=docs] [data-node="docs/pages"]').count(), 1);
    const lines = await tab.evaluate(
      "[...document.querySelectorAll('[aria-label=Graph] > *')].map((each) => getComputedStyle(each, '::before').borderLeftWidth)",
    );
    assert.deepEqual(lines, ['0px', '2px', '2px', '2px', '2px', '2px']);
    await tab.getByText('Plan as text').click();
    assert.equal(
      await tab.getByRole('group', { name: 'Plan' }).textContent(),
      `workflow release
  - build  sleep 0.3
  - announce  (if ANNOUNCE)  true
  > docs  (if test -d .cli)
    - pages  true
  - server  echo up; exec sleep 94.1
  - publish  seq 100 140; echo "no access to $REGISTRY"; exit 3
  [error]  echo rolled back`,
    );
  });

  test('nothing is cut at 800 px; at 360 px the result stands before the output, and a run takes two lines', async (t) => {
    const tab = await failedRun(t, 800);
    const row = tab.locator('tr[data-run][data-state=failed]');
    await row.waitFor();
    assert.deepEqual(await tab.evaluate(CUT), []);
    await tab.setViewportSize({ width: 360, height: 800 });
    // Two lines of 1.5 times the size of the font, and the space around them.
    assert.ok(((await row.boundingBox())?.height ?? 100) < 65);
    await row.locator('a').click();
    await tab.locator('[data-step=publish] button').click();
    const output = tab.locator('.details').getByRole('log', { name: 'Output of publish' });
    await output.getByText('no access').waitFor();
    const [result, printed] = [
      await tab.locator('[data-step=publish] .result').boundingBox(),
      await output.boundingBox(),
    ];
    assert.ok(result !== null && printed !== null && result.y + result.height <= printed.y);
    assert.deepEqual(await tab.evaluate(CUT), []);
    await tab.setViewportSize({ width: 800, height: 800 });
    assert.deepEqual(await tab.evaluate(CUT), []);
  });
});
