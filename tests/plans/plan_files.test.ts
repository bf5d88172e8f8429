import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test, type TestContext } from 'node:test';
import { PLAN_FORMAT } from '../../src/ir/plan.ts';
import { folder, type Finished } from '../support/cli.ts';
import { inProcess } from '../support/in_process.ts';

const FILE = {
  env: { STAGE: 'dev' },
  workflows: {
    release: { description: 'Tag VERSION', steps: [{ name: 'tag', run: 'git tag "$VERSION"' }] },
    'odd "name"': { steps: ['echo "$VERSION" $KEY'] },
    deploy: { inputs: { KEY: { required: true, secret: true } }, steps: ['./deploy.sh "$KEY"'] },
  },
};

type Project = Readonly<{
  cwd: string;
  cli: (...words: readonly string[]) => Promise<Finished>;
  /** Changes a text of the workflow file. */
  edit: (before: string, after: string) => void;
}>;

function project(t: TestContext, files: Readonly<Record<string, string>> = {}): Project {
  const cwd = folder(t, { '.git/HEAD': '', 'sub/x': '', '.cli/workflow.json': FILE, ...files });
  const path = join(cwd, '.cli/workflow.json');
  return {
    cwd,
    cli: (...words) => inProcess(t, words, { cwd }),
    edit: (before, after) => {
      const text = readFileSync(path, 'utf8');
      assert.ok(text.includes(before));
      writeFileSync(
        path,
        text.replace(before, () => after),
      );
    },
  };
}

const PLAN = [
  'plan 1 release VERSION:1.2.0',
  'params   VERSION=1.2.0',
  'frames   0 global env        STAGE=dev',
  '         1 env of release <0',
  'calls    0 release  op 0',
  'ops      0 run release/tag @1 git tag "$VERSION"',
  '',
].join('\n');

const done = (stdout: string): Finished => ({ code: 0, signal: null, stdout, stderr: '' });
const refused = (...problems: string[]): Finished => ({
  code: 2,
  signal: null,
  stdout: '',
  stderr: problems.map((problem) => `cli: ${problem}\n`).join(''),
});

test('`plan` prints the plan with its format, workflow and parameters in the first line', async (t) => {
  const { cli } = project(t);
  assert.deepEqual(await cli('plan', 'release', 'VERSION:1.2.0'), done(PLAN));
  assert.deepEqual(await cli('workflow', 'plan', 'release', 'VERSION:1.2.0'), done(PLAN));
});

test('a plan does not depend on the process', async (t) => {
  const { cwd } = project(t);
  const env = { STAGE: 'of the process', VERSION: '2', KEY: 'k' };
  assert.deepEqual(await inProcess(t, ['plan', 'release', 'VERSION:1.2.0'], { cwd, env }), done(PLAN));
});

test('`plan --check` succeeds as long as the plan is the same, from any directory', async (t) => {
  const { cwd, cli, edit } = project(t, { 'sub/release.plan': PLAN });
  const same = "the plan of workflow 'release' has not changed\n";
  assert.deepEqual(await cli('plan', '--check', 'sub/release.plan'), done(same));
  edit('Tag VERSION', 'Tag this VERSION');
  assert.deepEqual(await inProcess(t, ['plan', '--check', 'release.plan'], { cwd: join(cwd, 'sub') }), {
    ...done(same),
    stderr: 'cli: using ../.cli/workflow.json; commands run in ..\n',
  });
});

test('`plan --check` takes the line ends of Windows, and a last line without one', async (t) => {
  const windows = PLAN.replaceAll('\n', '\r\n');
  const { cli } = project(t, { 'windows.plan': windows, 'cut.plan': PLAN.trimEnd() });
  for (const file of ['windows.plan', 'cut.plan']) {
    assert.deepEqual(await cli('plan', '--check', file), done("the plan of workflow 'release' has not changed\n"));
  }
});

