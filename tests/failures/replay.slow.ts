import assert from 'node:assert/strict';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import type { RemoteRun } from '../../src/cli/engine/remote_run.ts';
import { attemptsOf } from '../../src/records/journal/fold_history.ts';
import { IS_STANDALONE, workflowDirectory } from '../support/cli.ts';
import { executeRun, packedRun, type Executed } from '../support/remote/run_process.ts';
import { COPY, project } from '../support/runs/checked_project.ts';

const NEEDS = IS_STANDALONE ? { skip: 'the executable has no workers' } : {};

/** Each command appends its name to a file. */
const says = (name: string, more = ''): string => `echo ${name} >> ran${more}`;

const FILE = {
  before_all: says('before_all'),
  after_all: says('after_all'),
  error: says('error'),
  finally: says('finally'),
  workflows: {
    main: {
      env: { WANTED: 'yes', UNWANTED: '' },
      steps: [
        { name: 'number', run: says('number', '; echo 7'), outputs: { N: 'text' } },
        { name: 'wanted', run: says('wanted'), if: 'WANTED' },
        { name: 'unwanted', run: says('unwanted'), if: 'UNWANTED' },
        { name: 'guarded', run: says('guarded'), if: says('condition') },
        { name: 'unguarded', run: says('unguarded'), if: says('failed_condition', '; exit 1') },
        {
          name: 'flaky',
          run: says('flaky', '; test "$(grep -c flaky ran)" = 3'),
          retry: { max_attempts: 3, delay: '1ms' },
        },
        { name: 'allowed', run: says('allowed', '; exit 4'), allow_failure: true },
        {
          name: 'group',
          max_parallel: 2,
          parallel: [
            { name: 'slow', run: says('slow', '; sleep 0.15') },
            { name: 'quick', run: says('quick') },
            { workflow: 'called' },
          ],
        },
        { name: 'once', run: says('once'), on_crash: 'fail' },
        { name: 'last', run: says('last', '; echo "${steps.number.N}" >> seen; exit 5') },
        { name: 'never', run: says('never') },
      ],
    },
    called: { private: true, steps: [says('first_called'), { run: says('called', '; echo out'), timeout: '10s' }] },
  },
};

/** The name that the command of an op appends. */
function nameOf({ plan }: RemoteRun, op: number): string {
  return /echo (\w+) >> ran/.exec(JSON.stringify(plan.ops[op]))?.[1] ?? `op ${op}`;
}

const ranIn = (cwd: string): string[] => readFileSync(join(cwd, 'ran'), 'utf8').trim().split('\n');

/** Goes on after records, in a directory where their commands have run. */
function goOn(
  cwd: string,
  run: RemoteRun,
  records: Executed['records'],
  signals: readonly NodeJS.Signals[] = [],
): Promise<Executed> {
  const attempts = attemptsOf(records.flat()).filter(({ end }) => end !== undefined);
  writeFileSync(join(cwd, 'ran'), attempts.map(({ start }) => `${nameOf(run, start.op)}\n`).join(''));
  rmSync(join(cwd, 'seen'), { force: true });
  return executeRun(cwd, run, { records, signals });
}

/** The prefixes of records after which a run can go on as if nothing had happened, with their lengths. */
function prefixesOf(records: Executed['records']): readonly Executed['records'][] {
  const all = Array.from({ length: records.length + 1 }, (_, length) => records.slice(0, length));
  // A step that was running and must not run twice has failed.
  return all.filter((prefix) => prefix.at(-1)?.at(-1)?.kind !== 'start');
}

