/* Only GitHub itself can run the workflows of this repository. These tests check their permissions, and run their own scripts. */
import assert from 'node:assert/strict';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import * as v from 'valibot';
import { parse } from 'yaml';
import { COMMAND_LINE, finish, ROOT, temporaryDirectory, type CommandResult } from '../support/cli.ts';
import { needs } from '../support/needs.ts';
import { TARBALL, VERSION } from '../support/package.ts';

const Step = v.strictObject({
  name: v.optional(v.string()),
  if: v.optional(v.string()),
  uses: v.optional(v.string()),
  with: v.optional(v.record(v.string(), v.union([v.string(), v.number(), v.boolean()]))),
  run: v.optional(v.string()),
  env: v.optional(v.record(v.string(), v.string())),
});
const Job = v.looseObject({ permissions: v.record(v.string(), v.string()), steps: v.array(Step) });
const Workflow = v.looseObject({ permissions: v.strictObject({}), jobs: v.record(v.string(), Job) });

const WORKFLOWS = join(ROOT, '.github/workflows');

function readWorkflow(name: string) {
  const text = readFileSync(join(WORKFLOWS, name), 'utf8');
  const { jobs } = v.parse(Workflow, parse(text));
  return { text, jobs, steps: Object.values(jobs).flatMap(({ steps }) => steps) };
}

const { text: TEXT, jobs, steps: STEPS } = readWorkflow('release.yml');

