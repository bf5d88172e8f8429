import assert from 'node:assert/strict';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test, type TestContext } from 'node:test';
import { cli as start, withoutHelp } from '../support/cli.ts';
import { quickCliWithAnnouncements as cliWithAnnouncements, inProcess } from '../support/in_process.ts';
import { compile } from '../support/goldens/schemas.ts';
import { createProject, done, refused } from '../support/project.ts';

const RELEASE = {
  env: { STAGE: 'dev', TOKEN: 'abc', REGISTRY: '${vars.HOST:-npmjs.org}' },
  dotenv: ['.env'],
  include: { lib: { file: 'lib.json' } },
  secrets: { KEY: { command: ['pass', 'show', 'keys/${vars.STAGE}'] }, UNUSED: { command: ['pass', 'show', 'x'] } },
  workflows: {
    release: {
      description: 'Tag a version',
      inputs: { VERSION: { required: true, description: 'the version' }, PASSWORD: { default: 'abc' } },
      steps: [
        { name: 'tag', run: 'git tag "$VERSION" "$@"', timeout: '1m' },
        { name: 'publish', run: './publish.sh', if: 'STAGE', secrets: ['KEY'], confirm: 'Publish?' },
        { workflow: 'lib:notify', with: { URL: 'https://${vars.TOKEN}@example.org', TO: 'team' } },
      ],
    },
    other: { steps: [{ run: 'true', secrets: ['UNUSED'] }] },
  },
};
const LIBRARY = { env: { WHO: 'lib' }, workflows: { notify: { steps: ['./notify.sh "$URL" "$TO"'] } } };
const FILES = { '.env': 'COLOR=red\nSESSION_TOKEN=abc\n', '.cli/lib.json': LIBRARY };
const HIDDEN = 'cli: the values of secrets are not compared: PASSWORD, TOKEN, URL, SESSION_TOKEN\n';

/** A file, the words after `plan`, and the environment of the process. */
type Variant = Readonly<{
  file?: string;
  env?: Readonly<Record<string, string>>;
  dotenv?: string;
  library?: string;
  words?: readonly string[];
}>;

const TEXT = JSON.stringify(RELEASE);

/** The text of the file with one replacement. */
function edited(before: string, after: string, text = TEXT): string {
  assert.ok(text.includes(before), before);
  return text.replace(before, () => after);
}

async function digestOf(t: TestContext, variant: Variant): Promise<string> {
  const { cwd } = createProject(t, RELEASE, FILES);
  if (variant.file !== undefined) writeFileSync(join(cwd, '.cli/workflow.json'), variant.file);
  if (variant.dotenv !== undefined) writeFileSync(join(cwd, '.env'), variant.dotenv);
  if (variant.library !== undefined) writeFileSync(join(cwd, '.cli/lib.json'), variant.library);
  const words = variant.words ?? ['VERSION:1', '--', 'x'];
  const options = { cwd, ...(variant.env && { env: variant.env }) };
  const { code, stdout, stderr } = await inProcess(t, ['plan', '--digest', 'release', ...words], options);
  assert.equal(code, 0, stderr);
  return stdout;
}

