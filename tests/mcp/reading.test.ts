/* The tools that only read: the list of workflows, and recorded runs. */
import assert from 'node:assert/strict';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { cli, temporaryDirectory, workflowDirectory } from '../support/cli.ts';
import { connectHost, ERAS } from '../support/mcp/agent.ts';
import { connectHere } from '../support/mcp/served.ts';

const RECORDED = { CLI_NO_JOURNAL: undefined };

for (const era of ERAS) {
  test(`in ${era}, list_workflows shows names, descriptions and inputs, and not what is denied`, async (t) => {
    const file = {
      workflows: {
        test: { description: 'Runs the tests', agents: 'allow', steps: ['true'] },
        release: {
          inputs: {
            VERSION: { required: true },
            TOKEN: { default: 'x', secret: true },
            TRACK: { options: ['a', 'b'] },
          },
          steps: ['true'],
        },
        hidden: { private: true, steps: ['true'] },
        destroy: { agents: 'deny', steps: ['true'] },
        __proto__: {},
      },
    };
    const host = await connectHere(t, workflowDirectory(t, file), { era });
    const inputs = [
      { name: 'VERSION', required: true },
      { name: 'TOKEN', default: '***', secret: true },
      { name: 'TRACK', type: 'choice', options: ['a', 'b'] },
    ];
    assert.deepEqual(await host.call('list_workflows'), {
      content: {
        workflows: [
          { name: 'test', description: 'Runs the tests', agents: 'allow' },
          { name: 'release', inputs, agents: 'ask' },
        ],
      },
      isError: false,
    });
    assert.deepEqual((await host.call('list_workflows', { filter: 'eas' })).content, {
      workflows: [{ name: 'release', inputs, agents: 'ask' }],
    });
  });
}

test('of 300 workflows, the first 100 are listed with the number of the others; long descriptions are cut', async (t) => {
  const names = Array.from({ length: 300 }, (_, index) => `w${index}`);
  const workflows = Object.fromEntries(names.map((name) => [name, { description: '😀'.repeat(150), steps: ['true'] }]));
  const host = await connectHere(t, workflowDirectory(t, { workflows }));
  const { content } = await host.call('list_workflows');
  const listed: { workflows: { name: string; description: string }[]; more: number } = Object(content);
  assert.equal(listed.workflows.length + listed.more, 300);
  assert.equal(listed.workflows[0]?.description, `${'😀'.repeat(99)}…`);
  const short = Object.fromEntries(names.map((name) => [name, { description: 'd', steps: ['true'] }]));
  writeFileSync(join(host.cwd, '.cli/workflow.json'), JSON.stringify({ workflows: short }));
  const again = Object((await host.call('list_workflows')).content);
  assert.deepEqual([again.workflows.length, again.more], [100, 200]);
});

test('each call reads the file: a broken file, one that is gone, and none at all are the error invalid', async (t) => {
  const host = await connectHere(t, workflowDirectory(t, { workflows: { a: { steps: ['true'] } } }));
  const path = join(host.cwd, '.cli/workflow.json');
  writeFileSync(path, '{"workflows": {"a": {"steps": [1]}}');
  const broken = await host.call('list_workflows');
  assert.deepEqual(broken, {
    isError: true,
    content: {
      error: 'invalid',
      message: [
        ".cli/workflow.json:1:36: error: expected ',' or '}', but the file ends here",
        '    1 | {"workflows": {"a": {"steps": [1]}}',
        '      |                                    ^',
      ].join('\n'),
    },
  });
  rmSync(path);
  assert.deepEqual((await host.call('list_workflows')).content, {
    error: 'invalid',
    message: 'cannot read .cli/workflow.json: it does not exist',
  });
  const none = await connectHost(t, temporaryDirectory(t));
  assert.deepEqual((await none.call('list_workflows')).content, {
    error: 'invalid',
    message: 'no .cli/workflow.json here; to begin: cli init',
  });
});

