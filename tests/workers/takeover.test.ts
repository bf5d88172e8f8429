import assert from 'node:assert/strict';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { workflowDirectory } from '../support/cli.ts';
import { isAlive } from '../support/processes/processes.ts';
import { engineWith, needsPostgres, remoteCli, sharedPostgres, start, startWorker } from '../support/remote/workers.ts';
import { until } from '../support/until.ts';

const server = sharedPostgres();
const LIMITED = needsPostgres();

/** The reason why a step has failed. */
const LOST = 'it must not run again, and was running when the process of this run was lost';

/** A command that waits for a file. */
const untilThere = (file: string): string => `until [ -e ${file} ]; do sleep 0.05; done`;

/** A step that waits for a file on its first run, and records every run. */
const held = (name: string): string =>
  `echo ${name} >> ran; if [ ! -e ${name}.go ]; then touch ${name}.held; ${untilThere(`${name}.go`)}; fi`;

/** A workflow whose second step waits, with the choice for a crash. */
const inFlight = (choice: string): object => ({
  steps: [`echo ${choice}_first >> ran`, { name: 'flight', run: held(choice), on_crash: choice }],
});

const ran = (cwd: string): readonly string[] => readFileSync(join(cwd, 'ran'), 'utf8').trim().split('\n');

async function reach(cwd: string, name: string): Promise<void> {
  await until(
    () => existsSync(join(cwd, `${name}.held`)),
    () => `${name} runs`,
  );
}

test('after a worker was killed, another one continues its run after the last result', LIMITED, async (t) => {
  const cwd = workflowDirectory(t, {
    error: 'echo error >> ran',
    workflows: {
      main: {
        steps: [
          { name: 'number', run: 'echo number >> ran; echo 7', outputs: { N: 'text' } },
          { name: 'condition', run: 'echo guarded >> ran', if: 'echo condition >> ran' },
          {
            name: 'flaky',
            run: 'echo flaky >> ran; test "$(grep -c flaky ran)" = 2',
            retry: { max_attempts: 2, delay: '1ms' },
          },
          { name: 'slow', run: held('slow') },
          { name: 'last', run: 'echo "last ${steps.number.N}" >> ran' },
        ],
      },
    },
  });
  const first = await startWorker(t, server(), cwd, { flags: ['--name', 'first'] });
  const client = start(t, ['workflow', 'run', 'main', '--on', server().url, '--id', 'taken', '-q'], cwd);
  await reach(cwd, 'slow');
  await startWorker(t, server(), cwd, { flags: ['--name', 'second'] });
  first.child.kill('SIGKILL');
  await client.says('going on after');
  writeFileSync(join(cwd, 'slow.go'), '');
  const { code, stderr, stdout } = await client.ended;
  assert.equal(code, 0, stderr);
  assert.deepEqual(ran(cwd), ['number', 'condition', 'guarded', 'flaky', 'flaky', 'slow', 'slow', 'last 7']);
  const steps: unknown = JSON.parse(stdout);
  assert.deepEqual(steps, {
    workflow: 'main',
    steps: [
      { name: 'number', command: 'echo number >> ran; echo 7', exit_code: 0, outputs: { N: '7' } },
      { name: 'condition', command: 'echo guarded >> ran', exit_code: 0 },
      { name: 'flaky', command: 'echo flaky >> ran; test "$(grep -c flaky ran)" = 2', exit_code: 0, attempts: 2 },
      { name: 'slow', command: held('slow'), exit_code: 0 },
      { name: 'last', command: 'echo "last ${steps.number.N}" >> ran', exit_code: 0 },
    ],
    success: true,
  });
  assert.ok(stderr.includes('cli: the worker of this run was lost; going on after 5 recorded results on second\n'));
});

