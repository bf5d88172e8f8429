import assert from 'node:assert/strict';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { effect, project, waiting } from '../support/runs/recorded_run.ts';
import { startPage, untilState } from '../support/runs/started_page.ts';
import { until } from '../support/until.ts';

const FAILING = [effect('build'), { name: 'upload', run: 'echo upload >> effects; test -e host' }];

test('Resume shows the plan, and starts what was shown', async (t) => {
  const page = await startPage(t, project(t, FAILING));
  await page.cli('run ci');
  const { id, actions } = await untilState(page, 'failed');
  assert.deepEqual(actions, ['resume', 'again']);
  const [status, preview] = await page.post(id, 'resume', {});
  assert.equal(status, 200);
  assert.deepEqual(
    { ...preview, digest: preview.digest.length },
    {
      digest: 64,
      lines: [`run ${id} of workflow ci`, '  = build  kept: finished', '  > upload  run'],
      problems: [],
      has_conflicts: false,
      unknown: [],
      questions: [],
      command: `cli resume ${id} --logs`,
      blocked: false,
    },
  );
  writeFileSync(join(page.cwd, 'host'), '');
  assert.deepEqual(await page.post(id, 'resume', { digest: preview.digest }), [202, { run: id }]);
  await untilState(page, 'succeeded');
  assert.deepEqual(page.effects(), ['build', 'upload', 'upload']);
  assert.deepEqual((await page.post(id, 'resume', { digest: preview.digest }))[0], 409);
});

test('Run again starts a new run with the recorded parameters, which outlives the page', async (t) => {
  const page = await startPage(t, project(t, [{ run: 'echo "$GREETING"' }, waiting('wait')]));
  writeFileSync(join(page.cwd, 'go'), '');
  await page.cli(['run', 'ci', 'GREETING:hello you']);
  const { id } = await untilState(page, 'succeeded');
  const [, preview] = await page.post(id, 'again', {});
  assert.equal(preview.command, `cli run ci 'GREETING:hello you' --logs`);
  assert.deepEqual(preview.lines[0], 'workflow ci');
  for (const name of ['go', 'ready']) rmSync(join(page.cwd, name));
  const [status, { run }] = await page.post(id, 'again', { digest: preview.digest });
  assert.equal(status, 202);
  assert.notEqual(run, id);
  await until(
    () => existsSync(join(page.cwd, 'ready')),
    () => 'the step has not started',
  );
  page.kill();
  writeFileSync(join(page.cwd, 'go'), '');
  await until(
    () => page.effects().filter((word) => word === 'wait-end').length === 2,
    () => 'the run has ended with the page',
  );
  const record = join(page.cwd, '.cli/runs', run, 'session-1.ndjson');
  await until(
    () => readFileSync(record, 'utf8').includes('"finish"'),
    () => 'the run has ended',
  );
  const logs = readFileSync(join(page.cwd, '.cli/runs', run, 'logs/1-1.log'), 'utf8');
  assert.equal(logs, 'hello you\n');
});

test('a plan that was shown is started once, however often and however fast it is asked for', async (t) => {
  const page = await startPage(t, project(t, [effect('build'), waiting('wait')]));
  writeFileSync(join(page.cwd, 'go'), '');
  await page.cli('run ci');
  const { id } = await untilState(page, 'succeeded');
  const [, { digest }] = await page.post(id, 'again', {});
  const answers = await Promise.all([1, 2, 3].map(() => page.post(id, 'again', { digest })));
  const started = answers.filter(([status]) => status === 202).map(([, { run }]) => run);
  const problems = [`the plan was started already, as run ${started[0]}; nothing else was started`];
  await untilState(page, 'succeeded');
  const [status, late] = await page.post(id, 'again', { digest });
  assert.deepEqual([started.length, status, late.problems], [1, 409, problems]);
  for (const [code, answer] of answers) if (code !== 202) assert.deepEqual([code, answer.problems], [409, problems]);
  assert.equal((await page.runs()).length, 2);
  assert.equal((await page.post(id, 'again', { digest: late.preview.digest }))[0], 202);
  await untilState(page, 'succeeded');
  assert.deepEqual(page.effects(), Array.from({ length: 3 }, () => ['build', 'wait', 'wait-end']).flat());
});

