import assert from 'node:assert/strict';
import { test } from 'node:test';
import { temporaryDirectory, workflowDirectory } from '../support/cli.ts';
import { sharedPostgres } from '../support/remote/postgres.ts';
import { needsPostgres, remoteCli, start, startWorker } from '../support/remote/workers.ts';

const server = sharedPostgres();
const LIMITED = needsPostgres();

test('a worker with a tag takes the runs with that tag', LIMITED, async (t) => {
  const cwd = workflowDirectory(t, { workflows: { main: { steps: ['echo "$WHERE"'] } } });
  const flags = ['--on', server().url];
  await startWorker(t, server(), temporaryDirectory(t), { env: { WHERE: 'no tag' } });
  await startWorker(t, server(), temporaryDirectory(t), { flags: ['--tag', 'mac'], env: { WHERE: 'a mac' } });
  const { code, stdout, stderr } = await remoteCli(
    ['workflow', 'run', 'main', ...flags, '--tag', 'mac', '--id', 'tagged', '--no-ci', '-q'],
    cwd,
  );
  assert.deepEqual(
    { code, stdout, stderr },
    {
      code: 0,
      stdout:
        '{"workflow":"main","steps":[{"name":"step_1","command":"echo \\"$WHERE\\"","exit_code":0}],"success":true}\n',
      stderr: "cli: run tagged is queued for a worker with the tag 'mac'\na mac\n",
    },
  );
});

test('a worker in a CI job adds no commands for its service to the output of a run', LIMITED, async (t) => {
  const cwd = workflowDirectory(t, { workflows: { main: { steps: ['echo out; exit 3'] } } });
  const flags = ['--on', server().url, '--tag', 'job', '--id', 'in-a-job'];
  await startWorker(t, server(), temporaryDirectory(t), { flags: ['--tag', 'job'], env: { GITHUB_ACTIONS: 'true' } });
  const { code, stderr } = await remoteCli(['workflow', 'run', 'main', ...flags], cwd);
  assert.equal(code, 1);
  assert.deepEqual(stderr.split('\n'), [
    "cli: run in-a-job is queued for a worker with the tag 'job'",
    "cli: step 'step_1' of workflow 'main'",
    'out',
    "cli: step 'step_1' of workflow 'main' failed with exit code 3, <time>",
    'cli:   at .cli/workflow.json:1:32: echo out; exit 3',
    'cli:   for details, add --debug; for the plan, --dry-run',
    "cli: workflow 'main' failed: 1 step ran, <time>",
    'cli: to continue with echo out; exit 3 (finished steps are kept): cli runs resume in-a-job',
    '',
  ]);
});

test('a run is submitted once, and other clients with its id follow it', LIMITED, async (t) => {
  const cwd = workflowDirectory(t, {
    workflows: { main: { steps: ['echo ran >> count; cat count'] }, other: { steps: ['true'] } },
  });
  await startWorker(t, server(), cwd);
  const line = (name: string): string[] => ['workflow', 'run', name, '--on', server().url, '--id', 'once', '-q'];
  const all = await Promise.all([1, 2, 3].map(() => remoteCli(line('main'), cwd)));
  assert.deepEqual(
    all.map(({ code }) => code),
    [0, 0, 0],
  );
  const first = all.map(({ stderr }) => stderr).toSorted();
  assert.deepEqual(
    first,
    [
      'cli: run once is queued\nran\n',
      'cli: run once exists already; it is not started again\nran\n',
      'cli: run once exists already; it is not started again\nran\n',
    ].toSorted(),
  );
  assert.deepEqual(await remoteCli(line('other'), cwd), {
    code: 2,
    signal: null,
    stdout: '',
    stderr: 'cli: run once exists already, with another plan\n',
  });
});

test('a detached run continues without its client', LIMITED, async (t) => {
  const cwd = workflowDirectory(t, { workflows: { main: { steps: ['echo done'] } } });
  const line = ['workflow', 'run', 'main', '--on', server().url, '--id', 'alone', '-q'];
  const detached = await remoteCli([...line, '--detach'], cwd);
  assert.deepEqual(detached, {
    code: 0,
    signal: null,
    stdout: '{"run":"alone"}\n',
    stderr: 'cli: run alone is queued\n',
  });
  await startWorker(t, server(), cwd);
  assert.equal((await remoteCli(line, cwd)).stderr, 'cli: run alone exists already; it is not started again\ndone\n');
});

test('the steps of a run receive its id, and not the URL of the database', LIMITED, async (t) => {
  const steps = ['echo "$CLI_REMOTE_RUN $CLI_REMOTE_FENCE [$CLI_ON]"'];
  const cwd = workflowDirectory(t, { workflows: { main: { steps } } });
  const { url } = server();
  const worker = start(t, ['worker', '--name', 'here'], cwd, { CLI_ON: url });
  await worker.says("cli: worker 'here' is ready: it takes runs without a tag\n");
  const { stderr } = await remoteCli(['workflow', 'run', 'main', '--on', url, '--id', 'named', '-q'], cwd);
  assert.equal(stderr, 'cli: run named is queued\nnamed 0 []\n');
  worker.child.kill('SIGTERM');
  assert.equal((await worker.ended).code, 0);
});

test('the standard input of a remote run is empty', LIMITED, async (t) => {
  const cwd = workflowDirectory(t, { workflows: { main: { steps: ['cat; echo "end of input"'] } } });
  await startWorker(t, server(), cwd);
  const line = ['workflow', 'run', 'main', '--on', server().url, '--id', 'empty', '-q'];
  assert.equal((await remoteCli(line, cwd)).stderr, 'cli: run empty is queued\nend of input\n');
});
