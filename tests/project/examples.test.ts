import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { temporaryDirectory } from '../support/cli.ts';
import { quickCli as cli } from '../support/in_process.ts';
import { example, EXAMPLES } from '../support/goldens/example.ts';
import { inside } from '../support/processes/tree.ts';

test('every example is valid, without warnings', async (t) => {
  const cwd = temporaryDirectory(t);
  const names = readdirSync(EXAMPLES).toSorted();
  assert.deepEqual(names, ['backup.json', 'beta.json', 'deploy.json', 'release.json']);
  for (const name of names) {
    assert.deepEqual(await cli(['workflow', 'validate', '--file', join(EXAMPLES, name)], { cwd }), {
      code: 0,
      signal: null,
      stdout: '{"valid":true,"errors":[]}\n',
      stderr: '',
    });
  }
});

const PREFLIGHT = ['preflight/version', 'preflight/version is new'];
const PACKAGED = [
  ...PREFLIGHT,
  'build/build',
  'build/test',
  'package/package',
  'package/step_2',
  'package/package',
  'package/step_2',
];
const PROGRAM = 'echo "hello 1.2.0"\n';
const SUMS = `${createHash('sha256').update(PROGRAM).digest('hex')}  hello.sh\n`;
const PACKAGES = {
  '1.2.0-linux/SHA256SUMS': SUMS,
  '1.2.0-linux/hello.sh': PROGRAM,
  '1.2.0-macos/SHA256SUMS': SUMS,
  '1.2.0-macos/hello.sh': PROGRAM,
};

test('the release creates packages, and publishes them only on request', async (t) => {
  const { run, left, files } = example(t, 'release.json');
  assert.deepEqual(
    await run('release', 'VERSION:1.2.0'),
    left(
      'release',
      { steps: [...PACKAGED, 'release/not published'], hooks: ['before_all', 'after_all'] },
      `${SUMS}${SUMS}Not published: add PUBLISH:1 to publish\nDone: hello 1.2.0 is in build/release\n`,
    ),
  );
  assert.deepEqual(files(), inside('build/release', { ...PACKAGES, 'hello.sh': PROGRAM }));
});

test('on request the release publishes each version once', async (t) => {
  const { run, left, files } = example(t, 'release.json');
  assert.deepEqual(
    await run('release', 'VERSION:1.2.0', 'PUBLISH:1', 'OUT:out'),
    left(
      'release',
      { steps: [...PACKAGED, 'publish/publish'], hooks: ['before_all', 'after_all'] },
      `${SUMS}${SUMS}Done: hello 1.2.0 is in out\n`,
    ),
  );
  const published = inside('out', { ...PACKAGES, 'hello.sh': PROGRAM, ...inside('published/1.2.0', PACKAGES) });
  assert.deepEqual(files(), published);

  assert.deepEqual(
    await run('release', 'VERSION:1.2.0', 'PUBLISH:1', 'OUT:out'),
    left(
      'release',
      { steps: PREFLIGHT, hooks: ['before_all', 'error'], failed: 1 },
      [
        '1.2.0 is already published',
        "cli: step 'version is new' of workflow 'preflight' failed with exit code 1",
        'Stopped: the release of hello 1.2.0 is not complete\n',
      ].join('\n'),
    ),
  );
  assert.deepEqual(files(), published);
});

test('the release requires a version before it does anything', async (t) => {
  const { run, left, files } = example(t, 'release.json');
  assert.deepEqual(
    await run('release'),
    left(
      'release',
      { steps: ['preflight/version'], hooks: ['before_all', 'error'], failed: 1 },
      [
        'Add a version such as VERSION:1.2.0',
        "cli: step 'version' of workflow 'preflight' failed with exit code 1",
        'Stopped: the release of hello (no version) is not complete\n',
      ].join('\n'),
    ),
  );
  assert.deepEqual(files(), {});
});

const COPIED = ['copy/copy', 'copy/check', 'copy/keep'];
const NOTES = { 'notes.txt': 'remember the milk\n' };