test('a run goes on to the same document after each prefix of its records, and repeats none', NEEDS, async (t) => {
  const cwd = workflowDirectory(t, FILE);
  const run = await packedRun(t, cwd, ['main']);
  const whole = await goOn(cwd, run, []);
  const ran = ranIn(cwd).toSorted();
  assert.equal(whole.end.code, 1, whole.stderr);
  assert.equal(whole.records.length, 21, JSON.stringify(whole.records));
  for (const prefix of prefixesOf(whole.records)) {
    const { end, document, stderr, records } = await goOn(cwd, run, prefix);
    const about = `after ${prefix.length} records: ${stderr}`;
    assert.deepEqual({ end, document }, { end: whole.end, document: whole.document }, about);
    assert.deepEqual(ranIn(cwd).toSorted(), ran, about);
    assert.equal(records.length, whole.records.length, about);
  }
});

test('an interrupted run goes on to the same document after each record since the signal', NEEDS, async (t) => {
  const step = says('interrupted', "; trap 'exit 9' INT; echo ready; while :; do sleep 0.02; done");
  const cwd = workflowDirectory(t, {
    error: says('error'),
    finally: says('finally'),
    workflows: { main: { steps: [says('first'), step, says('never')] } },
  });
  const run = await packedRun(t, cwd, ['main']);
  const whole = await executeRun(cwd, run, { onReady: (signal) => signal('SIGINT') });
  assert.deepEqual(ranIn(cwd), ['first', 'interrupted', 'error', 'finally']);
  assert.deepEqual(whole.end, { code: 1, interrupted: 'SIGINT' });
  for (const prefix of prefixesOf(whole.records).slice(2)) {
    // The worker delivers the stored signals of the run again.
    const { end, document, stderr } = await goOn(cwd, run, prefix, ['SIGINT']);
    const about = `after ${prefix.length} records: ${stderr}`;
    assert.deepEqual({ end, document }, { end: whole.end, document: whole.document }, about);
    assert.deepEqual(ranIn(cwd), ['first', 'interrupted', 'error', 'finally'], about);
  }
});

test('two stored signals that arrive together count as two, even if the first is handled late', NEEDS, async (t) => {
  const step = says('held', "; trap '' INT; echo ready; while :; do sleep 0.02; done");
  const cwd = workflowDirectory(t, { error: says('error'), workflows: { main: { steps: [step] } } });
  const wait = 'Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 100)';
  writeFileSync(join(cwd, 'slow.cjs'), `process.once('SIGINT', () => ${wait});`);
  const run = await packedRun(t, cwd, ['main']);
  const { end, stderr } = await executeRun(cwd, run, {
    env: { NODE_OPTIONS: `--require ${join(cwd, 'slow.cjs')}` },
    onReady: (signal) => {
      signal('SIGINT');
      signal('SIGINT');
    },
  });
  assert.deepEqual(end, { code: 1, interrupted: 'SIGINT' }, stderr);
  assert.deepEqual(ranIn(cwd), ['held']);
});

test('a process that cannot read the message of its worker says so and ends', NEEDS, async (t) => {
  const cwd = workflowDirectory(t, FILE);
  const later = { ...(await packedRun(t, cwd, ['main'])), path: JSON.parse('7') };
  await assert.rejects(executeRun(cwd, later, {}), {
    message:
      'the process of the run ended with 1 before the run: ' +
      'cli: the worker sent a message that cannot be read: does it have another version?\n',
  });
  assert.ok(!existsSync(join(cwd, 'ran')));
});

test('a step that was checked on another machine leaves no record on this one', NEEDS, async (t) => {
  const { cwd, write } = project(t, [COPY]);
  write('in', '1');
  const run = await packedRun(t, cwd, ['ci']);
  const reason = async (records: Executed['records'] = []): Promise<string | undefined> =>
    (await executeRun(cwd, run, { records })).stderr.match(/(?<=is not up to date: ).*/)?.[0];
  const { records } = await executeRun(cwd, run, {});
  assert.equal(await reason(), undefined);
  const decided = records.slice(0, 1);
  assert.deepEqual(
    decided.flat().map(({ kind }) => kind),
    ['decide'],
  );
  await executeRun(cwd, run, { records: decided });
  assert.equal(await reason(), 'no record');
});
