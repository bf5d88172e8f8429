/* What people see of runs and resumes: in a subdirectory, in short forms, in colours. */
import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { test } from 'node:test';
import { cli, cliWithAnnouncements } from '../support/cli.ts';
import { effect, project, stepsOf } from '../support/runs/recorded_run.ts';

const FAILING = effect('b', { run: 'echo b >> effects; test -e fixed' });
const env = { CLI_NO_JOURNAL: undefined };

test('runs are found and resumed from a subdirectory of the repository', async (t) => {
  const { cwd, cli: inProject, effects, run } = project(t, [effect('a'), FAILING]);
  mkdirSync(join(cwd, '.git'));
  mkdirSync(join(cwd, 'x/y'), { recursive: true });
  await inProject('run ci');
  const below = { cwd: join(cwd, 'x/y'), env };
  const listed = await cli(['workflow', 'runs', 'list', '--format', 'table'], below);
  assert.deepEqual([listed.stdout.split(' ')[0], listed.stderr], [basename(run()), 'cli: using ../../.cli/runs\n']);
  for (const words of [['show', '--last'], ['prune']]) assert.equal((await cli(['runs', ...words], below)).code, 0);
  writeFileSync(join(cwd, 'fixed'), '');
  const { stdout } = await cli(['workflow', 'resume', '--last', '--report', 'r.json'], below);
  assert.deepEqual(stepsOf(stdout), ['a 0 kept', 'b 0']);
  assert.deepEqual(effects(), ['a', 'b', 'b']);
  assert.equal((await cli(['runs', 'list', '--file', 'none.json', '--format', 'json'], below)).stdout, '[]\n');
});

test('the short form of a resume shows its plan to people, the long form prints a document', async (t) => {
  const { cwd, cli: inProject, run } = project(t, [effect('a'), FAILING]);
  await inProject('run ci');
  const plan = `run ${basename(run())} of workflow ci\n  = a  kept: finished\n  > b  run\n`;
  const short = await cliWithAnnouncements(['resume', '--last', '--dry-run'], { cwd, env });
  assert.deepEqual(short, { code: 0, signal: null, stdout: plan, stderr: '' });
  const json = await cliWithAnnouncements(['resume', '--last', '-n', '--format', 'json'], { cwd, env });
  assert.deepEqual([json.code, stepsOf(json.stdout), json.stderr], [0, ['a kept', 'b run'], plan]);
  const long = await inProject('resume --last --dry-run');
  assert.deepEqual([long.stdout, long.stderr], [json.stdout, plan]);
});
