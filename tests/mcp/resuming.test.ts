/* Runs that are resumed, with and without a person. */
import assert from 'node:assert/strict';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { cli, workflowDirectory } from '../support/cli.ts';
import { ERAS, type Answer, type Form, type Host, type HostSettings } from '../support/mcp/agent.ts';
import { recordedRuns, runOf } from '../support/mcp/runs.ts';
import { connectHere } from '../support/mcp/served.ts';

const FILE = {
  agents: 'allow',
  workflows: {
    fails: { steps: ['echo one', { name: 'build', run: 'echo broken >&2; [ -e fixed ]' }, 'echo three'] },
    asks: { agents: 'ask', steps: ['true', { name: 'build', run: '[ -e fixed ]' }, 'echo three > effects'] },
  },
};

async function hostOf(t: TestContext, settings: HostSettings = {}): Promise<Host> {
  return connectHere(t, workflowDirectory(t, FILE), settings);
}

test('a failure is an error with the output of its step, and resume_run runs the rest', async (t) => {
  const host = await hostOf(t);
  const failed = await host.call('run_workflow', { workflow: 'fails' });
  const run = runOf(failed);
  const shown = {
    run,
    workflow: 'fails',
    state: 'failed',
    done: 2,
    step: 'build',
    exit_code: 1,
    output: 'broken',
    hint: `to run the rest, call resume_run with run ${run}`,
  };
  assert.deepEqual(failed, { content: shown, isError: true });
  assert.deepEqual(await host.call('get_run', { run }), { content: shown, isError: false });
  assert.deepEqual((await host.call('get_run', { run, step: 'step_1', lines: 1 })).content, {
    ...shown,
    step: 'step_1',
    exit_code: 0,
    output: 'one',
  });
  writeFileSync(join(host.cwd, 'fixed'), '');
  const resumed = await host.call('resume_run', { run });
  assert.deepEqual([Object(resumed.content).state, resumed.isError], ['succeeded', false]);
  assert.deepEqual(recordedRuns(host.cwd), [{ run, agents: ['allowed', 'allowed'] }]);
  const again = await host.call('resume_run', { run });
  assert.deepEqual([Object(again.content).error, again.isError], ['invalid', true]);
});

test('a resume that calls for a decision is a conflict, with the command to begin with', async (t) => {
  const host = await hostOf(t);
  const run = runOf(await host.call('run_workflow', { workflow: 'fails' }));
  const path = join(host.cwd, '.cli/workflow.json');
  writeFileSync(path, readFileSync(path, 'utf8').replace('echo one', 'echo two'));
  const { content } = await host.call('resume_run', { run });
  const { error, message, command } = Object(content);
  assert.deepEqual([error, command], ['conflict', `cli resume ${run}`]);
  assert.match(message, /^conflict: step 'step_1': its command changed since it finished/);
});

/** A run of workflow `asks` that a person has started, and that has failed. */
async function failedRun(cwd: string): Promise<string> {
  await cli(['run', 'asks'], { cwd, env: RECORDED });
  const { run = '' } = recordedRuns(cwd).at(-1) ?? {};
  return run;
}

const SHOWN = [
  '  = step_1  kept: finished',
  '  > build  run',
  '  > step_3  run',
  'workflow asks',
  '  - step_1',
  '    | true',
  '  - build',
  '    | [ -e fixed ]',
  '  - step_3',
  '    | echo three > effects',
];

const RECORDED = { CLI_NO_JOURNAL: undefined };

for (const era of ERAS) {
  test(`in ${era}, a person approves a resume by reading what runs, and the plan`, async (t) => {
    const texts: string[] = [];
    const answer = ({ message }: Form): Answer => {
      texts.push(message);
      return { action: 'accept', content: { run: true } };
    };
    const host = await hostOf(t, { era, answer });
    const run = await failedRun(host.cwd);
    writeFileSync(join(host.cwd, 'fixed'), '');
    const resumed = await host.call('resume_run', { run });
    assert.deepEqual(resumed, { content: { run, workflow: 'asks', state: 'succeeded', done: 4 }, isError: false });
    assert.deepEqual(texts, [[`run ${run} of workflow asks`, ...SHOWN].join('\n')]);
    assert.deepEqual(recordedRuns(host.cwd), [{ run, agents: [undefined, 'approved'] }]);
  });

  test(`in ${era}, a resume is not the approved one if the file or the run has changed since`, async (t) => {
    let edit: (() => unknown) | undefined;
    const answer = async (): Promise<Answer> => {
      await edit?.();
      return { action: 'accept', content: { run: true } };
    };
    const host = await hostOf(t, { era, answer });
    const run = await failedRun(host.cwd);
    const path = join(host.cwd, '.cli/workflow.json');
    const before = readFileSync(path, 'utf8');
    edit = () => writeFileSync(path, before.replace('echo three > effects', 'echo four > effects'));
    assert.equal(Object((await host.call('resume_run', { run })).content).error, 'changed');
    writeFileSync(path, before);
    edit = () => cli(['resume', run], { cwd: host.cwd, env: RECORDED });
    assert.equal(Object((await host.call('resume_run', { run })).content).error, 'changed');
    assert.deepEqual(recordedRuns(host.cwd), [{ run, agents: [undefined, undefined] }]);
    assert.ok(!existsSync(join(host.cwd, 'effects')));
  });
}
