import assert from 'node:assert/strict';
import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { hostname, userInfo } from 'node:os';
import { basename, join } from 'node:path';
import { test } from 'node:test';
import { contents } from '../support/runs/journal.ts';
import { effect, project, stepsOf } from '../support/runs/recorded_run.ts';

test('if a step deletes the journal, the run continues, but cannot be resumed', async (t) => {
  const { cwd, cli, effects } = project(t, [
    effect('a', { run: 'rm -r .cli/runs; echo a >> effects' }),
    effect('b'),
    'exit 1',
  ]);
  const { code, stderr } = await cli('run ci');
  assert.equal(code, 1);
  const warning =
    'the record of the run cannot be written: its file was deleted; this run continues, but cannot be resumed';
  assert.deepEqual(
    stderr.split('\n').filter((line) => line.startsWith('cli: warning')),
    [`cli: warning: ${warning}`],
  );
  assert.deepEqual(effects(), ['a', 'b']);
  assert.equal(existsSync(join(cwd, '.cli/runs')), false);
  assert.equal((await cli('resume --last')).stderr, 'cli: no run is recorded here\n');
});

test('if the record can neither be written nor given up, no further step starts', async (t) => {
  const run = 'own=$(echo .cli/runs/2*); rm -r "$own"; : >"$own"; echo a >>effects';
  const { cli, effects } = project(t, [effect('a', { run }), effect('b')], { finally: 'echo finally >>effects' });
  const { code, stderr } = await cli('run ci');
  assert.equal(code, 1);
  const warning = 'the record of the run cannot be written: its file was deleted; no further step starts';
  assert.deepEqual(stderr.match(/^cli: warning: .*$/gm), [`cli: warning: ${warning}`]);
  assert.match(stderr, /^cli: step 'b' of workflow 'ci' .*the journal: ENOTDIR: not a directory/m);
  assert.deepEqual(effects(), ['a']);
});

test('a run with a lost session is not resumed', async (t) => {
  const { cli, run } = project(t, ['rm .cli/runs/*/session-1.ndjson', 'exit 1']);
  await cli('run ci');
  assert.deepEqual(readdirSync(run()).toSorted(), ['plan-1.json', 'session-1.lost']);
  const stderr = `cli: the record of run ${basename(run())} is incomplete; it cannot be resumed\n`;
  assert.deepEqual(await cli('resume --last'), { code: 2, signal: null, stdout: '', stderr });
});

test('a file in place of the directory of runs causes a warning, or an error with --strict', async (t) => {
  const { cwd, cli, effects } = project(t, [effect('a')]);
  writeFileSync(join(cwd, '.cli/runs'), '');
  const { code, stdout, stderr } = await cli('run ci');
  assert.deepEqual([code, stepsOf(stdout)], [0, ['a 0']]);
  assert.match(
    stderr,
    /^cli: warning: the record of the run cannot be written: ENOTDIR: not a directory \(.*\); this run continues, but cannot be resumed\n/,
  );
  assert.equal((await cli('run ci --strict')).code, 2);
  assert.deepEqual(effects(), ['a']);
});

test('--no-journal and CLI_NO_JOURNAL turn the journal off, and CLI_RUNS_DIR sets its directory', async (t) => {
  const { cwd, cli } = project(t, [effect('a')]);
  await cli('run ci --no-journal');
  await cli('run ci', { CLI_NO_JOURNAL: '1' });
  assert.equal(existsSync(join(cwd, '.cli/runs')), false);
  await cli('run ci', { CLI_RUNS_DIR: 'elsewhere/runs' });
  assert.deepEqual([existsSync(join(cwd, '.cli/runs')), readdirSync(join(cwd, 'elsewhere/runs')).length], [false, 2]);
});

test('the journal contains no secrets', async (t) => {
  const gives = { name: 'a', run: 'echo "{\\"t\\":\\"$API_TOKEN-out\\"}"', outputs: { OUT_TOKEN: '$.t' } };
  const { cwd, cli } = project(t, [gives, 'echo "${steps.a.OUT_TOKEN}" $DB_PASSWORD; exit 1'], {
    env: { DB_PASSWORD: 'hush-file' },
  });
  await cli('run ci API_TOKEN:hush-param', { INHERITED_SECRET: 'hush-env' });
  await cli('resume --last --rerun a API_TOKEN:hush-param', { INHERITED_SECRET: 'hush-env' });
  const all = Object.values(contents(join(cwd, '.cli/runs'))).join('\n');
  assert.match(all, /"API_TOKEN",null/);
  assert.match(all, /"OUT_TOKEN",null/);
  assert.doesNotMatch(all, /hush/);
});

