import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { temporaryDirectory } from '../support/cli.ts';
import { callClient } from '../support/remote/client.ts';
import { ranIn } from '../support/remote/executions.ts';
import { sharedPostgres } from '../support/remote/postgres.ts';
import { needsPostgres, remoteCli, startWorker } from '../support/remote/workers.ts';

const server = sharedPostgres();
const LIMITED = needsPostgres();

/** A command that records each execution in the directory of its case: one worker runs all of them. */
const note = (name: string): string => `echo ${name} >> "$AT/ran"`;

/** The same, which fails until the file `fixed` exists. */
const broken = (name: string): string => `${note(name)}; test -e "$AT/fixed"`;

const HOOKS = { before_all: note('before'), after_all: note('after'), error: note('error'), finally: note('finally') };

/** Workflows that fail until the file `fixed` exists, and the commands that run in both sessions. */
const FAILURES: Readonly<Record<string, readonly [file: object, ran: string]>> = {
  'a failed step': [
    {
      ...HOOKS,
      workflows: {
        main: {
          steps: [
            { name: 'number', run: `${note('number')}; echo 7`, outputs: { N: 'text' } },
            { name: 'skipped', run: note('never'), if: `${note('condition')}; false` },
            { name: 'guarded', run: note('guarded'), if: note('condition') },
            { name: 'allowed', run: `${note('allowed')}; false`, allow_failure: true },
            {
              name: 'flaky',
              run: `${note('flaky')}; test "$(grep -c flaky "$AT/ran")" = 2`,
              retry: { max_attempts: 2, delay: '1ms' },
            },
            { name: 'bad', run: broken('bad') },
            { name: 'last', run: note('"last ${steps.number.N}"') },
          ],
        },
      },
    },
    'before number condition condition guarded allowed flaky flaky bad error finally before bad last 7 after finally',
  ],
  'a failed hook': [
    { ...HOOKS, finally: broken('finally'), workflows: { main: { steps: [note('step')] } } },
    'before step after finally before finally',
  ],
  'a failed setup': [
    { ...HOOKS, before_all: broken('before'), workflows: { main: { steps: [note('step')] } } },
    'before error finally before step after finally',
  ],
  'hooks of workflows': [
    {
      workflows: {
        main: {
          error: note('error'),
          finally: note('finally'),
          steps: [
            { workflow: 'one' },
            { parallel: [{ workflow: 'two' }, { workflow: 'one' }], max_parallel: 1 },
            note('last'),
          ],
        },
        one: { finally: note('one-finally'), steps: [note('a')] },
        two: { error: note('two-error'), finally: note('two-finally'), steps: [note('b'), broken('bad')] },
      },
    },
    'a one-finally b bad two-error two-finally a one-finally error finally bad two-finally last finally',
  ],
  'a failed finally of a called workflow': [
    {
      workflows: {
        main: { error: note('error'), finally: note('finally'), steps: [{ workflow: 'one' }, note('last')] },
        one: { finally: broken('clean'), steps: [note('a')] },
      },
    },
    'a clean error finally clean last finally',
  ],
  'a timeout': [
    {
      workflows: {
        main: {
          steps: [note('a'), { run: `${note('slow')}; test -e "$AT/fixed" || sleep 60`, timeout: '2s' }, note('b')],
        },
      },
    },
    'a slow slow b',
  ],
  'a member of a group': [
    {
      workflows: {
        main: {
          steps: [{ parallel: [broken('a'), note('b'), note('c')], max_parallel: 1, fail_fast: false }, note('d')],
        },
      },
    },
    'a b c a d',
  ],
};

async function compare(
  [here, there]: readonly [here: string, there: string],
  id: string,
  [file, ran]: readonly [object, string],
): Promise<void> {
  for (const directory of [here, there]) {
    mkdirSync(join(directory, id));
    writeFileSync(join(directory, `${id}.json`), JSON.stringify({ env: { AT: id }, ...file }));
  }
  const fix = (directory: string): void => writeFileSync(join(directory, id, 'fixed'), '');
  const on = ['--on', server().url];
  const line = ['workflow', 'run', 'main', '--file', `${id}.json`, '-q'];
  const failed = await remoteCli([...line, ...on, '--id', id], there);
  assert.equal(failed.code, 1, failed.stderr);
  fix(there);
  const remote = await remoteCli(['workflow', 'runs', 'resume', id, ...on], there);
  const env = { ...process.env, CLI_NO_JOURNAL: undefined };
  assert.equal((await callClient(line, here, env).ended).code, 1);
  fix(here);
  const local = await callClient(['workflow', 'resume', '--last', '-q'], here, env).ended;
  assert.deepEqual([id, remote.code, remote.stdout], [id, 0, local.stdout], remote.stderr);
  assert.deepEqual([id, ranIn(join(here, id)), ranIn(join(there, id))], [id, ran, ran]);
}

test('a remote resume has the same effect as a local one', LIMITED, async (t) => {
  const failures = Object.entries(FAILURES);
  const there = temporaryDirectory(t);
  await startWorker(t, server(), there, { flags: ['--jobs', String(failures.length)] });
  const compareAll = failures.map(([title, failure]) =>
    compare([temporaryDirectory(t), there], title.replaceAll(' ', '-'), failure),
  );
  await Promise.all(compareAll);
});
