/* The names of steps, which are the same in everything that names them, and which can be typed. */
import assert from 'node:assert/strict';
import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { test, type TestContext } from 'node:test';
import * as v from 'valibot';
import { allNodes, stepTree } from '../../packages/ui/src/page/run/step_tree.ts';
import { RecordedRuns } from '../../src/cli/run_data/recorded_runs.ts';
import { COMMAND } from '../support/cli.ts';
import { project, type Project } from '../support/runs/recorded_run.ts';

const FILE = {
  workflows: {
    ci: {
      steps: [
        'true',
        { run: 'true', if: 'true' },
        {
          parallel: [
            { name: 'lint', run: 'true' },
            'true',
            { workflow: 'build' },
            { name: 'test', run: 'true', matrix: { NODE: ['20', '24'] } },
            { run: 'true', matrix: { OS: ['a', 'b'] } },
          ],
        },
        { workflow: 'build' },
        { name: 'build', run: 'true' },
        { workflow: 'build', matrix: { OS: ['a', 'b'] } },
        { name: 'again', workflow: 'build', if: 'true' },
        { name: 'pair', parallel: [{ parallel: [{ name: 'deep', run: 'true' }, 'true'] }, 'true'] },
        { parallel: ['true', { name: 'lint', run: 'exit 3' }] },
      ],
    },
    build: { steps: ['true', { name: 'link', run: 'true' }, { name: 'link', run: 'true' }] },
  },
};

const inBuild = (call: string): string[] => [`${call}/step_1`, `${call}/link`, `${call}/2.link`];

/** The paths of the steps in the order of the plan. */
const PATHS = [
  'step_1',
  'step_2',
  'step_3/lint',
  'step_3/step_3.2',
  ...inBuild('step_3/build'),
  'step_3/test (20)',
  'step_3/test (24)',
  'step_3/step_3.5 (a)',
  'step_3/step_3.5 (b)',
  ...inBuild('build'),
  '2.build',
  ...inBuild('build (a)'),
  ...inBuild('build (b)'),
  ...inBuild('again'),
  'pair/step_8.1/deep',
  'pair/step_8.1/step_8.1.2',
  'pair/step_8.2',
  'step_9/step_9.1',
  'step_9/lint',
];

const Steps = v.object({ steps: v.array(v.object({ path: v.string() })) });
const pathsIn = (stdout: string): string[] => v.parse(Steps, JSON.parse(stdout)).steps.map(({ path }) => path);

/** The list of steps at the end of the last line. */
const listed = (stderr: string): string[] =>
  stderr
    .trimEnd()
    .replace(/^[^]*: /, '')
    .split(', ');

/** The paths of the steps on the page. */
function onPage(cwd: string, run: string): string[] {
  const io = { stdin: 0, stdout: 1, stderr: 2, die: async () => 1 };
  const env = { ...process.env, CLI_RUNS_DIR: join(cwd, '.cli/runs') };
  const opened = RecordedRuns.open({ ...io, env }, { directory: cwd, readOnly: true }, COMMAND);
  assert.ok(opened.ok);
  const nodes = allNodes(stepTree(opened.value.document(run) ?? { ops: [] }));
  return nodes.flatMap(({ op, path }) => (op === undefined ? [] : path)).toSorted();
}

/** A project with a failed run. */
async function failed(t: TestContext): Promise<Project> {
  const made = project(t, []);
  writeFileSync(join(made.cwd, '.cli/workflow.json'), JSON.stringify(FILE));
  assert.equal((await made.cli('run ci --logs')).code, 1);
  return made;
}

test('a step has one path in the plan, in records, at the terminal, on the page and in messages', async (t) => {
  const { cli, cwd, run } = await failed(t);
  const found = {
    'resume --dry-run': (await cli('resume --last --dry-run')).stderr.match(/(?<=^ {2}[=>] ).+?(?= {2})/gm),
    'runs show': pathsIn((await cli('runs show --last')).stdout),
    'runs show --format text': (await cli('runs show --last --format text')).stdout.match(
      /(?<=^ {2}[✓✗] ).+?(?= \(true\)| {2})/gm,
    ),
    'the list of --only': listed((await cli('run ci --only nosuch')).stderr).filter((path) => PATHS.includes(path)),
  };
  const expected = Object.fromEntries(Object.keys(found).map((place) => [place, PATHS]));
  assert.deepEqual(found, expected);
  assert.deepEqual(onPage(cwd, basename(run())), PATHS.toSorted());
  assert.deepEqual(listed((await cli('runs logs --last nosuch')).stderr).toSorted(), [...PATHS, 'again'].toSorted());
  assert.equal(JSON.parse((await cli('runs list')).stdout)[0].step, 'step_9/lint');
});

test('a record without its plan has the same paths', async (t) => {
  const { cli, run } = await failed(t);
  const plan = join(run(), 'plan-1.json');
  assert.ok(existsSync(plan));
  rmSync(plan);
  assert.deepEqual(pathsIn((await cli('runs show --last')).stdout).toSorted(), PATHS.toSorted());
});

test('each path can be typed where a step is named', async (t) => {
  const { cli } = await failed(t);
  const refused: string[] = [];
  for (const path of PATHS) {
    const lines = [
      ['run', 'ci', '--dry-run', '--only', path],
      ['run', 'ci', '--dry-run', '--from', path],
      ['run', 'ci', '--dry-run', '--assume', `${path}=fail`],
      ['resume', '--last', '--dry-run', '--rerun', path, '--changed', 'rerun'],
      ['explain', 'ci', '--step', path],
      ['runs', 'logs', '--last', path],
    ];
    for (const line of lines) {
      const { code, stderr } = await cli(line);
      if (code !== 0) refused.push(`${line.join(' ')}: ${stderr}`);
    }
  }
  assert.deepEqual(refused, []);
});

test('a step with a matrix is found without a combination, in a plan and in a record', async (t) => {
  const { cli } = await failed(t);
  for (const line of ['run ci --dry-run --only test', 'runs logs --last test', 'runs logs --last step_3/test']) {
    const { code, stderr } = await cli(line);
    assert.equal(code, 0, `${line}: ${stderr}`);
  }
});
