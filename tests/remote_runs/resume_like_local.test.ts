import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { cliWithAnnouncements, workflowDirectory } from '../support/cli.ts';
import { broken, note, ranIn } from '../support/remote/executions.ts';
import { needsPostgres, remoteCli, sharedPostgres, startWorker } from '../support/remote/workers.ts';

const server = sharedPostgres();
const LIMITED = needsPostgres();

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
              run: `${note('flaky')}; test "$(grep -c flaky ran)" = 2`,
              retry: { max_attempts: 2, delay: '1ms' },
            },
            { name: 'bad', run: broken('bad') },
            { name: 'last', run: 'echo "last ${steps.number.N}" >> ran' },
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
        main: { steps: [note('a'), { run: `${note('slow')}; test -e fixed || sleep 60`, timeout: '2s' }, note('b')] },
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

async function compare(t: TestContext, title: string, [file, ran]: readonly [object, string]): Promise<void> {
  const env = { CLI_NO_JOURNAL: undefined };
  const tag = title.replaceAll(' ', '-');
  const [here, there] = [workflowDirectory(t, file), workflowDirectory(t, file)];
  await startWorker(t, server(), there, { flags: ['--tag', tag] });
  const on = ['--on', server().url];
  const failed = await remoteCli(['workflow', 'run', 'main', ...on, '--tag', tag, '--id', tag, '-q'], there);
  assert.equal(failed.code, 1, failed.stderr);
  writeFileSync(join(there, 'fixed'), '');
  const remote = await remoteCli(['workflow', 'runs', 'resume', tag, ...on], there);
  assert.equal((await cliWithAnnouncements(['workflow', 'run', 'main', '-q'], { cwd: here, env })).code, 1);
  writeFileSync(join(here, 'fixed'), '');
  const local = await cliWithAnnouncements(['workflow', 'resume', '--last', '-q'], { cwd: here, env });
  assert.deepEqual([title, remote.code, remote.stdout], [title, 0, local.stdout], remote.stderr);
  assert.deepEqual([title, ranIn(here), ranIn(there)], [title, ran, ran]);
}

test('a remote resume has the same effect as a local one', LIMITED, async (t) => {
  await Promise.all(Object.entries(FAILURES).map(([title, failure]) => compare(t, title, failure)));
});
