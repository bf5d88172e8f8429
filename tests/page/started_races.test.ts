import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { COMMAND, IS_STANDALONE, temporaryDirectory } from '../support/cli.ts';
import { effect, project } from '../support/runs/recorded_run.ts';
import { startPage, untilState } from '../support/runs/started_page.ts';

/** What Node.js executes first in the process of a run that a page starts, in the directory of the run. */
function before(t: TestContext, code: string): NodeJS.ProcessEnv {
  const text = `if (process.argv.includes('process')) { ${code} }`;
  const directory = temporaryDirectory(t, { 'first.cjs': text });
  return { NODE_OPTIONS: `--require ${join(directory, 'first.cjs')}` };
}

const NODE_ONLY = IS_STANDALONE ? { skip: 'the executable has no option to run code first' } : {};

const STEPS = [effect('build'), { name: 'upload', run: 'echo upload >> effects; test -e host' }];

test(
  'a file that is edited after the check of the server, before its process compiles it, starts nothing',
  NODE_ONLY,
  async (t) => {
    const own = project(t, STEPS);
    const other = JSON.stringify({ workflows: { ci: { steps: ['echo other >> effects'] } } });
    const edit = `require('node:fs').writeFileSync('.cli/workflow.json', ${JSON.stringify(other)})`;
    const page = await startPage(t, own, before(t, edit));
    await page.cli('run ci');
    const { id } = await untilState(page, 'failed');
    for (const action of ['resume', 'again']) {
      page.edit(STEPS);
      const [, { digest }] = await page.post(id, action, {});
      const [status, { problems, preview }] = await page.post(id, action, { digest });
      assert.deepEqual([status, problems], [409, ['the plan has changed since it was shown; nothing was started']]);
      assert.notEqual(preview.digest, digest);
    }
    assert.deepEqual(page.effects(), ['build', 'upload']);
    assert.equal((await page.runs()).length, 1);
  },
);

test(
  'a process that ends before its record is reported with its lines, and leaves the run as it was',
  NODE_ONLY,
  async (t) => {
    const own = project(t, STEPS);
    const page = await startPage(
      t,
      own,
      before(t, "require('node:fs').writeSync(2, 'cli: no luck\\n'); process.kill(process.pid, 'SIGKILL')"),
    );
    await page.cli('run ci');
    const { id } = await untilState(page, 'failed');
    writeFileSync(join(page.cwd, 'host'), '');
    for (const action of ['resume', 'again']) {
      const [, { digest }] = await page.post(id, action, {});
      const [status, { problems }] = await page.post(id, action, { digest });
      assert.deepEqual([status, problems], [409, ['no luck']]);
    }
    const [run, ...others] = await page.runs();
    assert.deepEqual([run?.state, run?.actions, others], ['failed', ['resume', 'again'], []]);
    assert.deepEqual(page.effects(), ['build', 'upload']);
  },
);

test('a resume that another process begins first is not taken for the one of the page', NODE_ONLY, async (t) => {
  const own = project(t, STEPS);
  const [file, ...args] = [...COMMAND, 'resume', '--last', '--quiet'];
  const other = `require('node:child_process').spawnSync(${JSON.stringify(file)}, ${JSON.stringify(args)}, {
    env: { ...process.env, NODE_OPTIONS: '' },
  });`;
  const page = await startPage(t, own, before(t, other));
  await page.cli('run ci');
  const { id } = await untilState(page, 'failed');
  const [, { digest }] = await page.post(id, 'resume', {});
  const [status, { problems }] = await page.post(id, 'resume', { digest });
  assert.deepEqual([status, problems], [409, ['the plan has changed since it was shown; nothing was started']]);
  assert.deepEqual(page.effects(), ['build', 'upload', 'upload']);
});
