/*
 * axe has no findings in the HTML report, in both colour schemes, on a desktop and a phone.
 */
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test, type TestContext } from 'node:test';
import * as v from 'valibot';
import { temporaryDirectory, ROOT, workflowDirectory } from '../support/cli.ts';
import { quickCli as cli } from '../support/in_process.ts';
import { ONLY_PATH } from '../support/environment.ts';
import { openTab, type TabSettings } from '../support/goldens/chromium.ts';
import { needs } from '../support/needs.ts';

const AXE = readFileSync(join(ROOT, 'node_modules/axe-core/axe.min.js'), 'utf8');

/** A run with every state of a step, calls, groups, output, and names longer than any column. */
const EVERYTHING = {
  before_all: 'true',
  error: 'echo notified',
  workflows: {
    w: {
      steps: [
        { name: 'build', run: 'echo compiling' },
        { workflow: 'lib', with: { MODE: 'fast' } },
        { name: 'flaky', run: 'echo no network; exit 3', allow_failure: true },
        { name: 'publish '.repeat(20), if: 'PUBLISH', run: 'true' },
        {
          parallel: [
            { name: 'one', run: 'true' },
            { name: 'two', run: 'true' },
          ],
        },
        { name: 'bad', run: 'echo "x: cannot open"; exit 4', retry: { max_attempts: 2, delay: '1ms' } },
        { name: 'never', run: 'true' },
      ],
    },
    lib: { private: true, steps: [{ name: 'compile', if: 'true', run: 'true' }] },
  },
};

const SKIPPED = { workflows: { w: { steps: [{ name: 'off', if: 'NEVER', run: 'true' }] } } };

const Violations = v.array(v.object({ id: v.string(), nodes: v.array(v.object({ html: v.string() })) }));

const ALL_ROWS = "for (const each of document.querySelectorAll('details')) each.open = true;";

const RUN = "axe.run(document, { resultTypes: ['violations'] }).then(({ violations }) => JSON.stringify(violations))";

/** The path of the report of a run. */
async function reportOf(t: TestContext, file: object): Promise<string> {
  const cwd = workflowDirectory(t, file);
  await cli(['run', 'w', 'VERSION:1.2.0', '--report', 'r.html'], { cwd, env: ONLY_PATH });
  return join(cwd, 'r.html');
}

/** The findings of axe about a page, for all its rules. The policy of a report forbids any script but that of a test. */
async function findingsIn(t: TestContext, page: string, settings: TabSettings = {}): Promise<string[]> {
  const tab = await openTab(t, `file://${page}`, { ...settings, runsScripts: true });
  await tab.evaluate(`${AXE};${ALL_ROWS}`);
  const violations = v.parse(Violations, JSON.parse(await tab.evaluate(RUN)));
  return violations.flatMap(({ id, nodes }) => nodes.map((node) => `${id}: ${node.html}`));
}

describe('pages in Chromium', { concurrency: 1, ...needs('chromium') }, () => {
  for (const colorScheme of ['light', 'dark'] as const) {
    for (const width of [1200, 390]) {
      test(`axe has no findings in a report with every kind of row, in ${colorScheme} colours, ${width} pixels wide`, async (t) => {
        const settings = { colorScheme, size: { width, height: 900 } };
        assert.deepEqual(await findingsIn(t, await reportOf(t, EVERYTHING), settings), []);
      });
    }
  }

  test('axe has no findings in a report with only skipped steps', async (t) => {
    assert.deepEqual(await findingsIn(t, await reportOf(t, SKIPPED)), []);
  });

  test('axe finds a mistake in a page', async (t) => {
    const page = join(temporaryDirectory(t), 'page.html');
    writeFileSync(
      page,
      '<!doctype html><html lang="en"><title>x</title><main><h1>x</h1><img src="x"></main></body></html>',
    );
    assert.deepEqual(await findingsIn(t, page), ['image-alt: <img src="x">']);
  });
});
