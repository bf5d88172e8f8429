/*
 * Kills random workflows at random moments, edits their files, and resumes them, until they have succeeded. KILLS is the
 * number of kills. FUZZ_SEED repeats a series, as far as timing allows.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { inspect } from 'node:util';
import { random, SEED } from '../support/random/random.ts';
import { KillRun } from '../support/runs/kills/kill_run.ts';

const KILLS = Number(process.env['KILLS'] ?? 8);

/** The number of runs at the same time. */
const LANES = Math.min(8, Math.ceil(KILLS / 4));

test(
  `${KILLS} kills at random moments, and edits before the resumes, lose no finished step and repeat none unasked (seed ${SEED})`,
  { skip: process.platform !== 'linux' },
  async (t) => {
    const counts = new Map<string, number>();
    const failures: string[] = [];
    const count = (what: string): void => void counts.set(what, (counts.get(what) ?? 0) + 1);
    const isEnough = (): boolean => {
      const kills = [...counts].filter(([what]) => what.startsWith('kills by '));
      return failures.length > 0 || kills.reduce((sum, [, number]) => sum + number, 0) >= KILLS;
    };
    let seed = SEED;
    const lane = async (): Promise<void> => {
      while (!isEnough()) {
        const own = seed;
        seed += 1;
        const run = new KillRun(t, random(own), count);
        try {
          await run.carryOut(isEnough);
        } catch (error) {
          const again = `FUZZ_SEED=${own} KILLS=10 repeats it, if the moments are the same:`;
          failures.push([again, ...run.story, inspect(error)].join('\n'));
        }
        count('runs');
      }
    };
    await Promise.all(Array.from({ length: LANES }, lane));
    assert.ok(failures.length === 0, failures.join('\n\n'));
    t.diagnostic(
      [...counts]
        .map(([what, number]) => `${number} ${what}`)
        .toSorted()
        .join(', '),
    );
  },
);
