import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { workflowDirectory } from '../support/cli.ts';
import { quickCli as cli, inProcess } from '../support/in_process.ts';
import { effect, project, stepsOf } from '../support/runs/recorded_run.ts';
import { ci } from '../support/workflow.ts';

const TEST = { name: 'test', run: 'echo "$OS $NODE"', matrix: { OS: ['linux', 'mac'], NODE: ['20', '22'] } };
const LABELS = ['linux, 20', 'linux, 22', 'mac, 20', 'mac, 22'];

/** A step that fails for the value `bad`. */
function step(values: readonly string[]): object {
  return { run: 'echo $V >> effects; test $V != bad', matrix: { V: values } };
}

describe('a selected part of a workflow', () => {
  for (const [words, expected] of [
    ['--only test', LABELS.map((label) => `test (${label}) 0`)],
    ['--only 2', LABELS.map((label) => `test (${label}) 0`)],
    ['--only deploy', ['step_1 0', 'step_1 0']],
    ['--only call', ['step_1 0']],
    ['--until test', ['first 0', ...LABELS.map((label) => `test (${label}) 0`)]],
    ['--only one', ['one (a) 0', 'one (b) 0']],
  ] as const) {
    test(`all copies of a step are selected together by ${words}`, async (t) => {
      const call = { name: 'call', workflow: 'deploy', matrix: { R: ['eu'] } };
      const group = { parallel: ['true', { name: 'one', run: 'true', matrix: { V: ['a', 'b'] } }] };
      const deploy = { workflow: 'deploy', matrix: { R: ['eu', 'us'] } };
      const steps = [{ name: 'first', run: 'true' }, TEST, deploy, call, group];
      const cwd = workflowDirectory(t, { workflows: { ci: { steps }, deploy: { steps: ['true'] } } });
      const { stdout } = await cli(['workflow', 'run', 'ci', ...words.split(' ')], { cwd });
      assert.deepEqual(stepsOf(stdout), expected);
    });
  }

  test('one copy is selected by its full name', async (t) => {
    const cwd = workflowDirectory(t, ci([TEST]));
    const { stdout } = await cli(['workflow', 'run', 'ci', '--only', 'test (mac, 20)'], { cwd });
    assert.deepEqual(stepsOf(stdout), ['test (mac, 20) 0']);
  });
});

test('the variables of a matrix override the env of a called workflow, and `with` can refer to them', async (t) => {
  const call = { workflow: 'inner', matrix: { A: ['1', '2'] }, with: { B: '${vars.A}' }, if: 'test "$A$B" != 11' };
  const inner = { env: { A: '0', C: '${vars.A}${vars.B}' }, steps: ['echo "$A $B $C $PROCESS"'] };
  const cwd = workflowDirectory(t, { workflows: { ci: { steps: [call] }, inner } });
  const { stderr } = await cli(['workflow', 'run', 'ci', '--quiet'], { cwd, env: { A: 'process', PROCESS: 'p' } });
  assert.equal(stderr, '2 2 22 p\n');
});

test('a step of a call with a matrix is named with its combination', async (t) => {
  const call = { workflow: 'inner', matrix: { P: ['a', 'b'] } };
  const inner = { steps: [{ name: 'test', run: 'test $P = a', sources: ['.cli/workflow.json'] }] };
  const cwd = workflowDirectory(t, { workflows: { ci: { steps: [call] }, inner } });
  const { stderr } = await cli(['workflow', 'run', 'ci'], { cwd });
  assert.match(stderr, /^cli: step 'test' of workflow 'inner' \(a\) succeeded/m);
  assert.match(stderr, /^cli: step 'test' of workflow 'inner' \(b\) failed with exit code 1/m);
  const { stdout } = await cli(['workflow', 'status', 'ci', '--format', 'text'], { cwd });
  const [first, second, ...rest] = stdout.split('\n');
  assert.equal(first, "step 'test' of workflow 'inner' (a): up to date");
  assert.match(second ?? '', /^step 'test' of workflow 'inner' \(b\): runs: /);
  assert.deepEqual(rest, ['']);
});

test('a required input of a called workflow can be a variable of the matrix', async (t) => {
  const inner = { inputs: { A: { required: true }, T: { type: 'choice', options: ['x', 'y'] } }, steps: ['true'] };
  const file = (values: readonly string[]): object => ({
    workflows: { ci: { steps: [{ workflow: 'inner', matrix: { A: ['1'], T: values } }] }, inner },
  });
  const run = async (values: readonly string[]): Promise<number | null> =>
    (await cli(['workflow', 'run', 'ci'], { cwd: workflowDirectory(t, file(values)) })).code;
  assert.deepEqual([await run(['x', 'y']), await run(['x', 'z'])], [0, 2]);
});

test('completion offers the names of copies as steps, and no variable of a matrix as a parameter', async (t) => {
  const cwd = workflowDirectory(t, ci([TEST]));
  const complete = async (...words: readonly string[]): Promise<string> =>
    (await inProcess(t, ['completion', 'words', '--', 'fish', 'cli', 'run', 'ci', ...words], { cwd })).stdout;
  assert.equal(await complete(''), '');
  assert.equal(await complete('--only', ''), LABELS.map((label) => `test (${label})\techo "$OS $NODE"\n`).join(''));
});

test('a resume keeps finished copies, even after values were inserted before or after them', async (t) => {
  const { cli: run, edit, effects } = project(t, [step(['a', 'bad', 'c'])]);
  const first = await run('run ci');
  assert.deepEqual(stepsOf(first.stdout), ['step_1 (a) 0', 'step_1 (bad) 1']);
  edit([step(['a', 'c', 'd']), effect('end')]);
  const { code, stdout } = await run('resume --last');
  assert.deepEqual([code, stepsOf(stdout)], [0, ['step_1 (a) 0 kept', 'step_1 (c) 0', 'step_1 (d) 0', 'end 0']]);
  assert.deepEqual(effects(), ['a', 'bad', 'c', 'd', 'end']);
});

test('copies in a group run in parallel', async (t) => {
  const meet = 'touch $V; until [ -e a ] && [ -e b ]; do sleep 0.1; done';
  const cwd = workflowDirectory(t, ci([{ parallel: [{ name: 'm', run: meet, matrix: { V: ['a', 'b'] } }] }]));
  const { code, stdout } = await cli(['workflow', 'run', 'ci'], { cwd });
  assert.deepEqual([code, stepsOf(stdout)], [0, ['m (a) 0', 'm (b) 0']]);
});

test('a matrix that exceeds every limit of a plan is rejected at once', async (t) => {
  const values = Array.from({ length: 1000 }, (_, index) => String(index));
  const matrix = Object.fromEntries(Array.from({ length: 40 }, (_, index) => [`V${index}`, values]));
  const cwd = workflowDirectory(t, ci([{ run: 'true', matrix }], { error: 'echo ${steps.x (1).Y:-none}' }));
  const { code, stderr } = await inProcess(t, ['workflow', 'run', 'ci'], { cwd });
  const size =
    "cli: workflow 'ci': calls expand to more than 1000000000000000000000000 operations; the limit is 100000\n";
  assert.deepEqual([code, stderr], [2, size]);
});
