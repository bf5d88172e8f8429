/* Checks beside the other parts of a run. */
import assert from 'node:assert/strict';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { test } from 'node:test';
import { quickCli as cli } from '../support/in_process.ts';
import { COPY, project } from '../support/runs/checked_project.ts';

test('a step that is up to date has no entry in the result, its reason in events and reports, and fetches no secret', async (t) => {
  const { cwd, path, write } = project(
    t,
    [{ ...COPY, secrets: ['TOKEN'] }, { workflow: 'shared' }, { name: 'both', workflow: 'shared' }],
    {
      secrets: { TOKEN: { command: ['sh', '-c', 'echo fetched >>log; echo value'] } },
      workflows: { shared: { once: true, steps: ['true'] } },
    },
  );
  write('in', '1');
  await cli(['run', 'ci'], { cwd });
  assert.equal(readFileSync(path('log'), 'utf8'), 'fetched\n');
  const args = ['workflow', 'run', 'ci', '--events', 'events', '--report', 'report.xml', '-q'];
  const { code, stdout, stderr } = await cli(args, { cwd });
  const steps = [{ name: 'step_1', command: 'true', exit_code: 0 }];
  assert.deepEqual([code, JSON.parse(stdout), stderr], [0, { workflow: 'ci', steps, success: true }, '']);
  assert.equal(readFileSync(path('log'), 'utf8'), 'fetched\n');
  const reasons = [...readFileSync(path('events'), 'utf8').matchAll(/"status":"skipped","reason":"(.*?)"/g)];
  assert.deepEqual(
    reasons.map(([, reason]) => reason),
    ['up to date', 'already ran'],
  );
  const skipped = [...readFileSync(path('report.xml'), 'utf8').matchAll(/<skipped message="(.*?)"/g)];
  assert.deepEqual(
    skipped.map(([, reason]) => reason),
    ['up to date', 'already ran'],
  );
});

test('a part of a workflow is checked and recorded as ever, and a call that it leaves out is not the first', async (t) => {
  const { cwd, reasons, run, write } = project(t, [
    { ...COPY, name: 'one' },
    { ...COPY, name: 'two', generates: [] },
  ]);
  write('in', '1');
  assert.deepEqual(await reasons('--only', 'two'), ['no record']);
  assert.deepEqual(await reasons(), ['no record']);
  assert.deepEqual(await reasons('--from', 'two'), []);
  assert.deepEqual(await reasons('--only', 'one', '--force'), ['--force']);
  assert.deepEqual(await reasons(), []);
  assert.equal((await run('-q')).code, 0);
  const other = project(t, ['true', { workflow: 'shared' }, { name: 'again', workflow: 'shared' }, 'true'], {
    workflows: { shared: { once: true, steps: ['echo ran >&2'] } },
  });
  const { stderr } = await cli(['run', 'ci', '-q', '--from', 'again'], { cwd: other.cwd });
  assert.equal(stderr, 'ran\n');
  assert.notEqual(cwd, other.cwd);
});

test('a call that a condition skips is not the first of equal ones', async (t) => {
  const { run } = project(t, [{ if: 'NOSUCH', workflow: 'shared' }, { workflow: 'shared' }, { workflow: 'shared' }], {
    workflows: { shared: { once: true, steps: ['echo ran >&2'] } },
  });
  assert.equal((await run('-q')).stderr, 'ran\n');
});

