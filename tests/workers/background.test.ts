/* Steps in the background and locks of workflows on workers. */
import assert from 'node:assert/strict';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { workflowDirectory } from '../support/cli.ts';
import { sharedPostgres } from '../support/remote/postgres.ts';
import { needsPostgres, remoteCli, startClient, startWorker } from '../support/remote/workers.ts';
import { until } from '../support/until.ts';
import { call } from '../support/workflow.ts';

const server = sharedPostgres();
const LIMITED = needsPostgres();

const note = (name: string): string => `echo ${name} >>ran`;
/** A step in the background, which notes its start and its stop. */
const background = (name: string, seconds: string): object => ({
  name,
  run: `trap '${note(`${name} stopped`)}; exit' TERM; ${note(name)}; echo up; sleep ${seconds} & wait`,
  background: true,
  ready: { output: 'up' },
});
/** A step that waits for a file, and says that it does. */
const held = (name: string): string => `${note(name)}; touch ${name}.held; until [ -e ${name}.go ]; do sleep 0.1; done`;

const ranIn = (cwd: string): readonly string[] => readFileSync(join(cwd, 'ran'), 'utf8').trim().split('\n');
const isHeld = (cwd: string, name: string): Promise<void> =>
  until(
    () => existsSync(join(cwd, `${name}.held`)),
    () => `${name} runs`,
  );

const FILE = {
  workflows: {
    main: {
      finally: note('finally'),
      steps: [background('outer', '93.1'), call('inner'), { name: 'flight', run: held('flight') }, note('last')],
    },
    inner: { steps: [background('db', '93.2'), note('inside')] },
    dies: {
      finally: note('finally'),
      steps: [
        { name: 'outer', run: `echo up; until [ -e flight.held ]; do sleep 0.1; done; exit 3`, background: true },
        { name: 'flight', run: held('flight') },
      ],
    },
    locked: { lock: 'deploy', steps: [{ name: 'work', run: `${note('begin')}; sleep 1; ${note('end')}` }] },
  },
};

const CODES = ['outer', 'db', 'step_2', 'flight', 'step_4'].map((name) => [name, 0]);
const codes = (stdout: string): unknown =>
  JSON.parse(stdout).steps.map(({ name, exit_code: code }: Readonly<Record<string, unknown>>) => [name, code]);

test('a worker stops steps in the background, and fails a run with one that ends by itself', LIMITED, async (t) => {
  const cwd = workflowDirectory(t, FILE);
  await startWorker(t, server(), cwd, { flags: ['--jobs', '2'] });
  writeFileSync(join(cwd, 'flight.go'), '');
  const line = (name: string): readonly string[] => ['run', name, '--on', server().url, '--format', 'json'];
  const { code, stdout, stderr } = await remoteCli([...line('main'), '--id', 'whole'], cwd);
  assert.equal(code, 0, stderr);
  assert.deepEqual(codes(stdout), CODES);
  const log = ['outer', 'db', 'inside', 'db stopped', 'flight', 'last', 'outer stopped', 'finally'];
  assert.deepEqual(ranIn(cwd), log);
  assert.match(stderr, /^outer │ up$/m);
  const failed = await remoteCli(line('dies'), workflowDirectory(t, FILE));
  assert.equal(failed.code, 1);
  assert.match(failed.stderr, /background step 'outer' of workflow 'dies' ended with exit code 3 while 'flight' ran/);
});

test('another worker starts a step in the background again, but not one that was stopped', LIMITED, async (t) => {
  const cwd = workflowDirectory(t, FILE);
  const first = await startWorker(t, server(), cwd, { flags: ['--name', 'first'] });
  const client = startClient(['run', 'main', '--on', server().url, '--id', 'taken', '--format', 'json'], cwd);
  await isHeld(cwd, 'flight');
  await client.says("cli: step 'flight' of workflow 'main'\n");
  await startWorker(t, server(), cwd, { flags: ['--name', 'second'] });
  first.child.kill('SIGKILL');
  await client.says('going on after');
  writeFileSync(join(cwd, 'flight.go'), '');
  const { code, stdout, stderr } = await client.ended;
  assert.equal(code, 0, stderr);
  assert.deepEqual(codes(stdout), CODES);
  const log = ranIn(cwd).filter((line) => line !== 'outer stopped');
  assert.deepEqual(log, ['outer', 'db', 'inside', 'db stopped', 'flight', 'outer', 'flight', 'last', 'finally']);
});

test('the lock of a workflow is that of its run in the queue of workers', LIMITED, async (t) => {
  const cwd = workflowDirectory(t, FILE);
  await startWorker(t, server(), cwd, { flags: ['--jobs', '2'] });
  const runs = ['a', 'b'].map((id) => remoteCli(['run', 'locked', '--on', server().url, '--id', `locked-${id}`], cwd));
  assert.deepEqual(
    (await Promise.all(runs)).map(({ code }) => code),
    [0, 0],
  );
  assert.deepEqual(ranIn(cwd), ['begin', 'end', 'begin', 'end']);
});