const COUNTS: Readonly<Record<string, Variant>> = {
  'a command': { file: edited('./publish.sh', './publish.sh --all') },
  'the name of a step': { file: edited('"tag"', '"mark"') },
  'a condition': { file: edited('"if":"STAGE"', '"if":"COLOR"') },
  'an option': { file: edited('1m', '2m') },
  'a question': { file: edited('Publish?', 'Publish now?') },
  'the order of steps': { file: edited('{"workflow":"lib:notify"', '{"workflow":"other"},{"workflow":"lib:notify"') },
  'a variable of the file': { file: edited('"STAGE":"dev"', '"STAGE":"test"') },
  'a variable of a call': { file: edited('"TO":"team"', '"TO":"all"') },
  'a variable of an included file': { library: JSON.stringify(LIBRARY).replace('"WHO":"lib"', '"WHO":"me"') },
  'a variable of a dotenv file, although the process overrides it': {
    dotenv: 'COLOR=blue\nSESSION_TOKEN=abc\n',
    env: { COLOR: 'green' },
  },
  'a parameter': { words: ['VERSION:2', '--', 'x'] },
  'an argument': { words: ['VERSION:1', '--', 'y'] },
  'the environment that a value takes its text from': { env: { HOST: 'example.org' } },
  'an input': { file: edited('"PASSWORD":{', '"MORE":{"default":"1"},"PASSWORD":{') },
  'whether an input is required': { file: edited('"required":true,', '') },
  'the program of a secret': { file: edited('keys/', 'other/') },
  'a secret that a step lists': { file: edited('"secrets":["KEY"]', '"secrets":["KEY","UNUSED"]') },
  'a secret of another step that a step lists, too': {
    file: edited('"timeout":"1m"', '"timeout":"1m","secrets":["KEY"]'),
  },
  'a secret parameter': { words: ['VERSION:1', 'PASSWORD:abc', '--', 'x'] },
};

const DOES_NOT_COUNT: Readonly<Record<string, Variant>> = {
  'the layout of the file': { file: `// A comment.\n${JSON.stringify(RELEASE, undefined, 4)}` },
  'a description': { file: edited('Tag a version', 'Make a release') },
  'the description of an input': { file: edited('the version', 'its number') },
  'another workflow': { file: edited('"other":{"steps":[{"run":"true"', '"else":{"steps":[{"run":"false"') },
  'a key for other tools': { file: edited('{"env"', '{"x-owner":"me","env"') },
  'whether agents may run the workflows': { file: edited('{"env"', '{"agents":"deny","env"') },
  'whether agents may run the workflow': { file: edited('"release":{', '"release":{"agents":"allow",') },
  'the process environment': { env: { COLOR: 'green', STAGE: 'test', ELSE: '1' } },
  'the value of a secret variable': { file: edited('"TOKEN":"abc"', '"TOKEN":"longer"') },
  'the default of a secret input': { file: edited('"default":"abc"', '"default":"longer"') },
  'a secret of a dotenv file': { dotenv: 'COLOR=red\nSESSION_TOKEN=longer\n' },
  'the value of a secret in the environment': { env: { KEY: 'abc' } },
};

describe('the digest of a plan', () => {
  for (const [what, variant] of Object.entries(COUNTS)) {
    test(`changes with ${what}`, async (t) => {
      const { file, library, dotenv, words, ...same } = variant;
      const isOnlyEnvironment = [file, library, dotenv, words].every((each) => each === undefined);
      const before = await digestOf(t, isOnlyEnvironment ? {} : same);
      assert.notEqual(await digestOf(t, variant), before);
    });
  }

  for (const [what, variant] of Object.entries(DOES_NOT_COUNT)) {
    test(`does not change with ${what}`, async (t) => {
      assert.equal(await digestOf(t, variant), await digestOf(t, {}));
    });
  }

  test('does not change with the value of a secret parameter', async (t) => {
    const [one, other] = ['abc', 'longer'].map((value) => ['VERSION:1', `PASSWORD:${value}`, '--', 'x']);
    assert.equal(await digestOf(t, { words: one ?? [] }), await digestOf(t, { words: other ?? [] }));
  });
});

test('`plan --digest` prints 64 digits, and names the secrets that do not count', async (t) => {
  const { cli } = createProject(t, RELEASE, FILES);
  const { code, stdout, stderr } = await cli('plan', 'release', '1', '--digest');
  assert.deepEqual({ code, stderr }, { code: 0, stderr: HIDDEN });
  assert.match(stdout, /^[0-9a-f]{64}\n$/);
  const document = { workflow: 'release', digest: stdout.trimEnd() };
  assert.ok(compile('plan-digest')(document));
  assert.deepEqual(await cli('workflow', 'plan', 'release', 'VERSION:1', '--digest', '--format', 'json'), {
    ...done(`${JSON.stringify(document)}\n`),
    stderr: HIDDEN,
  });
});

