/*
 * The scripts of action.yml, with the variables and files of GitHub's runner. Only GitHub can check the file itself.
 */
import assert from 'node:assert/strict';
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { GITHUB } from '../support/goldens/ci_job.ts';
import { finish, folder, ROOT, type Finished } from '../support/cli.ts';
import { TARBALL } from '../support/package.ts';

const ACTION = readFileSync(join(ROOT, 'action.yml'), 'utf8');

/** The script of a step, and its variables with the names of their inputs. */
function stepOf(name: string): { script: string; env: Map<string, string> } {
  const step = ACTION.split(/^ {4}- name: /m).find((text) => text.startsWith(`${name}\n`)) ?? '';
  const script = step.slice(step.indexOf('run: |\n') + 'run: |\n'.length).replaceAll(/^ {8}/gm, '');
  const inputs = [...step.matchAll(/^ {8}(\w+): \$\{\{ inputs\.([\w-]+) \}\}$/gm)];
  return { script, env: new Map(inputs.map(([, variable = '', input = '']) => [variable, input])) };
}

/** Uses the action with inputs; returns the exit and the output of its step `Run`. */
async function use(t: TestContext, files: object, inputs: Readonly<Record<string, string>>): Promise<Finished> {
  const place = folder(t, { 'work/.cli/workflow.json': files, path: '' });
  const runner = { ...GITHUB, RUNNER_TEMP: join(place, 'temp'), GITHUB_PATH: join(place, 'path') };
  mkdirSync(runner.RUNNER_TEMP);
  const all: Readonly<Record<string, string>> = {
    parameters: '',
    file: '.cli/workflow.json',
    package: '',
    report: '',
    ...inputs,
  };
  const step = (name: string, path: string): Promise<Finished> => {
    const { script, env } = stepOf(name);
    const given = [...env].map(([variable, input]) => [variable, all[input]]);
    // https://docs.github.com/actions/reference/workflow-syntax-for-github-actions#jobsjob_idstepsshell
    const bash = ['--noprofile', '--norc', '-eo', 'pipefail', '-c', script];
    const surroundings = { ...runner, ...Object.fromEntries(given), GITHUB_ACTION_PATH: ROOT, PATH: path };
    return finish('bash', bash, { cwd: join(place, 'work'), env: surroundings });
  };
  const path = process.env['PATH'] ?? '';
  const installed = await step('Install', path);
  assert.deepEqual(installed, { code: 0, signal: null, stdout: '', stderr: '' });
  return step('Run', `${readFileSync(runner.GITHUB_PATH, 'utf8').trim()}:${path}`);
}

const WORKFLOW = {
  workflows: { 'a name': { steps: ['echo "$A|$B|$CLI_ACTION_FILE"', { if: 'FAIL', run: 'exit 3' }] } },
};
const PARAMETERS = 'A:$(echo no) "x"\n\nB:--y';

test('the action installs the tool from its own repository and runs a workflow with parameters', async (t) => {
  const { code, stdout, stderr } = await use(t, WORKFLOW, { workflow: 'a name', parameters: PARAMETERS });
  assert.deepEqual(stderr.split('\n').slice(0, 4), [
    '::group::1/<=2 step_1 - a name',
    '$(echo no) "x"|--y|',
    '',
    '::endgroup::',
  ]);
  assert.equal(code, 0);
  assert.equal(
    stdout,
    '{"workflow":"a name","steps":[{"name":"step_1","command":"echo \\"$A|$B|$CLI_ACTION_FILE\\"","exit_code":0}],' +
      '"success":true}\n',
  );
});

test('the action installs a package with npm, and fails as the workflow does', async (t) => {
  const place = folder(t);
  const pack = ['pack', '--silent', '--ignore-scripts', '--pack-destination', place];
  assert.equal((await finish('npm', pack, { cwd: ROOT })).code, 0);
  const tarball = join(place, TARBALL);
  const { code } = await use(t, WORKFLOW, { workflow: 'a name', parameters: 'FAIL:1', package: tarball });
  assert.equal(code, 1);
});

test('the action writes the requested report', async (t) => {
  const report = join(folder(t), 'report.xml');
  const { code } = await use(t, WORKFLOW, { workflow: 'a name', parameters: 'FAIL:1', report });
  assert.equal(code, 1);
  assert.match(readFileSync(report, 'utf8'), /<testsuite name="a name" tests="2" failures="1"/);
});

test('no script contains an input', () => {
  for (const name of ['Install', 'Run']) assert.ok(!stepOf(name).script.includes('${{'));
});
