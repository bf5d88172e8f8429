import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import { quickCli as cli } from '../in_process.ts';
import { ONLY_PATH } from '../environment.ts';
import { asParams, type Subsets } from './subsets.ts';

/**
 * Runs the workflow `asked`, whose steps print lines of the form `place|name|value`, and checks the variables at each
 * place. `places` contains the sources that a place sees, in ascending precedence.
 */
export async function checkPlaces<Source extends string>(
  t: TestContext,
  cwd: string,
  subsets: Subsets<Source | 'parameters' | 'process'>,
  places: Readonly<Record<string, readonly Source[]>>,
): Promise<void> {
  const args = ['workflow', 'run', 'asked', ...asParams(subsets.vars('parameters'))];
  const { stderr } = await cli(args, { cwd, env: { ...ONLY_PATH, ...subsets.vars('process') } });
  const printed = new Map<string, Map<string, string>>();
  for (const line of stderr.split('\n')) {
    const [place = '', name, value] = line.split('|');
    if (name === undefined || value === undefined) continue;
    const seen = printed.get(place) ?? new Map<string, string>();
    printed.set(place, seen.set(name, value));
  }
  assert.deepEqual(new Set(printed.keys()), new Set(Object.keys(places)), stderr.slice(0, 1000));
  for (const [place, sources] of Object.entries(places)) {
    await t.test(`${place} sees ${sources.join(' < ')}`, () => {
      assert.deepEqual(printed.get(place), subsets.winners(sources));
    });
  }
}