test('`plan --check` shows the lines that have changed, and how to accept them', async (t) => {
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
    format: PLAN_FORMAT,
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

test('a step that is inserted is the only line of the difference', async (t) => {
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

test('names and values of any kind stand in the first line, and are read from it', async (t) => {
  const { cwd, cli } = project(t);
  const { stdout } = await cli('plan', 'odd "name"', 'VERSION:a b="\\\n');
  assert.equal(stdout.split('\n')[0], String.raw`plan 1 "odd \"name\"" "VERSION:a b=\"\\\n"`);
  writeFileSync(join(cwd, 'odd.plan'), stdout);
  assert.deepEqual(
    await cli('plan', '--check', 'odd.plan'),
    done('the plan of workflow \'odd "name"\' has not changed\n'),
  );
});

test('secret parameters are refused, by their name or as secret inputs, in plan files too', async (t) => {
  const { cli } = project(t, { 'token.plan': 'plan 1 release API_TOKEN:abc\n', 'key.plan': 'plan 1 deploy KEY:abc\n' });
  const problem = 'a plan contains its parameters, so it can have no secret ones: leave out';
  const unused = "nothing in workflow 'release' mentions the parameter 'API_TOKEN'";
  assert.deepEqual(await cli('plan', 'deploy', 'KEY:abc'), refused(`${problem} 'KEY'`));
  assert.deepEqual(await cli('plan', '--check', 'key.plan'), refused(`${problem} 'KEY'`));
  const named = refused(`warning: ${unused}`, `${problem} 'API_TOKEN'`);
  assert.deepEqual(await cli('plan', 'release', 'API_TOKEN:abc'), named);
  assert.deepEqual(await cli('plan', '--check', 'token.plan'), named);
});

test('the values of secrets do not count, and the output says so', async (t) => {
  const { cwd, cli, edit } = project(t);
  edit('"STAGE":"dev"', '"API_TOKEN":"sesame"');
  const hint = 'cli: the values of secrets do not count: API_TOKEN\n';
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
    format: PLAN_FORMAT,
    workflow: 'release',
    params: {},
    hidden: ['API_TOKEN'],
    lines: printed.stdout.trimEnd().split('\n'),
  });
});

test('a character that hides text at a terminal is an escape in a plan', async (t) => {
  const { cli, edit } = project(t);
  edit('git tag', 'git tag \u202e');
  const { stdout } = await cli('plan', 'release');
  assert.equal(stdout.split('\n')[5], 'ops      0 run release/tag @1 git tag \\u202e "$VERSION"');
});

describe('what is no plan file is refused, and nothing is printed:', () => {
  for (const [name, text] of Object.entries({
    'another text': 'hello\n',
    'no workflow': 'plan 1\n',
    'no number': 'plan release\n',
    'format 0': 'plan 0 release\n',
    'two blanks': 'plan 1  release\n',
    'open quotes': 'plan 1 "release\n',
    'quotes without JSON': 'plan 1 "\\x"\n',
    'a word that needs quotes': 'plan 1 a,b\n',
    'bytes that are no text': '\u0000\u0001',
  })) {
    test(name, async (t) => {
      const { cli } = project(t, { 'a.plan': text });
      const usage = 'to write one: cli plan <name> > <file>';
      assert.deepEqual(await cli('plan', '--check', 'a.plan'), refused('a.plan is not a plan file', usage));
    });
  }

  test('a file that is missing, empty or a directory', async (t) => {
    const { cli } = project(t, { 'empty.plan': '' });
    const missing = 'cannot read no.plan: ENOENT: no such file or directory';
    assert.deepEqual(await cli('plan', '--check', 'no.plan'), refused(missing));
    assert.deepEqual(await cli('plan', '--check', 'empty.plan'), refused('cannot read empty.plan: it is empty'));
    const directory = 'cannot read sub: EISDIR: illegal operation on a directory';
    assert.deepEqual(await cli('plan', '--check', 'sub'), refused(directory));
  });

  test('another format', async (t) => {
    const [newer, older] = [PLAN_FORMAT + 1, PLAN_FORMAT - 1];
    const { cli } = project(t, { 'newer.plan': `plan ${newer} release\n` });
    const problem = `newer.plan is a plan of format ${newer}; this version of cli has format ${PLAN_FORMAT}`;
    assert.deepEqual(await cli('plan', '--check', 'newer.plan'), refused(problem));
    assert.ok(older >= 0);
  });

  test('a plan of a workflow that is gone, or of a file that is invalid', async (t) => {
    const { cli, edit } = project(t, { 'gone.plan': 'plan 1 relase\n', 'release.plan': PLAN });
    assert.deepEqual(
      await cli('plan', '--check', 'gone.plan'),
      refused(
        "no workflow 'relase' in .cli/workflow.json; did you mean 'release'?",
        'to list the workflows: cli list --all',
      ),
    );
    edit('"run"', '"rum"');
    const { code, stdout } = await cli('plan', '--check', 'release.plan');
    assert.deepEqual({ code, stdout }, { code: 2, stdout: '' });
  });
});

test('`--check` takes no words, and standard input only once', async (t) => {
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

test('without a name, `plan` lists the workflows', async (t) => {
  const { cli } = project(t);
  const { code, stdout, stderr } = await cli('plan');
  assert.deepEqual({ code, stdout }, { code: 2, stdout: '' });
  assert.equal(stderr.split('\n')[0], 'cli: the name of the workflow is missing; the workflows of .cli/workflow.json:');
});