test('after an edit, nothing starts that was not shown', async (t) => {
  const page = await startPage(t, project(t, FAILING));
  await page.cli('run ci');
  const { id } = await untilState(page, 'failed');
  for (const action of ['resume', 'again']) {
    page.edit(FAILING);
    const [, { digest }] = await page.post(id, action, {});
    page.edit([effect('build'), { name: 'upload', run: 'echo other >> effects' }]);
    const [status, { preview, ...rest }] = await page.post(id, action, { digest });
    assert.deepEqual(
      [status, rest],
      [409, { problems: ['the plan has changed since it was shown; nothing was started'] }],
    );
    assert.notEqual(preview.digest, digest);
    page.edit([{ name: 'upload' }]);
    const [, broken] = await page.post(id, action, { digest });
    assert.deepEqual(
      [broken.preview.digest, broken.preview.blocked, broken.preview.problems[0]],
      [
        null,
        true,
        ".cli/workflow.json:1:30: error: workflow 'ci': step 1: missing 'run' or 'workflow' field; for example \"run\": \"npm test\"",
      ],
    );
  }
  assert.deepEqual(page.effects(), ['build', 'upload']);
});

test('conflicts and questions are decided first', async (t) => {
  const asking = { name: 'upload', run: 'echo upload >> effects', confirm: 'Upload to everyone?' };
  const page = await startPage(t, project(t, FAILING));
  await page.cli('run ci');
  const { id } = await untilState(page, 'failed');
  page.edit([{ name: 'build', run: 'echo rebuilt >> effects' }, asking]);
  const [, conflict] = await page.post(id, 'resume', {});
  assert.deepEqual(
    [conflict.has_conflicts, conflict.blocked, conflict.problems],
    [
      true,
      true,
      [
        "conflict: step 'build': its command changed since it finished",
        'to keep finished steps, add --changed keep',
        'to run everything from the first conflict on again, add --changed rerun',
      ],
    ],
  );
  assert.equal((await page.post(id, 'resume', { digest: conflict.digest, confirmed: true }))[0], 409);
  const [, kept] = await page.post(id, 'resume', { changed: 'keep' });
  assert.deepEqual(
    [kept.blocked, kept.questions, kept.command],
    [false, ['Upload to everyone?'], `cli resume ${id} --changed=keep --logs --yes`],
  );
  // The plan of both decisions is the same, not what it runs.
  const other = await page.post(id, 'resume', { changed: 'rerun', digest: kept.digest, confirmed: true });
  assert.deepEqual(
    [other[0], other[1].problems],
    [409, ['the plan has changed since it was shown; nothing was started']],
  );
  const [status, refused] = await page.post(id, 'resume', { changed: 'keep', digest: kept.digest });
  assert.deepEqual([status, refused.problems], [409, ['not every question was answered; nothing was started']]);
  assert.deepEqual(await page.post(id, 'resume', { changed: 'keep', digest: kept.digest, confirmed: true }), [
    202,
    { run: id },
  ]);
  await untilState(page, 'succeeded');
  assert.deepEqual(page.effects(), ['build', 'upload', 'upload']);
});

