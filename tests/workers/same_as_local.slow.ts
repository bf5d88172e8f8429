import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { temporaryDirectory, withoutLongestChain, type CommandResult } from '../support/cli.ts';
import { ONLY_PATH } from '../support/environment.ts';
import { argvOf, caseOf } from '../support/goldens/goldens.ts';
import { representativeCases } from '../support/goldens/representative.ts';
import { callClient } from '../support/remote/client.ts';
import { sharedPostgres } from '../support/remote/postgres.ts';
import { needsPostgres, remoteCli, startWorker } from '../support/remote/workers.ts';

const server = sharedPostgres();

/** The cases that differ, with the reasons. */
const OTHERS: Readonly<Record<string, string>> = {
  'standard-input': 'the standard input of a remote run is empty',
  inputs: 'a parameter is secret, and would be stored',
  'inputs-without-valid-values': 'a parameter is secret, and would be stored',
  'matrix-only-one-step': 'a part of a workflow runs only here',
  'hooks-of-a-selected-part': 'a part of a workflow runs only here',
};

/** The cases with two members of a group that end at the same time, whose lines come in any order. */
const UNORDERED = new Set(['included-files']);

/** The lines that only a remote run prints. */
const OWN_LINES =
  /^cli: (?:run \S+ is queued(?: for a worker with the tag '\S+')?|to continue.*: cli runs resume \S+)\n/gm;

/** A case with files has a worker in its directory, where commands and dotenv files find them. */
function tagOf(name: string): string[] {
  return existsSync(join(caseOf('runs', name).directory, 'files')) ? ['--tag', name] : [];
}

function comparable(name: string, result: CommandResult): CommandResult {
  const stderr = withoutLongestChain(result.stderr);
  return { ...result, stderr: UNORDERED.has(name) ? stderr.split('\n').toSorted().join('\n') : stderr };
}

test('a run on a worker prints the same as a local run', { ...needsPostgres(), timeout: 600_000 }, async (t) => {
  await startWorker(t, server(), temporaryDirectory(t, { 'workflow.json': {} }), {
    flags: ['--jobs', '4'],
    env: ONLY_PATH,
  });
  const cases = representativeCases('runs', Object.keys(OTHERS));
  for (const name of cases.filter((each) => tagOf(each).length > 0)) {
    await startWorker(t, server(), caseOf('runs', name).directory, { flags: tagOf(name), env: ONLY_PATH });
  }
  const differing: string[] = [];
  const waiting = cases.values();
  const work = async (): Promise<void> => {
    for (const name of waiting) {
      const given = caseOf('runs', name);
      const args = ['workflow', 'run', '--file', given.file, '--pretty', '--no-ci', ...argvOf(given)];
      const local = await callClient(args, given.directory, ONLY_PATH).ended;
      const on = ['--on', server().url, ...tagOf(name), ...args.slice(2)];
      const remote = await remoteCli(['workflow', 'run', ...on], given.directory, ONLY_PATH);
      const own = { ...remote, stderr: remote.stderr.replaceAll(OWN_LINES, '') };
      try {
        assert.deepEqual(comparable(name, own), comparable(name, local));
      } catch (error) {
        differing.push(`${name}: ${String(error)}`);
      }
    }
  };
  await Promise.all([work(), work(), work(), work()]);
  assert.deepEqual(differing, []);
});
