import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import * as v from 'valibot';
import { example } from '../support/goldens/example.ts';
import { inside } from '../support/processes/tree.ts';

const BUILT = { NUMBER: '1', FILE: 'build/beta/app-1.txt' };
const JSON_OF_BUILD = '{"build": {"number": 1, "files": ["build/beta/app-1.txt"]}}\n';

/** The result of a run of the beta, without commands, and its standard error. */
function beta(t: TestContext, ...params: string[]): Promise<object> {
  const { run } = example(t, 'beta.json');
  return run('beta', ...params).then(({ code, stdout, stderr }) => {
    const document = v.parse(Result, JSON.parse(stdout));
    const hooks = [document.error, document.finally].map((hook) => hook?.exit_code);
    const steps = document.steps.map((step) =>
      Object.fromEntries(Object.entries(step).filter(([key]) => key !== 'command')),
    );
    return { code, success: document.success, steps, hooks, stderr };
  });
}

const Hook = v.optional(v.object({ exit_code: v.number() }));
const Result = v.object({
  success: v.boolean(),
  steps: v.array(v.looseObject({ command: v.string() })),
  error: Hook,
  finally: Hook,
});

test('the beta passes on the number of its build, retries a busy server, and cleans up', async (t) => {
  const entries = [
    { name: 'build', exit_code: 0, outputs: BUILT },
    { name: 'upload', exit_code: 0, outputs: { RECEIPT: 'R-1' }, attempts: 3 },
    { name: 'wait', exit_code: 0 },
    { name: 'notes', exit_code: 1, allowed_failure: true },
    { name: 'step_4', exit_code: 0 },
  ];
  const { stderr, ...came } = v.parse(v.looseObject({ stderr: v.string() }), await beta(t, 'BUSY:2'));
  assert.deepEqual(came, { code: 0, success: true, steps: entries, hooks: [undefined, 0] });
  const failed = "cli: step 'upload' of workflow 'send' failed with exit code 1 (attempt";
  assert.deepEqual(
    stderr.split('\n').filter((line) => !/^cp:|\(allowed\)/.test(line)),
    [
      JSON_OF_BUILD.trimEnd(),
      'The server is busy',
      `${failed} 1 of 3); retrying in 100ms`,
      'The server is busy',
      `${failed} 2 of 3); retrying in 100ms`,
      '{"receipt": "R-1"}',
      'Beta 1 is out: R-1',
      '',
    ],
  );
});

test('the beta stops waiting at its time limit, and names the unfinished build', async (t) => {
  const { stderr, ...came } = v.parse(v.looseObject({ stderr: v.string() }), await beta(t, 'STATE:stuck'));
  // A shell that is terminated reports the termination of its command first.
  const messages = stderr.replace(/^.*Terminated\n/m, '');
  assert.deepEqual(
    { ...came, stderr: messages },
    {
      code: 1,
      success: false,
      steps: [
        { name: 'build', exit_code: 0, outputs: BUILT },
        { name: 'upload', exit_code: 0, outputs: { RECEIPT: 'R-1' }, attempts: 1 },
        { name: 'wait', exit_code: 124 },
      ],
      hooks: [0, 0],
      stderr: `${JSON_OF_BUILD}{"receipt": "R-1"}\ncli: step 'wait' of workflow 'send' timed out after 2s\nStopped: build '1' is not out\n`,
    },
  );
});

test('the beta leaves only its builds and the sent file behind', async (t) => {
  const { run, files } = example(t, 'beta.json');
  await run('beta');
  await run('beta', 'BUSY:9');
  assert.deepEqual(
    files(),
    inside('build/beta', { 'app-1.txt': 'app 1\n', 'app-2.txt': 'app 2\n', 'sent.txt': 'app 1\n' }),
  );
});
