import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import type { CommandResult } from '../support/cli.ts';
import { temporaryDirectory, workflowDirectory } from '../support/cli.ts';
import { createRepository, git } from '../support/remote/repository.ts';
import { sharedPostgres } from '../support/remote/postgres.ts';
import { needsPostgres, remoteCli, startWorker } from '../support/remote/workers.ts';

const server = sharedPostgres();
const LIMITED = needsPostgres();
const FILE = { workflows: { main: { steps: ['echo "own $WHO" | tee -a ran'] } } };
const ONLY = 'this worker takes only the plans of its own .cli/workflow.json';

/** Submits the workflow `main` of a directory. */
function submit(cwd: string, id: string, ...more: readonly string[]): Promise<CommandResult> {
  return remoteCli(['workflow', 'run', 'main', '--on', server().url, '--id', id, '-q', ...more], cwd);
}

/** The result of a run with a rejected plan. */
function broken(id: string, ...lines: readonly string[]): CommandResult {
  const all = [`run ${id} is queued`, ...lines, `run ${id} is broken: its worker does not accept the plan`];
  return { code: 1, signal: null, stdout: '', stderr: all.map((line) => `cli: ${line}\n`).join('') };
}

test('a worker with --own-plans runs the plans of its own file', LIMITED, async (t) => {
  await startWorker(t, server(), workflowDirectory(t, FILE), { flags: ['--own-plans'] });
  const spaced = temporaryDirectory(t, { '.cli/workflow.json': `// a comment\n${JSON.stringify(FILE, null, 4)}` });
  const { code, stderr } = await submit(spaced, 'same', 'WHO:me', '--file', './.cli/workflow.json');
  assert.deepEqual([code, stderr], [0, 'cli: run same is queued\nown me\n']);
});

test('a worker with --own-plans rejects every other plan', LIMITED, async (t) => {
  const directory = workflowDirectory(t, FILE);
  await startWorker(t, server(), directory, { flags: ['--own-plans'] });
  const other = workflowDirectory(t, { env: { WHO: 'other' }, ...FILE });
  assert.deepEqual(await submit(other, 'edited'), broken('edited', `${ONLY}, and this one differs from it`));
  const named = temporaryDirectory(t, { 'other.json': FILE });
  assert.deepEqual(
    await submit(named, 'named', '--file', 'other.json'),
    broken('named', `${ONLY}, and this one is of other.json`),
  );
  const entry = await remoteCli(['workflow', 'runs', 'show', 'edited', '--on', server().url], other);
  assert.match(entry.stdout, /"state":"broken".*"ops":\[\]/);
  assert.equal(existsSync(join(directory, 'ran')), false);
});

test("errors in the worker's own file are printed to the log", LIMITED, async (t) => {
  const directory = workflowDirectory(t, { workflows: {} });
  await startWorker(t, server(), directory, { flags: ['--own-plans'] });
  assert.deepEqual(
    await submit(workflowDirectory(t, FILE), 'unknown'),
    broken(
      'unknown',
      "no workflow 'main' in .cli/workflow.json",
      'to list the workflows: cli list --all',
      `${ONLY}, which has no plan of this workflow with these parameters`,
    ),
  );
});

test('with --own-plans, a workflow with inputs rejects unmentioned parameters', LIMITED, async (t) => {
  const inputs = { WHO: { required: true } };
  const declared = { workflows: { main: { ...FILE.workflows.main, inputs } } };
  await startWorker(t, server(), workflowDirectory(t, declared), { flags: ['--own-plans'] });
  assert.deepEqual(
    await submit(workflowDirectory(t, FILE), 'path', 'WHO:me', 'PATH:/tmp/bin'),
    broken(
      'path',
      "nothing in workflow 'main' mentions the parameter 'PATH'",
      `${ONLY}, which has no plan of this workflow with these parameters`,
    ),
  );
});

test('with --checkout, the own file is that of the commit', LIMITED, async (t) => {
  const { cwd, clone, commit } = createRepository(t, FILE);
  await startWorker(t, server(), clone(), { flags: ['--own-plans'] });
  commit('.cli/workflow.json', JSON.stringify({ workflows: { main: { steps: ['echo pushed'] } } }));
  git(cwd, 'push', '--quiet');
  const { code, stderr } = await submit(cwd, 'pushed', '--checkout');
  assert.deepEqual([code, stderr], [0, 'cli: run pushed is queued\npushed\n']);
});
