import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as v from 'valibot';
import { temporaryDirectory } from '../support/cli.ts';
import { quickCli as cli } from '../support/in_process.ts';
import { ONLY_PATH } from '../support/environment.ts';

const FILE = `{
  "workflows": {
    "a, b": { "steps": [{ "run": "true", "if": "$A" }, { "rnu": "true" }, {}] },
    "50%": { "steps": 1 }
  },
  "evn": {}
}
`;

const VALIDATE = ['workflow', 'validate', '--file', 'ci/w.json'];
const GITHUB = { ...ONLY_PATH, GITHUB_ACTIONS: 'true' };

/** The workflow commands in an output. */
function commandsIn(text: string): string[] {
  return text.split('\n').filter((line) => line.startsWith('::'));
}

const ANNOTATIONS = [
  "::error file=PATH,line=3,col=58,title=Workflow 'a%2C b'::step 2: unknown field 'rnu'; did you mean 'run'?",
  "::error file=PATH,line=3,col=75,title=Workflow 'a%2C b'::step 3: missing 'run' or 'workflow' field",
  "::error file=PATH,line=4,col=23,title=Workflow '50%25'::'steps' must be an array, found a number",
  "::error file=PATH,line=6,col=3,title=Workflow file::unknown field 'evn'; did you mean 'env'?",
  `::warning file=PATH,line=3,col=48,title=Workflow 'a%2C b'::step 1: 'if' runs the value of $A as a command, and an empty value succeeds; to test whether the variable is set, write "A"`,
];

test('on GitHub each error and warning is an annotation, with its path in the repository', async (t) => {
  const cwd = temporaryDirectory(t, { 'repo/ci/w.json': FILE });
  const env = { ...GITHUB, GITHUB_WORKSPACE: cwd };
  const expected = ANNOTATIONS.map((line) => line.replace('PATH', 'repo/ci/w.json'));
  const validated = await cli(VALIDATE, { cwd: `${cwd}/repo`, env });
  assert.deepEqual(commandsIn(validated.stderr), expected);
  const ran = await cli(['workflow', 'run', 'a', '--file', 'ci/w.json'], { cwd: `${cwd}/repo`, env });
  assert.deepEqual([ran.code, commandsIn(ran.stderr)], [2, expected]);
  const here = await cli(VALIDATE, { cwd: `${cwd}/repo`, env: GITHUB });
  const inHere = ANNOTATIONS.map((line) => line.replace('PATH', 'ci/w.json'));
  assert.deepEqual(commandsIn(here.stderr), inHere);
});

test('a negative value is an annotation at its condition', async (t) => {
  const cwd = temporaryDirectory(t, { 'ci/w.json': '{"workflows": {"w": {"steps": [\n{"if": "A", "run": "true"}]}}}' });
  const run = ['run', 'w', '--file', 'ci/w.json', 'A:no'];
  const { code, stderr } = await cli(run, { cwd, env: GITHUB });
  const message =
    "step 1: 'if' tests A, whose value 'no' (parameters) counts as true, because it is not empty; leave the value empty instead (A:), or declare A as a boolean input";
  const annotation = `::error file=ci/w.json,line=2,col=1,title=Workflow 'w'::${message}`;
  assert.deepEqual([code, stderr], [2, `ci/w.json:2:1: error: workflow 'w': ${message}\n${annotation}\n`]);
  assert.deepEqual(commandsIn((await cli([...run, '--no-ci'], { cwd, env: GITHUB })).stderr), []);
});

test('no annotations are printed with --no-ci, outside GitHub, or for a valid file', async (t) => {
  const cwd = temporaryDirectory(t, { 'ci/w.json': FILE, 'valid.json': '{"workflows": {}}' });
  const off = await cli([...VALIDATE, '--no-ci'], { cwd, env: GITHUB });
  const elsewhere = await cli(VALIDATE, { cwd, env: { ...ONLY_PATH, GITHUB_ACTIONS: 'false' } });
  assert.equal(off.stderr, elsewhere.stderr);
  assert.deepEqual(commandsIn(off.stderr), []);
  const valid = await cli(['workflow', 'validate', '--file', 'valid.json'], { cwd, env: GITHUB });
  assert.deepEqual(valid, { code: 0, signal: null, stdout: '{"valid":true,"errors":[]}\n', stderr: '' });
});