test('a resume keeps what was up to date, checks again what has not run, and --force runs it', async (t) => {
  const { cwd, path, write } = project(t, [
    { ...COPY, outputs: { V: 'text' }, run: 'cat in | tee out' },
    { name: 'stop', run: 'test -e go' },
    { name: 'later', run: 'echo "${steps.copy.V}" >>log', sources: ['in'] },
  ]);
  const env = { CLI_NO_JOURNAL: undefined };
  const call = async (...args: string[]): Promise<string> => (await cli(args, { cwd, env })).stderr;
  write('in', '1');
  write('go', '');
  await call('run', 'ci');
  rmSync(path('go'));
  assert.equal((await cli(['run', 'ci'], { cwd, env })).code, 1);
  // The step is up to date in this run, whatever happens to its file.
  write('out', 'edited');
  write('go', '');
  assert.doesNotMatch(await call('resume', '--last'), /not up to date/);
  assert.equal(readFileSync(path('log'), 'utf8'), '1\n');
  rmSync(path('go'));
  await call('run', 'ci');
  write('go', '');
  const forced = await call('resume', '--last', '--force');
  assert.match(forced, /^cli: step 'later' of workflow 'ci' is not up to date: --force$/m);
  assert.equal(readFileSync(path('log'), 'utf8'), '1\n1\n');
});

test('the plan of a resume says why a step was up to date or its workflow did not run twice', async (t) => {
  const calls = [{ workflow: 'shared' }, { name: 'both', workflow: 'shared' }];
  const { cwd, write } = project(t, [COPY, ...calls, { name: 'stop', run: 'false' }], {
    workflows: { shared: { once: true, steps: [{ name: 'one', run: 'true' }] } },
  });
  const env = { CLI_NO_JOURNAL: undefined };
  write('in', '1');
  for (let runs = 0; runs < 2; runs += 1) await cli(['run', 'ci'], { cwd, env });
  const { stdout, stderr } = await cli(['resume', '--last', '--dry-run'], { cwd, env });
  assert.deepEqual((stdout + stderr).match(/^ {2}- .*$/gm), [
    '  - copy  skipped: it was up to date, or not touched since a revision',
    '  - both/one  skipped: its workflow runs once, in an equal call',
  ]);
});

test('a resume checks a step again whose sources are others than when it was up to date', async (t) => {
  const stop = { name: 'stop', run: 'test -e go' };
  const { cwd, path, write, writeFile } = project(t, [COPY, stop]);
  const env = { CLI_NO_JOURNAL: undefined };
  write('in', '1');
  for (const runs of [true, false]) {
    const { code, stderr } = await cli(['run', 'ci'], { cwd, env });
    assert.deepEqual([code, stderr.includes('not up to date')], [1, runs]);
  }
  writeFile([{ ...COPY, run: 'cat in other >out', sources: ['in', 'other'] }, stop]);
  write('other', '2');
  write('go', '');
  const { code, stderr } = await cli(['resume', '--last'], { cwd, env });
  assert.deepEqual([code, readFileSync(path('out'), 'utf8')], [0, '12'], stderr);
});

test('a dry run shows the states as text, its document does not, and neither writes anything', async (t) => {
  const make = { name: 'make', run: 'cat in >made', sources: ['in'], generates: ['made'] };
  const { cwd, path, run, write } = project(t, [make, { name: 'use', run: 'cat made', sources: ['made'] }]);
  write('in', '1');
  const shown = async (): Promise<readonly string[]> => {
    const { stdout } = await cli(['run', 'ci', '--dry-run', '--format', 'text'], { cwd });
    return stdout.split('\n').filter((line) => line.startsWith('  - '));
  };
  const document = async (): Promise<string> => (await cli(['workflow', 'run', 'ci', '--dry-run'], { cwd })).stdout;
  const before = await document();
  assert.deepEqual(await shown(), [
    '  - make  (runs: no record)  cat in >made',
    "  - use  (runs: no record, 'made' matches nothing)  cat made",
  ]);
  assert.ok(!existsSync(path('.cli/state')));
  await run('-q');
  assert.deepEqual(await shown(), ['  - make  (up to date)  cat in >made', '  - use  (up to date)  cat made']);
  write('in', '2');
  assert.deepEqual(await shown(), [
    '  - make  (runs: in changed)  cat in >made',
    "  - use  (decided when reached: step 'make' generates one of its sources)  cat made",
  ]);
  assert.equal(await document(), before);
});