test('the root is found once: the server of a directory below it lists the workflows of the root', async (t) => {
  const root = workflowDirectory(t, { workflows: { a: { steps: ['true'] } } });
  mkdirSync(join(root, '.git'));
  mkdirSync(join(root, 'docs'));
  const host = await connectHost(t, join(root, 'docs'));
  assert.deepEqual((await host.call('list_workflows')).content, { workflows: [{ name: 'a', agents: 'ask' }] });
});

test('--file names another file', async (t) => {
  const cwd = temporaryDirectory(t, { 'other.json': { workflows: { b: { steps: ['true'] } } } });
  const host = await connectHost(t, cwd, { args: ['--file', 'other.json'] });
  assert.deepEqual((await host.call('list_workflows')).content, { workflows: [{ name: 'b', agents: 'ask' }] });
});

test('get_run lists the newest runs, and shows the failing step of one without its output', async (t) => {
  const file = {
    workflows: { ok: { steps: ['true', 'true'] }, bad: { steps: ['true', { name: 'build', run: 'exit 3' }, 'true'] } },
  };
  const cwd = workflowDirectory(t, file);
  const host = await connectHere(t, cwd);
  assert.deepEqual(await host.call('get_run'), { content: { runs: [] }, isError: false });
  await cli(['run', 'ok'], { cwd, env: RECORDED });
  await cli(['run', 'bad'], { cwd, env: RECORDED });
  const { runs }: { runs: { run: string; workflow: string; state: string }[] } = Object(
    (await host.call('get_run')).content,
  );
  assert.deepEqual(
    runs.map(({ workflow, state }) => [workflow, state]),
    [
      ['bad', 'failed'],
      ['ok', 'succeeded'],
    ],
  );
  const [bad, ok] = runs.map(({ run }) => run);
  assert.deepEqual(await host.call('get_run', { run: ok }), {
    content: { run: ok, workflow: 'ok', state: 'succeeded', done: 2 },
    isError: false,
  });
  assert.deepEqual(await host.call('get_run', { run: bad, wait_s: 50 }), {
    content: {
      run: bad,
      workflow: 'bad',
      state: 'failed',
      done: 2,
      step: 'build',
      exit_code: 3,
      hint: `to run the rest, call resume_run with run ${bad}`,
    },
    isError: false,
  });
  assert.deepEqual((await host.call('get_run', { run: bad, step: 'step_3' })).content, {
    run: bad,
    workflow: 'bad',
    state: 'failed',
    done: 2,
    step: 'step_3',
    hint: `to run the rest, call resume_run with run ${bad}`,
  });
  assert.deepEqual(await host.call('get_run', { run: bad, step: 'nothing' }), {
    content: { error: 'unknown', message: `no step 'nothing' in run ${bad}` },
    isError: true,
  });
});

test('an id is never a path, and a record of other origin is unknown', async (t) => {
  const cwd = workflowDirectory(t, { workflows: { ok: { steps: ['true'] } } });
  await cli(['run', 'ok'], { cwd, env: RECORDED });
  const host = await connectHere(t, cwd, { env: { CLI_TRUST_RECORDS: '1' } });
  const { runs }: { runs: { run: string }[] } = Object((await host.call('get_run')).content);
  const run = runs[0]?.run ?? '';
  for (const id of [
    '',
    '..',
    '../runs',
    `./${run}`,
    `${run}/`,
    '__proto__',
    'constructor',
    '--last',
    run.slice(0, -1),
  ]) {
    assert.deepEqual(await host.call('get_run', { run: id }), {
      content: { error: 'unknown', message: `no run '${id}'` },
      isError: true,
    });
  }
  const elsewhere = await connectHere(t, cwd, {
    env: { CLI_TRUST_RECORDS: '1', XDG_STATE_HOME: temporaryDirectory(t) },
  });
  assert.deepEqual((await elsewhere.call('get_run', { run })).content, {
    error: 'unknown',
    message: `no run '${run}'`,
  });
  assert.deepEqual((await elsewhere.call('get_run')).content, { runs: [] });
});
