import assert from 'node:assert/strict';
import {
  appendFileSync,
  chmodSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
} from 'node:fs';
import { utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { quickCli as cli } from '../support/in_process.ts';
import { COPY, project, type Step } from '../support/runs/checked_project.ts';

test('a step runs once, and is skipped while nothing changes', async (t) => {
  const { run, write } = project(t, [COPY]);
  write('in', 'one');
  const first = await run();
  assert.equal(first.stderr, "cli: step 'copy' of workflow 'ci' is not up to date: no record\n");
  const { code, stderr } = await run('--events', 'events');
  assert.deepEqual([code, stderr], [0, '']);
});

const EDITS: readonly (readonly [
  title: string,
  edit: (path: (name: string) => string) => void,
  reasons: readonly string[],
])[] = [
  ['a source is edited', (path) => writeFileSync(path('in'), 'two'), ['in changed']],
  ['a source becomes executable', (path) => chmodSync(path('in'), 0o755), ['in changed']],
  ['an output is edited', (path) => appendFileSync(path('out'), 'x'), ['out was edited']],
  ['an output is deleted', (path) => rmSync(path('out')), ['out is missing']],
  ['an output becomes executable', (path) => chmodSync(path('out'), 0o755), ['out was edited']],
  ['a source is touched', (path) => utimesSync(path('in'), 1, 1), []],
  [
    'the mtime of an edited source is restored',
    (path) => {
      writeFileSync(path('in'), 'two');
      utimesSync(path('in'), 1, 1);
    },
    ['in changed'],
  ],
  [
    'the record is cut',
    (path) => {
      for (const name of records(path('.'))) writeFileSync(name, readFileSync(name).subarray(0, 100));
    },
    ['no record'],
  ],
  [
    'the record is of a later version',
    (path) => {
      for (const name of records(path('.')))
        writeFileSync(name, readFileSync(name, 'utf8').replace('"version":2', '"version":3'));
    },
    ['no record'],
  ],
  ['the state is deleted', (path) => rmSync(path('.cli/state'), { recursive: true }), ['no record']],
];

function records(cwd: string): readonly string[] {
  const state = join(cwd, '.cli/state');
  return readdirSync(state)
    .filter((name) => name.endsWith('.json'))
    .map((name) => join(state, name));
}

describe('a step runs again for a reason', { concurrency: 2 }, () => {
  for (const [title, edit, reasons] of EDITS) {
    test(`${reasons.length === 0 ? 'a step does not run because' : 'a step runs because'} ${title}`, async (t) => {
      const { run, reasons: reasonsNow, write, path } = project(t, [COPY]);
      write('in', 'one');
      await run();
      edit(path);
      assert.deepEqual(await reasonsNow(), reasons);
      assert.deepEqual(await reasonsNow(), []);
    });
  }
});

test('edits of one size within a millisecond are noticed', async (t) => {
  const { run, path, write } = project(t, [COPY]);
  for (let round = 0; round < 5; round += 1) {
    write('in', String(round));
    assert.equal((await run('-q')).code, 0);
    assert.equal(readFileSync(path('out'), 'utf8'), String(round));
  }
});

test('a new, a removed and a renamed source are reasons, and a generated file is no source', async (t) => {
  const { reasons, write, path } = project(t, [
    { name: 'all', run: 'cat src/? >src/all.txt', sources: ['src', '!**/*.bak'], generates: ['src/all.txt'] },
  ]);
  mkdirSync(path('src'));
  write('src/a', 'a');
  assert.deepEqual(await reasons(), ['no record']);
  assert.deepEqual(await reasons(), []);
  write('src/b', 'b');
  write('src/c.bak', 'c');
  assert.deepEqual(await reasons(), ['src/b is new']);
  renameSync(path('src/b'), path('src/d'));
  assert.deepEqual(await reasons(), ['src/d is new, src/b is gone']);
  rmSync(path('src/d'));
  assert.deepEqual(await reasons(), ['src/d is gone']);
  assert.deepEqual(await reasons(), []);
});

test('after a failure, a step runs again, although its files are as they were', async (t) => {
  const { run, reasons, write } = project(t, [
    { name: 'copy', run: 'cat in >out; ! grep -q bad in', sources: ['in'], generates: ['out'] },
  ]);
  write('in', 'good');
  await run();
  write('in', 'bad');
  assert.equal((await run()).code, 1);
  write('in', 'good');
  write('out', 'good');
  assert.deepEqual(await reasons(), ['no record']);
});

test('an edit of a source during the step makes the next run run it', async (t) => {
  const { reasons, run, write } = project(t, [{ name: 'lint', run: 'echo later >in', sources: ['in'] }]);
  write('in', 'first');
  await run();
  assert.deepEqual(await reasons(), ['in changed']);
  assert.deepEqual(await reasons(), []);
});

test('the command, the patterns, the variables and the arguments count, and other fields do not', async (t) => {
  const step = { name: 'lint', run: 'echo "$@" >>log', sources: ['in'] };
  const { cwd, run, write, path, reasons } = project(t, [step]);
  const edit = (fields: Step): void => {
    writeFileSync(
      path('.cli/workflow.json'),
      JSON.stringify({ workflows: { ci: { steps: [{ ...step, ...fields }] } } }),
    );
  };
  write('in', '1');
  write('more', '2');
  await run();
  edit({ timeout: '1m', retry: 2, on_crash: 'rerun' });
  assert.deepEqual(await reasons(), []);
  edit({ run: 'echo "$@" >>log; true' });
  assert.deepEqual(await reasons(), ['its command changed']);
  edit({ sources: ['in', 'more'] });
  assert.deepEqual(await reasons(), ["its command changed, 'sources' changed, more is new"]);
  edit({ with: { MODE: '${vars.MODE:-fast}' } });
  assert.match((await reasons()).join(), /'sources' changed, MODE changed, more is gone/);
  assert.deepEqual(await reasons('MODE:slow'), ['MODE changed']);
  assert.deepEqual([await reasons(), await reasons('MODE:slow')], [[], []]);
  assert.match((await reasons('--', 'argument')).join('\n'), /its arguments changed$/);
  assert.deepEqual(await reasons('--force'), ['--force']);
  const { code } = await cli(['status', 'ci'], { cwd });
  assert.equal(code, 0);
});

test('a pattern without a match and a file that is not generated make the step run each time, and say so', async (t) => {
  const { run, reasons, write } = project(t, [
    { name: 'typo', run: 'true', sources: ['in', 'typo/*.c'] },
    { name: 'nothing', run: 'true', sources: ['in'], generates: ['app'] },
  ]);
  write('in', '1');
  await run();
  const { stderr } = await run();
  assert.deepEqual(await reasons(), ["'typo/*.c' matches nothing", 'no record']);
  assert.match(stderr, /^cli: warning: step 'nothing' of workflow 'ci' did not generate 'app'; it will run again$/m);
});

test('links in a circle, pipes and strange names are handled, and no pipe is opened', async (t) => {
  const { cwd, reasons, write, path, run } = project(t, [
    { name: 'list', run: 'ls src >/dev/null', sources: ['src'] },
    { name: 'make', run: "printf '' >$'src/\\xff\\n.c'; mkfifo src/pipe 2>/dev/null || true" },
  ]);
  mkdirSync(path('src'));
  write('src/a', 'a');
  symlinkSync('../src', path('src/around'));
  symlinkSync('b', path('src/b'));
  await run();
  assert.equal((await reasons()).length, 1);
  assert.deepEqual(await reasons(), []);
  assert.equal((await cli(['status', 'ci'], { cwd })).code, 0);
});
