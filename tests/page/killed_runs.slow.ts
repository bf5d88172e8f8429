/*
 * Kills runs and resumes at random moments while Chromium shows them: no page may show a final state that is not the one of
 * the record, not even for a moment. KILLS is the number of kills.
 */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import type { Page as Tab } from 'playwright-core';
import { openTab } from '../support/goldens/chromium.ts';
import { needs } from '../support/needs.ts';
import { random, SEED, type Random } from '../support/random/random.ts';
import { killAlone, project, startRecorded, type Project } from '../support/runs/recorded_run.ts';
import { startPage } from '../support/runs/started_page.ts';
import { until } from '../support/until.ts';

const KILLS = Number(process.env['KILLS'] ?? 3);

/** The greatest time between the record of a session and its kill, in milliseconds: a run takes half of it. */
const LATEST = 300;

/** Collects the states that a tab shows of each run, one after another, in `seen`. */
const OBSERVE = `
  window.seen = [];
  const last = new Map();
  const note = () => {
    for (const { dataset: { run, state } } of document.querySelectorAll('[data-run][data-state]')) {
      if (last.get(run) !== state) seen.push(run + ' ' + state);
      last.set(run, state);
    }
  };
  new MutationObserver(note).observe(document.body, { subtree: true, childList: true, attributes: true });
  note();
`;

/** The number of sessions of a run. */
function sessionsOf({ cwd }: Project, run: string): number {
  const directory = join(cwd, '.cli/runs', run);
  return readdirSync(directory).filter((name) => /^session-\d+\.ndjson$/.test(name)).length;
}

/** The state of a run whose process has ended, by the last line of its record. */
function recordedState(own: Project, run: string): string {
  const file = join(own.cwd, '.cli/runs', run, `session-${sessionsOf(own, run)}.ndjson`);
  const finish = /"kind":"finish","success":(true|false).*\n$/.exec(readFileSync(file, 'utf8'));
  return finish === null ? 'crashed' : finish[1] === 'true' ? 'succeeded' : 'failed';
}

function runsOf({ cwd }: Project): readonly string[] {
  const runs = join(cwd, '.cli/runs');
  return existsSync(runs) ? readdirSync(runs).filter((name) => name !== '.gitignore') : [];
}

/** A short step of random length, which fails now and then. */
const randomStep = (draw: Random): string => `sleep 0.0${draw.below(6)}; exit ${draw.chance(0.2) ? 3 : 0}`;

describe('killed runs on the page in Chromium', { concurrency: 1, ...needs('chromium') }, () => {
  test(`after ${KILLS} kills at random moments, the page has shown no wrong final state (seed ${SEED})`, async (t) => {
    const draw = random(SEED);
    const own = project(t, ['true']);
    const page = await startPage(t, own);
    const [list, view] = [await openTab(t, page.address), await openTab(t, page.address)];
    for (const tab of [list, view]) await tab.getByRole('heading', { name: 'Runs' }).waitFor();
    for (const tab of [list, view]) await tab.evaluate(OBSERVE);
    const counts: Record<string, number> = { kills: 0 };
    let crashed: string | undefined;
    while ((counts['kills'] ?? 0) < KILLS) {
      own.edit(Array.from({ length: 1 + draw.below(3) }, () => randomStep(draw)));
      const before = runsOf(own);
      const resumed = draw.chance(0.3) ? crashed : undefined;
      const session = resumed === undefined ? 1 : sessionsOf(own, resumed) + 1;
      const words = resumed === undefined ? ['run', 'ci'] : ['resume', resumed, '--on-crash=rerun', '--changed=rerun'];
      const child = startRecorded(own.cwd, words);
      const ended = once(child, 'exit');
      let run = resumed;
      await until(
        () => {
          run ??= runsOf(own).find((id) => !before.includes(id));
          return run !== undefined && (sessionsOf(own, run) === session || child.exitCode !== null);
        },
        () => `the record of ${words.join(' ')}`,
        2,
      );
      assert.ok(run !== undefined);
      // Nothing resumes a run as long as the step that was killed with it is running.
      if (sessionsOf(own, run) < session) continue;
      await view.evaluate(`location.hash = '#/runs/${run}'`);
      await delay(draw.below(LATEST));
      const isKilled = child.exitCode === null;
      if (isKilled) await killAlone(child);
      await ended;
      const state = recordedState(own, run);
      crashed = state === 'crashed' ? run : undefined;
      await list.locator(`tr[data-run="${run}"][data-state=${state}]`).waitFor();
      await view.locator(`main[data-run="${run}"][data-state=${state}]`).waitFor();
      assert.equal(await view.locator('[data-step][data-state=running]').count(), 0);
      for (const tab of [list, view]) await checkSeen(tab, run, [...(resumed === undefined ? [] : ['crashed']), state]);
      for (const what of [isKilled ? 'kills' : 'ends', state]) counts[what] = (counts[what] ?? 0) + 1;
    }
    const shown: Record<string, string> = await list.evaluate(
      "Object.fromEntries([...document.querySelectorAll('tr[data-run]')].map(({ dataset: { run, state } }) => [run, state]))",
    );
    for (const [run, state] of Object.entries(shown)) assert.equal(state, recordedState(own, run));
    t.diagnostic(JSON.stringify(counts));
  });
});

/** Checks the final states that a tab has shown of a run since the last check: some of the given ones, in their order. */
async function checkSeen(tab: Tab, run: string, states: readonly string[]): Promise<void> {
  const lines: readonly string[] = await tab.evaluate('seen.splice(0)');
  const seen = lines.filter((line) => line.startsWith(`${run} `) && line !== `${run} running`);
  const allowed = states.map((state) => `${run} ${state}`);
  const isAllowed = seen.every((line, index) => line === allowed.slice(allowed.length - seen.length)[index]);
  assert.ok(isAllowed, `${lines.join(', ')} instead of ${allowed.join(', ')}`);
}