test('a step whose end is unknown is decided first', async (t) => {
  const page = await startPage(t, project(t, [waiting('wait')]));
  const run = await page.start('run ci');
  run.kill('SIGKILL');
  const { id } = await untilState(page, 'crashed');
  const [, doubt] = await page.post(id, 'resume', {});
  assert.deepEqual(
    [doubt.unknown, doubt.blocked],
    [
      [{ step: 'wait', text: "step 'wait' was running when the run was killed; it is not known whether it finished" }],
      true,
    ],
  );
  const [, done] = await page.post(id, 'resume', { done: ['wait'] });
  assert.deepEqual([done.blocked, done.lines.at(-1)], [false, '  = wait  kept: counts as finished']);
  writeFileSync(join(page.cwd, 'go'), '');
  const [, orphans] = await page.post(id, 'resume', { done: ['wait'], digest: done.digest });
  // The step may still be running: it is waited for at the command line only.
  if (orphans.run === undefined) assert.match(String(orphans.problems[0]), /^processes of run .* are still running/);
  await until(
    () => page.effects().includes('wait-end'),
    () => 'the step still waits',
  );
  await untilState(page, orphans.run === undefined ? 'crashed' : 'succeeded');
});

test('of two pages that resume a run, one starts it', async (t) => {
  const own = project(t, FAILING);
  const pages = [await startPage(t, own), await startPage(t, own)];
  await own.cli('run ci');
  const [first, second] = pages;
  assert.ok(first !== undefined && second !== undefined);
  const { id } = await untilState(first, 'failed');
  const digests = await Promise.all(pages.map(async (page) => (await page.post(id, 'resume', {}))[1].digest));
  assert.notEqual(digests[0], digests[1]);
  const answers = await Promise.all(pages.map((page, index) => page.post(id, 'resume', { digest: digests[index] })));
  assert.ok(answers.some(([status]) => status === 202));
  for (const [status, { problems, error }] of answers) {
    if (status === 202) continue;
    assert.match(
      problems?.[0] ?? error,
      /is still running|has changed since it was shown|does not allow|nothing can start/,
    );
  }
  await untilState(first, 'failed');
});

test('runs with arguments, or from standard input, are resumed at the command line only', async (t) => {
  const page = await startPage(t, project(t, [{ name: 'fail', run: 'echo "$@"; false' }]));
  await page.cli(['run', 'ci', '--', 'secret words']);
  const { id } = await untilState(page, 'failed');
  for (const action of ['resume', 'again']) {
    const [status, { problems, blocked, command }] = await page.post(id, action, {});
    assert.deepEqual(
      [status, problems, blocked],
      [200, [`run ${id} had 1 argument after '--', which are not recorded; add -- and the arguments`], true],
    );
    assert.equal(command, action === 'resume' ? `cli resume ${id}` : 'cli run ci');
  }
});

test('a start without a record of its own is none', async (t) => {
  const page = await startPage(t, project(t, FAILING), { CLI_NO_JOURNAL: '1' });
  await page.cli('run ci');
  const { id } = await untilState(page, 'failed');
  const [, again] = await page.post(id, 'again', {});
  assert.deepEqual([again.blocked, again.problems], [true, ['runs are not recorded here: CLI_NO_JOURNAL is set']]);
});

test('a body with anything else is malformed', async (t) => {
  const page = await startPage(t, project(t, FAILING));
  await page.cli('run ci');
  const { id } = await untilState(page, 'failed');
  const digest = '0'.repeat(64);
  for (const body of [
    { command: 'rm' },
    { digest: 'x' },
    { digest: digest.replace('0', 'A') },
    { confirmed: false },
    { changed: 'maybe' },
    { on_crash: 'ask' },
    { done: 'build' },
    { done: [''] },
    { rerun: [1] },
    { on: 'postgres://x' },
  ])
    assert.equal((await page.post(id, 'resume', body))[0], 400, JSON.stringify(body));
  assert.equal((await page.post(id, 'again', { changed: 'keep' }))[0], 400);
  const [status, unknown] = await page.post(id, 'resume', { rerun: ['--file=/etc/passwd'] });
  assert.deepEqual(
    [status, unknown.problems],
    [200, ["workflow 'ci' has no step '--file=/etc/passwd'; steps: build, upload"]],
  );
});