test('annotations for standard input have no path', async (t) => {
  const validate = ['workflow', 'validate', '--file', '-'];
  const { stderr } = await cli(validate, { cwd: temporaryDirectory(t), env: GITHUB, input: '{"workflows": 1}' });
  assert.deepEqual(commandsIn(stderr), ["::error::'workflows' must be an object, found a number"]);
});

test('at most ten errors and ten warnings are annotations, which is the limit of GitHub', async (t) => {
  const steps = Array.from({ length: 12 }, () => ({ run: 'true', if: '$A' }));
  const text = JSON.stringify({ workflows: { w: { steps: [...steps, ...steps.map(() => ({}))] } } });
  const validate = ['workflow', 'validate', '--file', '-'];
  const { stderr } = await cli(validate, { cwd: temporaryDirectory(t), env: GITHUB, input: text });
  const levels = commandsIn(stderr).map((line) => line.split(/ |::/)[1]);
  assert.deepEqual(levels, [
    ...Array.from({ length: 10 }, () => 'error'),
    ...Array.from({ length: 10 }, () => 'warning'),
  ]);
});

const Report = v.array(
  v.strictObject({
    description: v.string(),
    check_name: v.string(),
    fingerprint: v.pipe(v.string(), v.regex(/^[0-9a-f]{64}$/)),
    severity: v.picklist(['info', 'minor', 'major', 'critical', 'blocker']),
    location: v.strictObject({ path: v.string(), lines: v.strictObject({ begin: v.pipe(v.number(), v.integer()) }) }),
  }),
);

async function codeQuality(cwd: string, env: object = ONLY_PATH): Promise<v.InferOutput<typeof Report>> {
  const { stdout } = await cli([...VALIDATE, '--format', 'gitlab'], { cwd, env: { ...ONLY_PATH, ...env } });
  return v.parse(Report, JSON.parse(stdout));
}

test('validate --format gitlab prints a code quality report, with paths in the repository', async (t) => {
  const cwd = temporaryDirectory(t, { 'repo/ci/w.json': FILE });
  const report = await codeQuality(`${cwd}/repo`, { CI_PROJECT_DIR: cwd });
  const lines = report.map(({ description, check_name, severity, location: { path, lines } }) => {
    return `${path}:${lines.begin} ${severity} ${check_name}: ${description}`;
  });
  assert.deepEqual(lines, [
    `repo/ci/w.json:3 minor condition-expands: workflow 'a, b': step 1: 'if' runs the value of $A as a command, and an empty value succeeds; to test whether the variable is set, write "A"`,
    "repo/ci/w.json:3 major unknown-field: workflow 'a, b': step 2: unknown field 'rnu'; did you mean 'run'?",
    "repo/ci/w.json:3 major empty-step: workflow 'a, b': step 3: missing 'run' or 'workflow' field",
    "repo/ci/w.json:4 major broken-rule: workflow '50%': 'steps' must be an array, found a number",
    "repo/ci/w.json:6 major unknown-field: unknown field 'evn'; did you mean 'env'?",
  ]);
  assert.equal(new Set(report.map(({ fingerprint }) => fingerprint)).size, report.length);
});

test('a fingerprint does not depend on the lines above, and differs between equal findings', async (t) => {
  const fingerprints = async (text: string): Promise<string[]> =>
    (await codeQuality(temporaryDirectory(t, { 'ci/w.json': text }))).map(({ fingerprint }) => fingerprint);
  const before = await fingerprints(FILE);
  assert.deepEqual(await fingerprints(`// moved\n\n${FILE}`), before);
  const twice = await fingerprints('{"workflows": {"a": {"env": {"A": 1, "A": 1, "A": 1}, "steps": []}}}');
  assert.equal(new Set(twice).size, twice.length);
});

test('the report of a valid file is empty, and the exit code is that of validate', async (t) => {
  const cwd = temporaryDirectory(t, { 'ci/w.json': '{"workflows": {}}', 'bad.json': FILE });
  const gitlab = ['--format', 'gitlab'];
  const valid = await cli([...VALIDATE, ...gitlab], { cwd });
  assert.deepEqual(valid, { code: 0, signal: null, stdout: '[]\n', stderr: '' });
  const invalid = await cli(['workflow', 'validate', '--file', 'bad.json', ...gitlab], { cwd });
  assert.equal(invalid.code, 1);
});