test('`plan --digest` refuses what `run` refuses before its first command', async (t) => {
  const { cli } = createProject(t, RELEASE, FILES);
  const { code, stdout, stderr } = await cli('plan', 'release', '--digest');
  const [first] = stderr.split('\n');
  const missing = "cli: workflow 'release': the input VERSION (the version) is required, but has no value";
  assert.deepEqual([code, stdout, first], [2, '', missing]);
  const parameter = "'KEY' is a secret of the file; set it in the environment, not on the command line";
  assert.deepEqual(await cli('plan', 'release', '1', 'KEY:abc', '--digest'), refused(parameter));
  assert.deepEqual(
    await cli('plan', 'release', '--digest', '--check', 'release.plan'),
    refused("'--check' and '--digest' cannot be used together"),
  );
  assert.deepEqual(
    await cli('plan', 'release', '--', 'x'),
    refused("a plan file has no arguments after '--'; only '--digest' takes them"),
  );
});

test('`run --plan-digest` runs the plan with this digest, or nothing', async (t) => {
  const file = { workflows: { release: { steps: ['echo "$VERSION" >>ran'] } }, before_all: 'echo before >>ran' };
  const { cwd, cli } = createProject(t, file);
  const approved = (await cli('plan', 'release', 'VERSION:1', '--digest')).stdout.trimEnd();
  const actual = (await cli('plan', 'release', 'VERSION:2', '--digest')).stdout.trimEnd();
  const env = { CLI_NO_JOURNAL: undefined };
  const refusedRun = await start(['run', 'release', 'VERSION:2', '--plan-digest', approved], { cwd, env });
  const told = refused(
    "the plan of workflow 'release' is not the approved one",
    `its digest is ${actual}; to see the plan, replace --plan-digest by --dry-run`,
  );
  assert.deepEqual({ ...refusedRun, stderr: withoutHelp(refusedRun.stderr) }, told);
  assert.deepEqual([existsSync(join(cwd, 'ran')), existsSync(join(cwd, '.cli/runs'))], [false, false]);
  const line = ['workflow', 'run', 'release', 'VERSION:1', '--plan-digest', approved.toUpperCase()];
  const compared = await start([...line, '--dry-run'], { cwd });
  assert.deepEqual([compared.code, existsSync(join(cwd, 'ran'))], [0, false]);
  const ran = await cliWithAnnouncements(line, { cwd, env });
  assert.deepEqual([ran.code, existsSync(join(cwd, 'ran'))], [0, true], ran.stderr);
});

test('`--plan-digest` is for a whole plan on this machine', async (t) => {
  const { cli } = createProject(t, RELEASE, FILES);
  const digest = '0'.repeat(64);
  for (const [flag, value] of Object.entries({
    from: 'tag',
    until: 'tag',
    only: 'tag',
    on: 'postgres://db/ci',
    watch: 'src',
  })) {
    assert.deepEqual(
      await cli('run', 'release', '1', '--plan-digest', digest, `--${flag}`, value),
      refused(`'--plan-digest' covers a whole plan on this machine, and cannot be used with '--${flag}'`),
    );
  }
  assert.deepEqual(
    await cli('run', 'release', '1', '--plan-digest', digest, '--dry-run', '--assume', 'tag=fail'),
    refused("'--plan-digest' covers a whole plan on this machine, and cannot be used with '--assume'"),
  );
  for (const bad of [digest.slice(1), `${digest}0`, `${digest.slice(1)}g`]) {
    assert.deepEqual(
      await cli('run', 'release', '1', '--plan-digest', bad),
      refused("'--plan-digest' must have 64 hexadecimal digits, as 'cli plan NAME --digest' prints them"),
    );
  }
});
