import assert from 'node:assert/strict';
import { test } from 'node:test';
import { temporaryDirectory } from '../support/cli.ts';
import { quickCli } from '../support/in_process.ts';
import { Monorepo } from '../support/runs/monorepo.ts';
import { random, SEED } from '../support/random/random.ts';

/** The number of random changes; many in `npm run test:checks`. */
const COMMITS = Number(process.env['COMMITS'] ?? 5);

test(`the decisions of --since in a monorepo of 40 packages equal those of a slow model after each of ${COMMITS} random changes`, async (t) => {
  const repository = new Monorepo(temporaryDirectory(t), random(SEED), 40);
  for (let count = 0; count < COMMITS; count += 1) {
    repository.change();
    const args = ['workflow', 'run', 'ci', '--since', 'main', '--dry-run', '--quiet'];
    const { code, stdout, stderr } = await quickCli(args, { cwd: repository.cwd });
    assert.equal(code, 0, stderr);
    const steps: readonly { readonly name: string; readonly since?: { readonly runs: boolean } }[] =
      JSON.parse(stdout).steps;
    const found = steps.flatMap(({ name, since }) => (since?.runs === true ? name : []));
    assert.deepEqual(found.toSorted(), [...repository.model()].toSorted(), `seed ${SEED}, change ${count + 1}`);
    assert.equal(steps.filter(({ since }) => since !== undefined).length, 81);
  }
});
