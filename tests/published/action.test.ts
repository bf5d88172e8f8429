/*
 * Runs the scripts of action.yml with the environment of a GitHub runner. Only GitHub itself can test the syntax of the
 * file.
 */
import assert from 'node:assert/strict';
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { GITHUB } from '../support/goldens/ci_job.ts';
import { finish, temporaryDirectory, ROOT, type CommandResult } from '../support/cli.ts';
import { TARBALL } from '../support/package.ts';

const ACTION = readFileSync(join(ROOT, 'action.yml'), 'utf8');

/** The script of a step, its variables with the input of each, and the input with its working directory. */
function stepOf(name: string): { script: string; env: Map<string, string>; directory: string | undefined } {
  const step = ACTION.split(/^ {4}- name: /m).find((text) => text.startsWith(`${name}\n`)) ?? '';
  const script = step.slice(step.indexOf('run: |\n') + 'run: |\n'.length).replaceAll(/^ {8}/gm, '');
  const inputs = [...step.matchAll(/^ {8}(\w+): \$\{\{ inputs\.([\w-]+) \}\}$/gm)];
  const directory = /^ {6}working-directory: \$\{\{ inputs\.([\w-]+) \}\}$/m.exec(step)?.[1];
  return { script, env: new Map(inputs.map(([, variable = '', input = '']) => [variable, input])), directory };
}

/** The default of each input. */
const DEFAULTS = new Map(
  [...ACTION.matchAll(/^ {2}([\w-]+):\n {4}description: .*\n {4}default: (.*)$/gm)].map(([, name = '', value = '']) => [
    name,
    value === "''" ? '' : value,
  ]),
);

/** Runs the action with inputs in a directory of files; returns the result of its step `Run`, and the directory. */
async function use(
  t: TestContext,
  files: Readonly<Record<string, unknown>>,
  inputs: Readonly<Record<string, string>>,
): Promise<CommandResult & { readonly cwd: string }> {
  const entries = Object.entries(files).map(([path, content]) => [`work/${path}`, content]);
  const place = temporaryDirectory(t, { ...Object.fromEntries(entries), path: '' });
  const runner = { ...GITHUB, RUNNER_TEMP: join(place, 'temp'), GITHUB_PATH: join(place, 'path') };
  mkdirSync(runner.RUNNER_TEMP);
  const all = new Map([...DEFAULTS, ...Object.entries(inputs)]);
  const cwd = join(place, 'work');
  const step = (name: string, path: string): Promise<CommandResult> => {
    const { script, env, directory } = stepOf(name);
    const given = [...env].map(([variable, input]) => [variable, all.get(input)]);
    // https://docs.github.com/actions/reference/workflow-syntax-for-github-actions#jobsjob_idstepsshell
    const bash = ['--noprofile', '--norc', '-eo', 'pipefail', '-c', script];
    const surroundings = { ...runner, ...Object.fromEntries(given), GITHUB_ACTION_PATH: ROOT, PATH: path };
    return finish('bash', bash, { cwd: join(cwd, all.get(directory ?? '') ?? '.'), env: surroundings });
  };
  const path = process.env['PATH'] ?? '';
  const installed = await step('Install', path);
  assert.deepEqual(installed, { code: 0, signal: null, stdout: '', stderr: '' });
  return { ...(await step('Run', `${readFileSync(runner.GITHUB_PATH, 'utf8').trim()}:${path}`)), cwd };
}

const WORKFLOW = {
  workflows: { 'a name': { steps: ['echo "${A-}|${B-}|${CLI_ACTION_FILE-}"', { if: 'FAIL', run: 'exit 3' }] } },
};
const FILES = { '.cli/workflow.json': WORKFLOW };
const FAIL = '{"FAIL": true}';

test('every input except the name of the workflow has a default', () => {
  assert.deepEqual(Object.fromEntries(DEFAULTS), {
    parameters: '',
    file: '.cli/workflow.json',
    report: '',
    'working-directory': '.',
    package: '',
  });
});

