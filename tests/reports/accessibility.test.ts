/*
 * axe has no findings in the HTML report, in both colour schemes, on a desktop and a phone.
 */
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test, type TestContext } from 'node:test';
import * as v from 'valibot';
import { cli, temporaryDirectory, ROOT, workflowDirectory } from '../support/cli.ts';
import { ONLY_PATH } from '../support/environment.ts';
import { chromium } from '../support/goldens/chromium.ts';
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

/** The findings of axe about a page, for all its rules. */
async function findingsIn(t: TestContext, page: string, flags: readonly string[]): Promise<string[]> {
  const run = `for (const each of document.querySelectorAll('details')) each.open = true;
    axe.run(document, { resultTypes: ['violations'] }).then(({ violations }) => {
    const text = document.createElement('pre');
    text.id = 'findings';
    text.textContent = encodeURIComponent(JSON.stringify(violations));
    document.body.append(text);
  });`;
  // The policy of a report forbids any script.
  const html = readFileSync(page, 'utf8').replace(/<meta http-equiv="Content-Security-Policy"[^>]*>\n/, '');
  writeFileSync(
    page,
    html.replace('</body>', () => `<script>${AXE}</script><script>${run}</script></body>`),
  );
  const dom = await chromium(t, page, '--dump-dom', '--virtual-time-budget=20000', ...flags);
  const [, found] = /<pre id="findings">([^<]*)</.exec(dom) ?? [];
  assert.ok(found !== undefined, dom.slice(-2000));
  const violations = v.parse(Violations, JSON.parse(decodeURIComponent(found)));
  return violations.flatMap(({ id, nodes }) => nodes.map((node) => `${id}: ${node.html}`));
}

/** The findings of axe about the report of a run. */
async function findingsOf(t: TestContext, file: object, scheme: number, width: number): Promise<string[]> {
  const cwd = workflowDirectory(t, file);
  await cli(['run', 'w', 'VERSION:1.2.0', '--report', 'r.html'], { cwd, env: ONLY_PATH });
  const flags = [`--window-size=${width},900`, `--blink-settings=preferredColorScheme=${scheme}`];
  return findingsIn(t, join(cwd, 'r.html'), flags);
}

describe('reports of runs', { concurrency: 1, ...needs('chromium') }, () => {
  for (const [scheme, flag] of [
    ['light', 1],
    ['dark', 0],
  ] as const) {
    for (const width of [1200, 390]) {
      test(`axe has no findings in a report with every kind of row, in ${scheme} colours, ${width} pixels wide`, async (t) => {
        assert.deepEqual(await findingsOf(t, EVERYTHING, flag, width), []);
      });
    }
  }

  test('axe has no findings in a report with only skipped steps', async (t) => {
    assert.deepEqual(await findingsOf(t, SKIPPED, 1, 1200), []);
  });
});

test('axe finds a mistake in a page', needs('chromium'), async (t) => {
  const page = join(temporaryDirectory(t), 'page.html');
  writeFileSync(
    page,
    '<!doctype html><html lang="en"><title>x</title><main><h1>x</h1><img src="x"></main></body></html>',
  );
  assert.deepEqual(await findingsIn(t, page, []), ['image-alt: <img src="x">']);
});
