import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { after, type TestContext } from 'node:test';
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

/** The Chromium of this process, and a profile for tabs in which scripts of tests run and one for the others. */
let browser: Promise<Browser> | undefined;
const profiles = new Map<boolean, Promise<BrowserContext>>();

/** Tabs that no test uses now, by profile. */
const idle = new Map<boolean, Tab[]>();

after(async () => (await browser)?.close());

async function profileOf(runsScripts: boolean): Promise<BrowserContext> {
  browser ??= chromium.launch({ executablePath: program('chromium'), args: ARGS });
  return (await browser).newContext({ bypassCSP: runsScripts });
}

/** A tab that no test uses now. */
async function takeTab(runsScripts: boolean): Promise<Tab> {
  const used = idle.get(runsScripts)?.pop();
  if (used !== undefined) return used;
  const profile = profiles.get(runsScripts) ?? profileOf(runsScripts);
  profiles.set(runsScripts, profile);
  return (await profile).newPage();
}

/** Ends what a test has shown in a tab, for the next test. */
async function returnTab(tab: Tab, runsScripts: boolean): Promise<void> {
  tab.removeAllListeners('dialog');
  tab.removeAllListeners('requestfailed');
  await tab.unrouteAll({ behavior: 'ignoreErrors' });
  await tab.goto('about:blank');
  idle.set(runsScripts, [...(idle.get(runsScripts) ?? []), tab]);
}

/**
 * Opens an address in a tab, until the test ends. A start of Chromium takes a second of CPU time, a profile and a tab half
 * of one each: all tests of a process use the same browser, and tabs one after another.
 */
export async function openTab(
  t: TestContext,
  url: string,
  { colorScheme = 'light', size = { width: 1280, height: 720 }, runsScripts = false }: TabSettings = {},
): Promise<Tab> {
  const tab = await takeTab(runsScripts);
  t.after(() => returnTab(tab, runsScripts));
  tab.setDefaultTimeout(PATIENCE);
  await tab.setViewportSize(size);
  await tab.emulateMedia({ colorScheme });
  await tab.goto(url);
  return tab;
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
