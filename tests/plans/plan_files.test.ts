import assert from 'node:assert/strict';
import { renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { inProcess } from '../support/in_process.ts';
import { createProject, done, refused, type Project } from '../support/project.ts';

const FILE = {
  env: { STAGE: 'dev' },
  workflows: {
    release: { description: 'Tag VERSION', steps: [{ name: 'tag', run: 'git tag "$VERSION"' }] },
    'odd "name"': { steps: ['echo "$VERSION" $KEY'] },
    deploy: { inputs: { KEY: { required: true, secret: true } }, steps: ['./deploy.sh "$KEY"'] },
  },
};

const PLAN = [
  'plan 1 release VERSION:1.2.0',
  'params   VERSION=1.2.0',
  'frames   0 global env        STAGE=dev',
  '         1 env of release <0',
  'calls    0 release  op 0',
  'ops      0 run release/tag @1 git tag "$VERSION"',
  '',
].join('\n');

const project = (t: TestContext, files: Readonly<Record<string, string>> = {}): Project =>
  createProject(t, FILE, files);

test('`plan` prints the plan, with its format, workflow and parameters in the first line', async (t) => {
  const { cli } = project(t);
  assert.deepEqual(await cli('plan', 'release', 'VERSION:1.2.0'), done(PLAN));
  assert.deepEqual(await cli('workflow', 'plan', 'release', 'VERSION:1.2.0'), done(PLAN));
});

test('a plan does not depend on the process environment', async (t) => {
  const { cwd } = project(t);
  const env = { STAGE: 'of the process', VERSION: '2', KEY: 'k' };
  assert.deepEqual(await inProcess(t, ['plan', 'release', 'VERSION:1.2.0'], { cwd, env }), done(PLAN));
});

test('`plan --check` succeeds while the plan is unchanged, from any directory', async (t) => {
  const { cwd, cli, edit } = project(t, { 'sub/release.plan': PLAN });
  const same = "the plan of workflow 'release' has not changed\n";
  assert.deepEqual(await cli('plan', '--check', 'sub/release.plan'), done(same));
  edit('Tag VERSION', 'Tag this VERSION');
  assert.deepEqual(await inProcess(t, ['plan', '--check', 'release.plan'], { cwd: join(cwd, 'sub') }), {
    ...done(same),
    stderr: 'cli: using ../.cli/workflow.json; commands run in ..\n',
  });
});

test('`plan --check` accepts Windows line endings and an unterminated last line', async (t) => {
  const windows = PLAN.replaceAll('\n', '\r\n');
  const { cli } = project(t, { 'windows.plan': windows, 'cut.plan': PLAN.trimEnd() });
  for (const file of ['windows.plan', 'cut.plan']) {
    assert.deepEqual(await cli('plan', '--check', file), done("the plan of workflow 'release' has not changed\n"));
  }
});

test('`plan --check` shows the changed lines, and how to accept them', async (t) => {
  const { cli, edit } = project(t, { 'release.plan': PLAN });
  edit('git tag', 'git tag --force');
  edit('"dev"', '"live"');
  assert.deepEqual(await cli('plan', '--check', 'release.plan'), {
    code: 1,
    signal: null,
    stdout: [
      "the plan of workflow 'release' has changed:",
      'frames',
      '  - 0 global env        STAGE=dev',
      '  + 0 global env        STAGE=live',
      'ops',
      '  - 0 run release/tag @1 git tag "$VERSION"',
      '  + 0 run release/tag @1 git tag --force "$VERSION"',
      '',
    ].join('\n'),
    stderr: 'cli: to accept the changes: cli plan release VERSION:1.2.0 > release.plan\n',
  });
  const { code, stdout } = await cli('workflow', 'plan', '--check', 'release.plan', '--format', 'json');
  assert.equal(code, 1);
  assert.deepEqual(JSON.parse(stdout), {
    format: 1,
    workflow: 'release',
    params: { VERSION: '1.2.0' },
    hidden: [],
    same: false,
    changes: [
      { change: 'removed', section: 'frames', line: '0 global env        STAGE=dev' },
      { change: 'added', section: 'frames', line: '0 global env        STAGE=live' },
      { change: 'removed', section: 'ops', line: '0 run release/tag @1 git tag "$VERSION"' },
      { change: 'added', section: 'ops', line: '0 run release/tag @1 git tag --force "$VERSION"' },
    ],
  });
});

test('an inserted step changes only its own line', async (t) => {
  const { cli, edit } = project(t);
  edit('"steps":[', '"steps":["make","make test",');
  const { stdout: before } = await cli('plan', 'release');
  edit('"make test"', '"make all","make test"');
  const place = project(t, { 'release.plan': before });
  place.edit('"steps":[', '"steps":["make","make all","make test",');
  assert.equal(
    (await place.cli('plan', '--check', 'release.plan')).stdout,
    "the plan of workflow 'release' has changed:\nops\n  + 1 run release/step_2 @1 make all\n",
  );
});

test('the first line of a plan file can contain any names and values', async (t) => {
  const { cwd, cli } = project(t);
  const { stdout } = await cli('plan', 'odd "name"', 'VERSION:a b="\\\n');
  assert.equal(stdout.split('\n')[0], String.raw`plan 1 "odd \"name\"" "VERSION:a b=\"\\\n"`);
  writeFileSync(join(cwd, 'odd.plan'), stdout);
  assert.deepEqual(
    await cli('plan', '--check', 'odd.plan'),
    done('the plan of workflow \'odd "name"\' has not changed\n'),
  );
});

test('secret parameters are rejected, by their name or as secret inputs, even in plan files', async (t) => {
  const { cli } = project(t, { 'token.plan': 'plan 1 release API_TOKEN:abc\n', 'key.plan': 'plan 1 deploy KEY:abc\n' });
  const problem = 'a plan contains its parameters, so it can have no secret ones: leave out';
  const unused = "nothing in workflow 'release' mentions the parameter 'API_TOKEN'";
  assert.deepEqual(await cli('plan', 'deploy', 'KEY:abc'), refused(`${problem} 'KEY'`));
  assert.deepEqual(await cli('plan', '--check', 'key.plan'), refused(`${problem} 'KEY'`));
  const named = refused(`warning: ${unused}`, `${problem} 'API_TOKEN'`);
  assert.deepEqual(await cli('plan', 'release', 'API_TOKEN:abc'), named);
  assert.deepEqual(await cli('plan', '--check', 'token.plan'), named);
});

test('the values of secrets are not compared, and the output says so', async (t) => {
  const { cwd, cli, edit } = project(t);
  edit('"STAGE":"dev"', '"API_TOKEN":"sesame"');
  const hint = 'cli: the values of secrets are not compared: API_TOKEN\n';
  const printed = await cli('plan', 'release');
  assert.deepEqual([printed.stderr, printed.stdout.includes('sesame')], [hint, false]);
  writeFileSync(join(cwd, 'release.plan'), printed.stdout);
  edit('"sesame"', '"swordfish"');
  assert.deepEqual(await cli('plan', '--check', 'release.plan'), {
    ...done("the plan of workflow 'release' has not changed\n"),
    stderr: hint,
  });
  const { stdout } = await cli('plan', 'release', '--format', 'json');
  assert.deepEqual(JSON.parse(stdout), {
    format: 1,
    workflow: 'release',
    params: {},
    hidden: ['API_TOKEN'],
    lines: printed.stdout.trimEnd().split('\n'),
  });
});

test('a character that hides text at a terminal is escaped in a plan', async (t) => {
  const { cli, edit } = project(t);
  edit('git tag', 'git tag \u202e');
  const { stdout } = await cli('plan', 'release');
  assert.equal(stdout.split('\n')[5], 'ops      0 run release/tag @1 git tag \\u202e "$VERSION"');
});

test('`--check` rejects further words, and a second use of standard input', async (t) => {
  const { cwd, cli } = project(t, { 'release.plan': PLAN });
  assert.deepEqual(
    await cli('plan', 'release', '--check', 'release.plan'),
    refused("with '--check', the plan file names the workflow and the parameters"),
  );
  assert.deepEqual(
    await cli('plan', '--check', '-', '--file', '-'),
    refused("'--check' and '--file' cannot both read standard input"),
  );
  const given = await inProcess(t, ['plan', '--check', '-'], { cwd, input: PLAN });
  assert.deepEqual(given, done("the plan of workflow 'release' has not changed\n"));
});

test('`plan` without a name lists the workflows', async (t) => {
  const { cli } = project(t);
  const { code, stdout, stderr } = await cli('plan');
  assert.deepEqual({ code, stdout }, { code: 2, stdout: '' });
  assert.equal(stderr.split('\n')[0], 'cli: the name of the workflow is missing; the workflows of .cli/workflow.json:');
});

test('a plan contains the files of its steps, and changes with them', async (t) => {
  const included = { workflows: { build: { steps: ['make'] } } };
  const main = { include: { lib: '../lib/build.json' }, workflows: { ci: { steps: [{ workflow: 'lib:build' }] } } };
  const { cwd, cli, edit } = createProject(t, main, { 'lib/build.json': included });
  const { stdout } = await cli('plan', 'ci');
  assert.deepEqual(stdout.split('\n').slice(1, 3), ['params   none', 'files    0 "../lib/build.json"']);
  writeFileSync(join(cwd, 'ci.plan'), stdout);
  writeFileSync(join(cwd, 'lib/build.json'), `// The build.\n${JSON.stringify(included, null, 2)}`);
  const same = "the plan of workflow 'ci' has not changed\n";
  assert.deepEqual(await cli('plan', '--check', 'ci.plan'), done(same));
  renameSync(join(cwd, 'lib/build.json'), join(cwd, 'lib/moved.json'));
  edit('build.json', 'moved.json');
  assert.deepEqual(await cli('plan', '--check', 'ci.plan'), {
    code: 1,
    signal: null,
    stdout: [
      "the plan of workflow 'ci' has changed:",
      'files',
      '  - 0 "../lib/build.json"',
      '  + 0 "../lib/moved.json"',
      '',
    ].join('\n'),
    stderr: 'cli: to accept the changes: cli plan ci > ci.plan\n',
  });
});
