import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { inProcess } from '../support/in_process.ts';
import { createProject } from '../support/project.ts';

const copied = { name: 'test', run: './test.sh', matrix: { OS: ['linux', 'a, b'], NODE: ['20', '22'] } };

/** The lines of a dry run of one step with a matrix, with an assumption about it. */
async function linesOf(t: TestContext, step: object, assumption: string): Promise<readonly string[]> {
  const { cwd } = createProject(t, { workflows: { ci: { steps: [step, 'echo after'] } } });
  const { code, stdout } = await inProcess(t, ['run', 'ci', '--dry-run', '--assume', assumption], { cwd });
  assert.equal(code, 0);
  return stdout.trimEnd().split('\n');
}

test('an assumption about a step with a matrix applies to all copies', async (t) => {
  assert.deepEqual(await linesOf(t, { ...copied, allow_failure: true }, 'test=7'), [
    'workflow ci, as assumed',
    '  - test (linux, 20)  failed with exit code 7 (allowed)',
    '  - test (linux, 22)  failed with exit code 7 (allowed)',
    '  - test ("a, b", 20)  failed with exit code 7 (allowed)',
    '  - test ("a, b", 22)  failed with exit code 7 (allowed)',
    '  - step_2  echo after',
    'the run would succeed: 5 steps of 5 would run, 4 of them would fail',
  ]);
});

test('an assumption about a copy uses its full name', async (t) => {
  assert.deepEqual(await linesOf(t, copied, 'test (linux, 22)=fail'), [
    'workflow ci, as assumed',
    '  - test (linux, 20)  ./test.sh',
    '  - test (linux, 22)  failed with exit code 1',
    'the run would fail: 2 steps of 5 would run, 1 of them would fail',
  ]);
  assert.deepEqual(await linesOf(t, copied, 'test ("a, b", 20)=skip'), [
    'workflow ci, as assumed',
    '  - test (linux, 20)  ./test.sh',
    '  - test (linux, 22)  ./test.sh',
    '  - test ("a, b", 20)  skipped (assumed)',
    '  - test ("a, b", 22)  ./test.sh',
    '  - step_2  echo after',
    'the run would succeed: 4 steps of 5 would run, 1 skipped',
  ]);
});

test('copies in a group are simulated in the order of the plan', async (t) => {
  assert.deepEqual(await linesOf(t, { name: 'all', parallel: [copied] }, 'test (linux, 22)=fail'), [
    'workflow ci, as assumed',
    '  > all  in parallel',
    '  - all/test (linux, 20)  ./test.sh',
    '  - all/test (linux, 22)  failed with exit code 1',
    '  - all/test ("a, b", 20)  ./test.sh',
    '  - all/test ("a, b", 22)  ./test.sh',
    'the run would fail: 4 steps of 5 would run, 1 of them would fail',
  ]);
});