test('a takeover works without internal functions of the engine', LIMITED, async (t) => {
  const cwd = workflowDirectory(t, { workflows: { main: { steps: [held('public')] } } });
  const first = await startWorker(t, server(), cwd);
  const client = start(t, ['run', 'main', '--on', server().url, '--id', 'public', '-q'], cwd);
  await reach(cwd, 'public');
  const watch = join(cwd, 'watch.cjs');
  writeFileSync(watch, "if (/launch_as_lost/.test(process.argv[1])) require('fs').appendFileSync('launched', 'x');");
  await startWorker(t, server(), cwd, {
    env: { ...engineWith(t, { recovery: 'by launch' }), NODE_OPTIONS: `--require "${watch}"` },
  });
  first.child.kill('SIGKILL');
  await client.says('going on after 0 recorded results');
  writeFileSync(join(cwd, 'public.go'), '');
  assert.equal((await client.ended).code, 0);
  assert.ok(existsSync(join(cwd, 'launched')));
});

test(
  'a step with on_crash: ask or rerun runs again if its worker was killed, and the log says so',
  LIMITED,
  async (t) => {
    const cwd = workflowDirectory(t, { workflows: { ask: inFlight('ask'), rerun: inFlight('rerun') } });
    const first = await startWorker(t, server(), cwd, { flags: ['--jobs', '2'] });
    const clients = ['ask', 'rerun'].map((choice) => {
      return [choice, start(t, ['run', choice, '--on', server().url, '--id', choice], cwd)] as const;
    });
    for (const [choice] of clients) await reach(cwd, choice);
    await startWorker(t, server(), cwd, { flags: ['--jobs', '2', '--name', 'second'] });
    first.child.kill('SIGKILL');
    for (const [choice, client] of clients) {
      await client.says('going on after');
      writeFileSync(join(cwd, `${choice}.go`), '');
      const { code, stderr } = await client.ended;
      assert.deepEqual(
        [code, stderr.split('\n').slice(3)],
        [
          0,
          [
            `cli: step 'flight' of workflow '${choice}'`,
            'cli: the worker of this run was lost; going on after 1 recorded results on second',
            `cli: step 'flight' of workflow '${choice}'`,
            `cli: step 'flight' of workflow '${choice}' succeeded, <time>`,
            `cli: workflow '${choice}' succeeded: 2 steps ran, <time>`,
            '',
          ],
        ],
      );
      const own = ran(cwd).filter((line) => line.startsWith(choice));
      assert.deepEqual(own, [`${choice}_first`, choice, choice]);
    }
  },
);

test('a step with on_crash: fail has failed if its worker was killed', LIMITED, async (t) => {
  const cwd = workflowDirectory(t, {
    error: 'echo error >> ran',
    workflows: {
      main: { steps: ['echo a >> ran', { name: 'once', run: held('once'), on_crash: 'fail' }, 'echo b >> ran'] },
    },
  });
  const first = await startWorker(t, server(), cwd);
  const client = start(t, ['workflow', 'run', 'main', '--on', server().url, '-q'], cwd);
  await reach(cwd, 'once');
  await startWorker(t, server(), cwd);
  first.child.kill('SIGKILL');
  const { code, stderr, stdout } = await client.ended;
  assert.equal(code, 1, stderr);
  assert.deepEqual(ran(cwd), ['a', 'once', 'error']);
  assert.deepEqual(JSON.parse(stdout), {
    workflow: 'main',
    steps: [
      { name: 'step_1', command: 'echo a >> ran', exit_code: 0 },
      { name: 'once', command: held('once'), exit_code: null, error: LOST },
    ],
    error: { command: 'echo error >> ran', exit_code: 0 },
    success: false,
  });
});

test('a step with on_crash: fail has failed if only the process of its run was killed', LIMITED, async (t) => {
  const once = 'echo once >> ran; kill -9 $PPID';
  const cwd = workflowDirectory(t, {
    error: 'echo error >> ran',
    workflows: { main: { steps: [{ name: 'once', run: once, on_crash: 'fail' }] } },
  });
  await startWorker(t, server(), cwd);
  const { code, stderr, stdout } = await remoteCli(['workflow', 'run', 'main', '--on', server().url, '-q'], cwd);
  assert.equal(code, 1, stderr);
  assert.deepEqual(ran(cwd), ['once', 'error']);
  assert.deepEqual(JSON.parse(stdout), {
    workflow: 'main',
    steps: [{ name: 'once', command: once, exit_code: null, error: LOST }],
    error: { command: 'echo error >> ran', exit_code: 0 },
    success: false,
  });
});

