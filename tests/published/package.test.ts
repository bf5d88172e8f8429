import assert from 'node:assert/strict';
import { lstatSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { finish, temporaryDirectory, ROOT, withoutTimes } from '../support/cli.ts';
import { checkStatedSize, TARBALL, VERSION } from '../support/package.ts';
import { tree } from '../support/processes/tree.ts';

test('the package contains only the bundle, has the size stated in README.md, and works once installed', async (t) => {
  const place = temporaryDirectory(t, {
    'work/.cli/workflow.json': { workflows: { good: { steps: ['true'] }, bad: { steps: ['false'] } } },
  });
  const prefix = join(place, 'prefix');
  const work = join(place, 'work');
  // Without scripts, because `prepack` would build again, and empty dist while other tests use it.
  const pack = ['pack', '--silent', '--ignore-scripts', '--pack-destination', place];
  const packed = await finish('npm', pack, { cwd: ROOT });
  assert.equal(packed.code, 0, packed.stderr);
  assert.equal(packed.stdout, `${TARBALL}\n`);

  const tarball = join(place, TARBALL);
  checkStatedSize('package', tarball);
  const flags = ['--silent', '--no-audit', '--no-fund', '--offline', '--prefix', prefix];
  const installed = await finish('npm', ['install', '--global', ...flags, tarball], { cwd: work });
  assert.equal(installed.code, 0, installed.stdout + installed.stderr);

  const home = join(prefix, 'lib/node_modules/workflow-plan');
  const bundle = Object.keys(tree(join(ROOT, 'dist'))).map((name) => `dist/${name}`);
  assert.deepEqual(Object.keys(tree(home)), ['LICENSE', 'README.md', ...bundle, 'package.json'].toSorted());

  const command = join(prefix, 'bin/cli');
  assert.ok(lstatSync(command).isSymbolicLink());
  const run = (...args: string[]) => finish(command, args, { cwd: work });
  assert.deepEqual(await run('--version'), { code: 0, signal: null, stdout: `${VERSION}\n`, stderr: '' });
  assert.deepEqual(await run('workflow', 'run', 'good', '--quiet'), {
    code: 0,
    signal: null,
    stdout: '{"workflow":"good","steps":[{"name":"step_1","command":"true","exit_code":0}],"success":true}\n',
    stderr: '',
  });
  const bad = await run('workflow', 'run', 'bad');
  assert.deepEqual(
    { ...bad, stderr: withoutTimes(bad.stderr) },
    {
      code: 1,
      signal: null,
      stdout: '{"workflow":"bad","steps":[{"name":"step_1","command":"false","exit_code":1}],"success":false}\n',
      stderr:
        "cli: step 'step_1' of workflow 'bad'\n" +
        "cli: step 'step_1' of workflow 'bad' failed with exit code 1, <time>\n" +
        'cli:   at .cli/workflow.json:1:57: false\n' +
        'cli:   for details, add --debug; for the plan, --dry-run\n' +
        "cli: workflow 'bad' failed: 1 step ran, <time>\n",
    },
  );
  const npx = [
    'exec',
    '--yes',
    '--offline',
    '--silent',
    `--cache=${join(place, 'cache')}`,
    `--package=${tarball}`,
    '--',
  ];
  const throughNpx = await finish('npm', [...npx, 'cli', 'workflow', 'run', 'bad'], { cwd: work });
  assert.deepEqual([throughNpx.code, throughNpx.stdout], [1, (await run('workflow', 'run', 'bad')).stdout]);
  assert.deepEqual(await run('workflow', 'run', 'baad'), {
    code: 2,
    signal: null,
    stdout: '',
    stderr:
      "cli: no workflow 'baad' in .cli/workflow.json; did you mean 'bad'?\n" +
      'cli: to list the workflows: cli list --all\n',
  });
});