test('the action installs the tool from its own repository, and runs a workflow with parameters', async (t) => {
  const parameters = JSON.stringify({ A: '$(echo no) "x"', B: '--y' }, undefined, 2);
  const { code, stdout, stderr } = await use(t, FILES, { workflow: 'a name', parameters });
  assert.deepEqual(stderr.split('\n').slice(0, 4), [
    '::group::1/2 echo "${A-}|${B-}|${CLI_ACTION_FILE-}" - a name',
    '$(echo no) "x"|--y|',
    '',
    '::endgroup::',
  ]);
  assert.equal(code, 0);
  assert.equal(
    stdout,
    '{"workflow":"a name","steps":[{"name":"step_1","command":"echo \\"${A-}|${B-}|${CLI_ACTION_FILE-}\\"","exit_code":0}],' +
      '"success":true}\n',
  );
});

for (const [parameters, line] of [
  ['{"A": 1.10, "B": true}', '1.10|true|'],
  ['{"A": -2e+3, "B": false}', '-2e+3|false|'],
  ['{"A": "1.10 2", "B": "\\u0041\\"3"}', '1.10 2|A"3|'],
  ['{"A": ""}', '||'],
  ['', '||'],
  ['\n', '||'],
] as const) {
  test(`the values of ${JSON.stringify(parameters)} are passed as text, as written`, async (t) => {
    const { code, stderr } = await use(t, FILES, { workflow: 'a name', parameters });
    assert.deepEqual([code, stderr.split('\n')[1]], [0, line]);
  });
}

test('a multi-line value remains one value', async (t) => {
  const parameters = JSON.stringify({ A: 'fix\nB:evil\nPATH:evil/bin' });
  const { code, stderr } = await use(t, FILES, { workflow: 'a name', parameters });
  assert.deepEqual([code, stderr.split('\n').slice(1, 4)], [0, ['fix', 'B:evil', 'PATH:evil/bin||']]);
});

for (const [parameters, problem] of [
  ['A:hush', 'is not valid JSON'],
  ['{"A": "hush"', 'is not valid JSON'],
  ['["A:hush"]', 'is not a JSON object'],
  ['null', 'is not a JSON object'],
  ['7', 'is not a JSON object'],
  ['{"A": null}', 'has no text, number or boolean for A'],
  ['{"A": ["hush"]}', 'has no text, number or boolean for A'],
  ['{"A": "hush\\u0000"}', 'has no text, number or boolean for A'],
  ['{"A:B": "hush"}', 'has a key that is not a variable name'],
] as const) {
  test(`the parameters ${parameters} are rejected with exit code 2`, async (t) => {
    const { cwd: _cwd, ...refused } = await use(t, FILES, { workflow: 'a name', parameters });
    const stderr = `::error::The input "parameters" ${problem}\n`;
    assert.deepEqual(refused, { code: 2, signal: null, stdout: '', stderr });
  });
}

test('a working directory, file, report or workflow can have a name with a leading dash', async (t) => {
  const files = { '-d/-f.json': { workflows: { '-w': { steps: ['echo "$A" in "${PWD##*/}"'] } } } };
  const inputs = { workflow: '-w', parameters: '{"A": "-x"}', file: '-f.json', report: '-r.xml' };
  const { code, stderr, cwd } = await use(t, files, { ...inputs, 'working-directory': '-d' });
  assert.deepEqual(
    [code, stderr.split('\n').slice(0, 2)],
    [0, ['::group::1/1 echo "$A" in "${PWD##*/}" - -w', '-x in -d']],
  );
  assert.match(readFileSync(join(cwd, '-d/-r.xml'), 'utf8'), /<testsuite name="-w" tests="1" failures="0"/);
});

test('the action installs a package with npm, and fails if the workflow fails', async (t) => {
  const place = temporaryDirectory(t);
  const pack = ['pack', '--silent', '--ignore-scripts', '--pack-destination', place];
  assert.equal((await finish('npm', pack, { cwd: ROOT })).code, 0);
  const tarball = join(place, TARBALL);
  const { code } = await use(t, FILES, { workflow: 'a name', parameters: FAIL, package: tarball });
  assert.equal(code, 1);
});

test('the action writes the requested report', async (t) => {
  const report = join(temporaryDirectory(t), 'report.xml');
  const { code } = await use(t, FILES, { workflow: 'a name', parameters: FAIL, report });
  assert.equal(code, 1);
  assert.match(readFileSync(report, 'utf8'), /<testsuite name="a name" tests="2" failures="1"/);
});

test('no script contains an expression', () => {
  for (const name of ['Install', 'Run']) assert.ok(!stepOf(name).script.includes('${{'));
});