test('a stopped worker records nothing more, and ends what it still runs', LIMITED, async (t) => {
  const running = `echo "running $WHO" >> ran; echo $$ > "$WHO.pid"; ${untilThere('"$WHO.go"')}`;
  const cwd = workflowDirectory(t, {
    workflows: {
      ending: { steps: [`echo "ending $WHO" >> ran; ${untilThere('go')}`, 'echo "after $WHO" >> ran'] },
      running: { steps: [running] },
    },
  });
  const first = await startWorker(t, server(), cwd, { flags: ['--jobs', '2'], env: { WHO: 'first' }, lease: 5 });
  const clients = ['ending', 'running'].map((name) => {
    return start(t, ['workflow', 'run', name, '--on', server().url, '--id', name, '-q'], cwd);
  });
  const pid = (): number => (existsSync(join(cwd, 'first.pid')) ? Number(readFileSync(join(cwd, 'first.pid'))) : 0);
  await until(
    () => pid() > 0 && ran(cwd).length === 2,
    () => `the steps run: ${clients.map(({ stderr }) => stderr()).join('')}`,
  );
  first.child.kill('SIGSTOP');
  await startWorker(t, server(), cwd, { flags: ['--jobs', '2'], env: { WHO: 'second' } });
  for (const client of clients) await client.says('going on after');
  // One of the steps also ends under the stopped worker.
  for (const name of ['go', 'second.go']) writeFileSync(join(cwd, name), '');
  for (const { ended } of clients) assert.equal((await ended).code, 0);
  const show = ['workflow', 'runs', 'show', 'ending', '--on', server().url];
  const shown = await remoteCli(show, cwd);
  assert.ok(isAlive(pid()));
  first.child.kill('SIGCONT');
  await until(
    () => !isAlive(pid()),
    () => 'the other step has ended',
  );
  first.child.kill('SIGTERM');
  assert.equal((await first.ended).code, 0);
  assert.deepEqual(await remoteCli(show, cwd), shown);
  const all = ['after second', 'ending first', 'ending second', 'running first', 'running second'];
  assert.deepEqual(ran(cwd).toSorted(), all);
});

test('a takeover does not print the lines of recorded steps again', LIMITED, async (t) => {
  const steps = [
    { name: 'flaky', run: 'test -e again || ! touch again', retry: { max_attempts: 2, delay: '1ms' }, if: 'test -d /' },
    { name: 'never', run: 'echo never', if: 'UNSET' },
    { name: 'last', run: held('last') },
  ];
  const cwd = workflowDirectory(t, { workflows: { main: { steps } } });
  const first = await startWorker(t, server(), cwd);
  const client = start(t, ['run', 'main', '--on', server().url, '--id', 'quiet'], cwd);
  await reach(cwd, 'last');
  // The output of a killed worker that is not stored yet is lost.
  await client.says("cli: step 'last' of workflow 'main'\n");
  await startWorker(t, server(), cwd, { flags: ['--name', 'second'] });
  first.child.kill('SIGKILL');
  await client.says('going on after');
  writeFileSync(join(cwd, 'last.go'), '');
  const { code, stderr } = await client.ended;
  assert.equal(code, 0);
  assert.deepEqual(stderr.split('\n'), [
    'cli: run quiet is queued',
    "cli: step 'flaky' of workflow 'main'",
    "cli: step 'flaky' of workflow 'main' failed with exit code 1 (attempt 1 of 2); retrying in 1ms",
    "cli: step 'flaky' of workflow 'main' succeeded in 2 attempts, <time>",
    "cli: skipped step 'never' of workflow 'main': UNSET is not set",
    "cli: step 'last' of workflow 'main'",
    'cli: the worker of this run was lost; going on after 3 recorded results on second',
    "cli: step 'last' of workflow 'main'",
    "cli: step 'last' of workflow 'main' succeeded, <time>",
    "cli: workflow 'main' succeeded: 2 steps ran, 1 skipped, <time>",
    '',
  ]);
});