for (const name of readdirSync(WORKFLOWS)) {
  test(`${name} uses actions by commit, with their version in a comment`, () => {
    const { text, steps } = readWorkflow(name);
    const used = steps.flatMap(({ uses }) => uses ?? []);
    assert.ok(used.length > 0);
    for (const action of used) {
      assert.match(action, /^actions\/[a-z-]+@[0-9a-f]{40}$/);
      assert.match(text.slice(text.indexOf(action) + action.length), /^ # v\d+\.\d+\.\d+\n/);
    }
  });
}

test('CI runs the tests with reading permission only, and its summary compares the speed with the commit before', async (t) => {
  const ci = readWorkflow('ci.yml');
  assert.deepEqual(
    Object.values(ci.jobs).map(({ permissions }) => permissions),
    [{ contents: 'read' }],
  );
  assert.doesNotMatch(ci.text, /secrets\.|pull_request_target/);
  assert.ok(ci.steps.some(({ run }) => run === '.ci/run'));
  const { run = '', env } = ci.steps.find(({ name }) => name === 'Compare the speed') ?? {};
  assert.deepEqual(env, { BEFORE: '${{ github.event.pull_request.base.sha || github.event.before }}' });
  const cwd = temporaryDirectory(t, {});
  const bash = ['--noprofile', '--norc', '-eo', 'pipefail', '-c', `npm() { echo "table of $*"; }; ${run}`];
  const variables = { BEFORE: '1234567', GITHUB_STEP_SUMMARY: join(cwd, 'summary.md') };
  const compared = await finish('bash', bash, { cwd, env: { ...process.env, ...variables } });
  assert.equal(compared.code, 0, compared.stderr);
  assert.equal(readFileSync(join(cwd, 'summary.md'), 'utf8'), 'table of run --silent bench:against 1234567\n');
});

test('each job of a release has only the permissions that it needs, and only tests run code of the repository', () => {
  const permissions = Object.entries(jobs).map(([name, job]) => [name, job.permissions]);
  assert.deepEqual(Object.fromEntries(permissions), {
    test: { contents: 'read' },
    run: {},
    collect: { contents: 'read' },
    publish: { 'id-token': 'write' },
    attest: { attestations: 'write', contents: 'read', 'id-token': 'write' },
    attach: { contents: 'write' },
  });
  const publishing = [jobs['publish'], jobs['attest'], jobs['attach']].flatMap((job) => job?.steps ?? []);
  const code = /checkout|npm (?:ci|install|run|test|exec)|npx|node |scripts\//;
  for (const { uses = '', run = '' } of publishing) assert.doesNotMatch(`${uses}\n${run}`, code);
});

test('a release ends at once if its tag is not that of the version', async (t) => {
  const script = STEPS.find(({ name }) => name === 'Compare the tag with the version')?.run ?? '';
  const cwd = temporaryDirectory(t, { 'package.json': { version: '1.2.3' } });
  const release = async (tag: string): Promise<readonly unknown[]> => {
    const bash = ['--noprofile', '--norc', '-eo', 'pipefail', '-c', script];
    const { code, stdout } = await finish('bash', bash, { cwd, env: { ...process.env, GITHUB_REF_NAME: tag } });
    return [code, stdout];
  };
  assert.deepEqual(await release('v1.2.3'), [0, '']);
  for (const tag of ['v1.2.4', '1.2.3', 'v1.2.3-rc.1'])
    assert.deepEqual(await release(tag), [1, `::error::the tag is ${tag}, and the version 1.2.3\n`]);
});

test('CI fails for a package with a known vulnerability, and not if no registry answers', async (t) => {
  const script = readWorkflow('ci.yml').steps.find(({ name }) => name === 'Audit the packages')?.run ?? '';
  const cwd = temporaryDirectory(t, { 'package-lock.json': {}, 'packages/ui/package-lock.json': {} });
  const audit = async (npm: string): Promise<readonly unknown[]> => {
    const bash = ['--noprofile', '--norc', '-eo', 'pipefail', '-c', `npm() { ${npm}; }; ${script}`];
    const { code, stdout } = await finish('bash', bash, { cwd, env: process.env });
    return [code, stdout];
  };
  const silent = 'npm error audit endpoint returned an error';
  assert.deepEqual(await audit('true'), [0, '']);
  assert.deepEqual(await audit('[[ $* == *--prefix" packages/ui" ]] || return 0; echo found; return 1'), [
    1,
    'packages/ui/package-lock.json: found\n',
  ]);
  assert.deepEqual(await audit(`echo '${silent}' >&2; return 1`), [
    0,
    `package-lock.json: ${silent}\npackages/ui/package-lock.json: ${silent}\n`,
  ]);
});

test('updates are proposed for the packages of each lock file, and for actions', () => {
  const Config = v.object({ updates: v.array(v.looseObject({ directories: v.optional(v.array(v.string())) })) });
  const { updates } = v.parse(Config, parse(readFileSync(join(ROOT, '.github/dependabot.yml'), 'utf8')));
  const parents = ['packages', 'tools'].flatMap((parent) =>
    readdirSync(join(ROOT, parent)).map((name) => `${parent}/${name}`),
  );
  const locked = ['', 'benchmark', 'site', ...parents].filter((path) =>
    existsSync(join(ROOT, path, 'package-lock.json')),
  );
  assert.deepEqual(updates[0]?.directories?.toSorted(), locked.map((path) => `/${path}`).toSorted());
  assert.deepEqual(
    updates.map((each) => each['package-ecosystem']),
    ['npm', 'github-actions'],
  );
});

test('the licences of the executable are those of its version of Bun', () => {
  const Tool = v.object({ devDependencies: v.object({ bun: v.string() }) });
  const tool = v.parse(Tool, JSON.parse(readFileSync(join(ROOT, 'tools/standalone/package.json'), 'utf8')));
  const text = readFileSync(join(ROOT, 'tools/standalone/licenses/bun.txt'), 'utf8');
  assert.equal(text.split('\n')[0], `bun ${tool.devDependencies.bun} (MIT)`);
  const others = text.matchAll(/bun-v(\S+?)[,/]/g);
  assert.deepEqual(new Set([...others].map(([, version]) => version)), new Set([tool.devDependencies.bun]));
});

test('a release needs no stored secret: its packages are published with an identity token', () => {
  assert.doesNotMatch(TEXT, /secrets\.|NODE_AUTH_TOKEN|NPM_TOKEN|_authToken/);
  const tokens = STEPS.flatMap(({ env }) => Object.entries(env ?? {}));
  assert.deepEqual(tokens, [['GH_TOKEN', '${{ github.token }}']]);
  const checkouts = STEPS.filter(({ uses }) => uses?.startsWith('actions/checkout@') === true);
  assert.deepEqual(
    checkouts.map((step) => step.with),
    [{ 'persist-credentials': false }, { 'persist-credentials': false }],
  );
});

/** Runs the script of a step of the release of version 1.2.3. */
async function runStep(name: string, cwd: string, env: Readonly<Record<string, string>> = {}): Promise<CommandResult> {
  const script = STEPS.find((step) => step.name === name)?.run ?? '';
  const bash = ['--noprofile', '--norc', '-eo', 'pipefail', '-c', script];
  return finish('bash', bash, { cwd, env: { ...process.env, GITHUB_REF_NAME: 'v1.2.3', ...env } });
}

const SYSTEMS = ['darwin-arm64', 'darwin-x64', 'linux-arm64', 'linux-x64'];

test(
  'a release has both packages, install.sh, a formula, and the executables with contents, licences, checksums and copies',
  needs('zstd'),
  async (t) => {
    const cwd = temporaryDirectory(t, {
      'package.json': { name: 'workflow-plan', version: VERSION, files: ['dist'] },
      'packages/postgres/package.json': { name: 'workflow-plan-postgres', version: VERSION },
      'build/standalone/cli': 'an executable\n',
      ...Object.fromEntries(SYSTEMS.map((system) => [`build/standalone/cli-${system}`, `${system}\n`])),
      'build/standalone/cli.cdx.json': {},
      'build/standalone/THIRD_PARTY_LICENSES.txt': 'licences\n',
      'install.sh': 'echo\n',
    });
    mkdirSync(join(cwd, 'scripts'));
    copyFileSync(join(ROOT, 'scripts/formula.mjs'), join(cwd, 'scripts/formula.mjs'));
    const built = await runStep('Collect what was built', cwd);
    assert.equal(built.code, 0, built.stderr);
    const executables = SYSTEMS.map((system) => `cli-1.2.3-${system}`);
    assert.deepEqual(readdirSync(join(cwd, 'executables')).toSorted(), executables);
    renameSync(join(cwd, 'contents'), join(cwd, 'release'));
    for (const name of executables) renameSync(join(cwd, 'executables', name), join(cwd, 'release', name));
    const collected = await runStep('Collect the files to publish', cwd);
    assert.equal(collected.code, 0, collected.stderr);
    const release = join(cwd, 'release');
    const files = [
      'THIRD_PARTY_LICENSES.txt',
      ...executables,
      ...executables.map((name) => `${name}.tar.zst`),
      'cli-1.2.3.cdx.json',
      'install.sh',
      'workflow-plan.rb',
      TARBALL,
      `workflow-plan-postgres-${VERSION}.tgz`,
    ];
    assert.deepEqual(readdirSync(release).toSorted(), ['SHA256SUMS', ...files].toSorted());
    const checked = await finish('sha256sum', ['--check', '--strict', 'SHA256SUMS'], { cwd: release });
    assert.deepEqual(checked.stdout.split('\n').toSorted(), ['', ...files.map((name) => `${name}: OK`)].toSorted());
    const list = ['--use-compress-program', 'zstd -d', '-tf', `${executables[3]}.tar.zst`];
    assert.equal((await finish('tar', list, { cwd: release })).stdout, 'cli\nTHIRD_PARTY_LICENSES.txt\n');
    assert.equal(readFileSync(join(release, 'workflow-plan.rb'), 'utf8').split('sha256 "').length, 5);
  },
);

test('a release ends if an executable does not resume a run on its system', async (t) => {
  const cwd = temporaryDirectory(t);
  const write = (first: string): void =>
    writeFileSync(join(cwd, 'cli-1.2.3-linux-x64'), `#!/bin/sh\n${first}\nexec ${COMMAND_LINE} "$@"\n`);
  const env = { SYSTEM: 'linux-x64', CLI_NO_JOURNAL: '' };
  write('[ "$1" != --version ] || { echo 1.2.3; exit; }');
  const ran = await runStep('Run the executable', cwd, env);
  assert.equal(ran.code, 0, ran.stderr);
  rmSync(join(cwd, 'project'), { recursive: true });
  write('[ "$1" != --version ] || { echo 1.2.3; exit; }; [ "$1" != resume ] || exit 0');
  assert.notEqual((await runStep('Run the executable', cwd, env)).code, 0);
});

test('npm publishes with provenance only a package that names its repository', () => {
  const Manifest = v.object({ version: v.string(), repository: v.object({ url: v.string() }) });
  const [own, postgres] = ['.', 'packages/postgres'].map((directory) =>
    v.parse(Manifest, JSON.parse(readFileSync(join(ROOT, directory, 'package.json'), 'utf8'))),
  );
  assert.deepEqual(postgres?.version, own?.version);
  assert.equal(postgres?.repository.url, own?.repository.url);
});