test('the backup keeps the requested number of newest copies, and restores the newest', async (t) => {
  const { run, left, files } = example(t, 'backup.json');
  const steps = ['stand-in/step_1', 'backup/settings', ...COPIED];
  for (const day of ['2024-01-01', '2024-01-02', '2024-01-03']) {
    assert.deepEqual(await run('backup', `STAMP:${day}`, 'KEEP:all'), left('backup', { steps }, ''));
  }
  assert.deepEqual(
    await run('backup', 'STAMP:2024-01-04', 'KEEP:2'),
    left('backup', { steps: [...steps, 'rotate/rotate'] }, 'Removing backup-2024-01-02\nRemoving backup-2024-01-01\n'),
  );
  assert.deepEqual(
    await run('restore', 'INTO:restored'),
    left('restore', { steps: ['restore/target', 'restore/restore'] }, 'Restored backup-2024-01-04\n'),
  );
  assert.deepEqual(files(), {
    ...inside('build/backup/copies/backup-2024-01-03', NOTES),
    ...inside('build/backup/copies/backup-2024-01-04', NOTES),
    ...inside('build/backup/data', NOTES),
    ...inside('restored', NOTES),
  });
});

test('the backup of a given directory never keeps a damaged copy', async (t) => {
  const { run, left, files } = example(t, 'backup.json');
  await run('backup', 'STAMP:1');
  const before = files();
  assert.deepEqual(
    await run('backup', 'FROM:build/backup/data/', 'BREAK:1'),
    left(
      'backup',
      { steps: ['backup/settings', 'copy/copy', 'copy/damage', 'copy/check'], hooks: ['error'], failed: 1 },
      [
        'Only in build/backup/copies/partial: damage',
        "cli: step 'check' of workflow 'copy' failed with exit code 1",
        'Failed; the existing copies in build/backup/copies are intact\n',
      ].join('\n'),
    ),
  );
  assert.deepEqual(files(), before);
});

test('the backup rejects an invalid number of copies', async (t) => {
  const { run, left } = example(t, 'backup.json');
  assert.deepEqual(
    await run('backup', 'KEEP:0'),
    left(
      'backup',
      { steps: ['stand-in/step_1', 'backup/settings'], hooks: ['error'], failed: 1 },
      [
        'KEEP must be a number from 1, or all',
        "cli: step 'settings' of workflow 'backup' failed with exit code 1",
        'Failed; the existing copies in build/backup/copies are intact\n',
      ].join('\n'),
    ),
  );
});

const SWITCHED = ['deploy/upload', 'switch/remember', 'switch/switch', 'deploy/health check'];

test('the deployment rolls back if the new release is not healthy', async (t) => {
  const { run, left, files } = example(t, 'deploy.json');
  assert.deepEqual(
    await run('deploy', 'RELEASE:v1'),
    left(
      'deploy',
      { steps: ['deploy/release name', 'first time/step_1', ...SWITCHED, 'deploy/settle'] },
      'In service: v1\n',
    ),
  );
  assert.deepEqual(
    await run('deploy', 'RELEASE:v2', 'HEALTH:broken'),
    left(
      'deploy',
      { steps: ['deploy/release name', ...SWITCHED], hooks: ['error'], failed: 1 },
      [
        "Health is 'broken', not 'ok'",
        "cli: step 'health check' of workflow 'deploy' failed with exit code 1",
        'Rolled back to releases/v1\n',
      ].join('\n'),
    ),
  );
  assert.deepEqual(files(), {
    'build/site/current': '-> releases/v1',
    'build/site/releases/v1/health': 'ok\n',
    'build/site/releases/v2/health': 'broken\n',
  });
});

test('the deployment changes nothing without the name of a release', async (t) => {
  const { run, left, files } = example(t, 'deploy.json');
  assert.deepEqual(
    await run('deploy', 'RELEASE:../v1'),
    left(
      'deploy',
      { steps: ['deploy/release name'], hooks: ['error'], failed: 1 },
      [
        'Add a release such as RELEASE:v1',
        "cli: step 'release name' of workflow 'deploy' failed with exit code 1",
        'Nothing to roll back\n',
      ].join('\n'),
    ),
  );
  assert.deepEqual(files(), {});
});
