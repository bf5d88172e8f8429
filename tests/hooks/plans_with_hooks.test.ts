import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { createProject, done, refused, type Project } from '../support/project.ts';
import { call } from '../support/workflow.ts';

const OWN = { finally: './unlock.sh', steps: [{ name: 'apply', run: './apply.sh' }] };

/** A project whose workflow `release` calls two others, both of which have a hook. */
function project(t: TestContext): Project {
  const release = { finally: './report.sh', steps: [call('first'), call('deploy')] };
  return createProject(t, { workflows: { release, first: { steps: ['echo first'] }, deploy: OWN } });
}

test('a plan with hooks of workflows has format 2, and one without has format 1', async (t) => {
  const { cli } = project(t);
  const firstLine = async (name: string): Promise<string | undefined> =>
    (await cli('plan', name)).stdout.split('\n')[0];
  assert.deepEqual([await firstLine('release'), await firstLine('first')], ['plan 2 release', 'plan 1 first']);
});

/** The output of `plan --check` for a line that only one of the plans has. */
const change = (sign: string): string =>
  `the plan of workflow 'deploy' has changed:\nops\n  ${sign} 1 hook finally of 0 @1 ./unlock.sh\n`;

test('`plan --check` reads both formats, and shows a hook that the other one does not have', async (t) => {
  const { cwd, cli, edit } = project(t);
  writeFileSync(join(cwd, 'two.plan'), (await cli('plan', 'deploy')).stdout);
  edit('"finally":"./unlock.sh",', '');
  writeFileSync(join(cwd, 'one.plan'), (await cli('plan', 'deploy')).stdout);
  assert.equal((await cli('plan', '--check', 'two.plan')).stdout, change('-'));
  assert.deepEqual(await cli('plan', '--check', 'one.plan'), done("the plan of workflow 'deploy' has not changed\n"));
  edit('"deploy":{', '"deploy":{"finally":"./unlock.sh",');
  assert.equal((await cli('plan', '--check', 'one.plan')).stdout, change('+'));
});

test('an inserted call is one change, and a hook that moves to the caller is another', async (t) => {
  const { cwd, cli, edit } = project(t);
  writeFileSync(join(cwd, 'release.plan'), (await cli('plan', 'release')).stdout);
  edit('{"workflow":"first"},', '{"workflow":"first"},{"workflow":"first"},');
  const { stdout } = await cli('plan', '--check', 'release.plan');
  assert.equal(stdout.includes('hook'), false, stdout);
  edit('"deploy":{"finally":"./unlock.sh",', '"deploy":{');
  edit('"finally":"./report.sh"', '"finally":["./unlock.sh","./report.sh"]');
  const moved = (await cli('plan', '--check', 'release.plan')).stdout;
  assert.match(moved, /^ {2}- 2 hook finally of 2 @1 \.\/unlock\.sh$/m);
  assert.match(moved, /^ {2}\+ \d hook finally of 0 @1 "\.\/unlock\.sh\\n\.\/report\.sh"$/m);
});

test('--assume of a call means its steps, and cannot name a hook of a workflow', async (t) => {
  const { cli } = project(t);
  const assume = async (text: string): Promise<string> =>
    (await cli('run', 'release', '--dry-run', '--assume', text, '--format', 'text')).stdout;
  assert.equal(
    await assume('deploy=fail'),
    [
      'workflow release, as assumed',
      '  - first/step_1  echo first',
      '  - deploy/apply  failed with exit code 1',
      '  [finally of deploy]  ./unlock.sh',
      '  [finally of release]  ./report.sh',
      'the run would fail: 2 steps of 2 would run, 1 of them would fail',
      '',
    ].join('\n'),
  );
  assert.equal(
    await assume('deploy=skip'),
    [
      'workflow release, as assumed',
      '  - first/step_1  echo first',
      '  - deploy/apply  skipped (assumed)',
      '  [finally of deploy]  skipped (assumed)',
      '  [finally of release]  ./report.sh',
      'the run would succeed: 1 step of 2 would run, 1 skipped',
      '',
    ].join('\n'),
  );
  const unknown = await cli('run', 'release', '--dry-run', '--assume', 'finally=fail');
  assert.deepEqual(unknown, refused("--assume 'finally': the file has no such hook"));
});

test('hooks of workflows count as operations', async (t) => {
  const names = Array.from({ length: 17 }, (_, index) => `w${index}`);
  const doubled = names.map((name, index): [string, object] => {
    const steps = index === 0 ? [] : [call(`w${index - 1}`), call(`w${index - 1}`)];
    return [name, { error: 'true', finally: 'true', steps }];
  });
  const { cwd, cli } = createProject(t, { workflows: Object.fromEntries(doubled) });
  assert.ok(readFileSync(join(cwd, '.cli/workflow.json'), 'utf8').includes('"finally"'));
  const { code, stderr } = await cli('plan', 'w16');
  assert.equal(code, 2);
  assert.match(stderr, /393,?212 operations/);
});
