import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { after, before, type TestContext } from 'node:test';
import { chromium, type Browser, type BrowserContext, type Page as Tab } from 'playwright-core';
import { program } from '../needs.ts';

/** A time in which a browser on a busy machine shows anything, in milliseconds. */
const PATIENCE = 60_000;

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

const ARGS = ['--no-sandbox', '--disable-gpu', '--disable-software-rasterizer'];

/** What a tab pretends to be. `runsScripts`: scripts of the test run whatever the policy of the page says. */
export type TabSettings = Readonly<{
  colorScheme?: 'light' | 'dark';
  size?: Readonly<{ width: number; height: number }>;
  runsScripts?: boolean;
}>;

/** Opens an address in a tab of its own. */
type OpenTab = (t: TestContext, url: string, settings?: TabSettings) => Promise<Tab>;

/**
 * One headless Chromium for all tests of the suite that calls this: a start takes a second of CPU time, and a profile half
 * of one.
 */
export function useChromium(): OpenTab {
  let browser: Browser | undefined;
  const profiles = new Map<boolean, Promise<BrowserContext>>();
  before(async () => {
    browser = await chromium.launch({ executablePath: program('chromium'), args: ARGS });
  });
  after(async () => browser?.close());
  return async (t, url, { colorScheme = 'light', size = { width: 1280, height: 720 }, runsScripts = false } = {}) => {
    assert.ok(browser !== undefined);
    const profile = profiles.get(runsScripts) ?? browser.newContext({ bypassCSP: runsScripts });
    profiles.set(runsScripts, profile);
    const tab = await (await profile).newPage();
    t.after(() => tab.close());
    tab.setDefaultTimeout(PATIENCE);
    await tab.setViewportSize(size);
    await tab.emulateMedia({ colorScheme });
    await tab.goto(url);
    return tab;
  };
}

/** What axe finds in a tab, that runs scripts, and what is wider than its window. */
export async function findings(tab: Tab): Promise<readonly string[]> {
  await tab.evaluate(AXE);
  const found: readonly string[] = await tab.evaluate(
    "axe.run().then(({ violations }) => violations.flatMap(({ id, nodes }) => nodes.map((node) => id + ': ' + node.html)))",
  );
  const wide: readonly string[] = await tab.evaluate(
    "[...document.querySelectorAll('body *')].filter((each) => each.getBoundingClientRect().right > innerWidth + 1 && each.closest('pre, .hidden') === null && getComputedStyle(each).position !== 'absolute').map((each) => each.outerHTML)",
  );
  return [...found, ...wide];
}
