import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { cli, temporaryDirectory, ROOT } from '../support/cli.ts';
import { TARBALL, VERSION } from '../support/package.ts';
import { runDocument } from '../support/workflow_file.ts';

const FILE = join(ROOT, '.cli/workflow.json');
const VERSION_STEPS = ['version/package.json', 'version/CHANGELOG.md'];

test("the project's own workflows are valid and listed", async () => {
  const validated = await cli(['workflow', 'validate'], { cwd: ROOT });
  assert.deepEqual(validated, { code: 0, signal: null, stdout: '{"valid":true,"errors":[]}\n', stderr: '' });
  const { stdout } = await cli(['workflow', 'list'], { cwd: ROOT });
  assert.deepEqual(
    [...stdout.matchAll(/"name":"([^"]*)"/g)].map(([, name]) => name),
    ['ci', 'build', 'check', 'test', 'pack', 'release-check'],
  );
});

test('the pack workflow packs the build', async (t) => {
  const packages = temporaryDirectory(t);
  const packed = await cli(['workflow', 'run', 'pack', `PACKAGE_FOLDER:${packages}`], { cwd: ROOT });
  assert.deepEqual(packed, {
    code: 0,
    signal: null,
    stdout: runDocument(FILE, 'pack', { steps: ['pack/folder', 'pack/pack'], hooks: ['before_all', 'after_all'] }),
    stderr: `${TARBALL}\nAll is well\n`,
  });
  assert.deepEqual(readdirSync(packages), [TARBALL]);
});

test('the release check accepts the version of the package', async () => {
  const checked = await cli(['workflow', 'run', 'release-check', `VERSION:${VERSION}`, 'QUICK:1', 'CI:1'], {
    cwd: ROOT,
  });
  assert.deepEqual(checked, {
    code: 0,
    signal: null,
    stdout: runDocument(FILE, 'release-check', { steps: VERSION_STEPS, hooks: ['before_all', 'after_all'] }),
    stderr: 'All is well\n',
  });
});

test('the release check rejects another version', async () => {
  const checked = await cli(['workflow', 'run', 'release-check', 'VERSION:9.9.9'], { cwd: ROOT });
  assert.deepEqual(checked, {
    code: 1,
    signal: null,
    stdout: runDocument(FILE, 'release-check', {
      steps: ['version/package.json'],
      hooks: ['before_all', 'error'],
      failed: 1,
    }),
    stderr: [
      "package.json has another version than '9.9.9'",
      "cli: step 'package.json' of workflow 'version' failed with exit code 1",
      'Not ready; the first failure is above\n',
    ].join('\n'),
  });
});

test('the ci workflow builds, checks, tests and packs, in this order', async () => {
  const planned = await cli(['workflow', 'run', 'release-check', '--dry-run', `VERSION:${VERSION}`], { cwd: ROOT });
  assert.equal(planned.code, 0);
  assert.equal(
    planned.stderr,
    `workflow release-check
  [before_all]  [ -f package.json ] || { echo "Run this in the root of the repository"; exit 1; }
  > version
    - package.json  [ "$(node -p 'require("./package.json").version')" = "$VERSION" ] || { echo "package.json has another version than '$VERSION'"; exit 1; }
    - CHANGELOG.md  grep -qF "## [$VERSION]" CHANGELOG.md || { echo "CHANGELOG.md has no section for $VERSION"; exit 1; }
  > ci  (if [ -z "$QUICK" ])
    > build
      - install  node scripts/setup.mjs
      - compile  node scripts/build.mjs
    > check
      - lint  npm run --silent lint
    > test
      - test  node scripts/test.mjs $TESTS
    > pack  (if [ -z "$SKIP_PACK" ])
      - folder  mkdir -p "$PACKAGE_FOLDER"
      - pack  npm pack --silent --ignore-scripts --pack-destination "$PACKAGE_FOLDER"
  > committed  (if [ -z "$CI" ])
    - committed  changes=$(git status --porcelain) && [ -z "$changes" ] || { echo "Not committed:"; echo "$changes"; exit 1; }
  [after_all]  echo "All is well"
  [error]  echo "Not ready; the first failure is above"
`,
  );
});