test('a step that succeeded in its second attempt is not listed as one that failed', async (t) => {
  const run = '[ -e tried ] || { touch tried; exit 1; }';
  const { cli } = project(t, [{ name: 'b', run, retry: { max_attempts: 2, delay: '1ms' } }]);
  await cli('run ci');
  const [entry] = JSON.parse((await cli('runs list')).stdout);
  assert.deepEqual([entry.state, entry.step], ['succeeded', null]);
});

test('runs are listed, shown and pruned', async (t) => {
  const { cwd, cli, run } = project(t, [effect('a'), { name: 'b', run: 'exit 3' }]);
  assert.deepEqual(await cli('runs list'), { code: 0, signal: null, stdout: '[]\n', stderr: '' });
  await cli('run ci V:1 API_TOKEN:x');
  const id = basename(run());
  const times = /"\d{4}-\d\d-\d\dT[\d:.]+Z"/g;
  const [listed, ...more] = JSON.parse((await cli('runs list')).stdout);
  const took = Date.parse(listed.end) - Date.parse(listed.start);
  const entry = { id, workflow: 'ci', state: 'failed', sessions: 1, duration_ms: took, step: 'b' };
  assert.deepEqual([listed, more], [{ ...entry, start: listed.start, end: listed.end }, []]);
  for (const time of [listed.start, listed.end]) assert.match(JSON.stringify(time), /^"\d{4}-\d\d-\d\dT[\d:.]+Z"$/);
  const [headings, row, ...others] = (await cli('runs list --format table')).stdout.split('\n');
  assert.match(headings ?? '', /^RUN {4}WORKFLOW {2}STATE {3}STARTED {6}AGE {2}TOOK +STEP$/);
  const time = String.raw`\d\d-\d\d \d\d:\d\d`;
  assert.match(row ?? '', new RegExp(`^${id.slice(-5)}  ci        failed  ${time}  \\d+s +[\\d.]+ m?s +b$`));
  assert.deepEqual(others, ['']);
  const shown = (await cli('runs show --last')).stdout
    .replaceAll(times, '"TIME"')
    .replaceAll(/("duration_ms":)\d+/g, '$10');
  const op = { kind: 'step', attempt: 1, duration_ms: 0 };
  const step = { file: '.cli/workflow.json', line: 1, duration_ms: 0, log: null, last_lines: null };
  assert.deepEqual(JSON.parse(shown), {
    id,
    workflow: 'ci',
    state: 'failed',
    file: join(cwd, '.cli/workflow.json'),
    cwd,
    params: { V: '1', API_TOKEN: '***' },
    sessions: [
      {
        session: 1,
        start: 'TIME',
        end: 'TIME',
        success: false,
        interrupted: null,
        state: 'failed',
        reason: 'b: exit code 3',
        user: userInfo().username,
        uid: userInfo().uid,
        host: hostname(),
        params: { V: '1', API_TOKEN: '***' },
        ops: [
          { ...op, name: 'a', command: 'echo a >> effects', exit_code: 0 },
          { ...op, name: 'b', command: 'exit 3', exit_code: 3 },
        ],
      },
    ],
    steps: [
      { ...step, path: 'a', name: 'a', command: 'echo a >> effects', state: 'succeeded', column: 30, exit_code: 0 },
      { ...step, path: 'b', name: 'b', command: 'exit 3', state: 'failed', column: 69, exit_code: 3 },
    ],
  });
  assert.deepEqual(await cli('runs show zzzzz'), {
    code: 2,
    signal: null,
    stdout: '',
    stderr: "cli: no run 'zzzzz' is recorded here\n",
  });
  assert.equal((await cli('runs prune')).stdout, '{"removed":[]}\n');
  assert.equal((await cli('runs prune --all')).stdout, `{"removed":["${id}"]}\n`);
  assert.equal((await cli('runs prune --keep x')).code, 2);
});
