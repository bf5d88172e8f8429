import assert from 'node:assert/strict';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { workflowDirectory } from '../support/cli.ts';
import { isAlive } from '../support/processes/processes.ts';
import { sharedPostgres } from '../support/remote/postgres.ts';
import { engineWith, needsPostgres, remoteCli, startClient, startWorker } from '../support/remote/workers.ts';
import type { Client } from '../support/remote/client.ts';
import { until } from '../support/until.ts';

const server = sharedPostgres();
const LIMITED = needsPostgres();

/** The reason why a step has failed. */
const LOST = 'it must not run again, and was running when the process of this run was lost';

/** A command that waits for a file. */
const untilThere = (file: string): string => `until [ -e ${file} ]; do sleep 0.1; done`;

/** Records the execution of a step of its run. */
const note = (name: string): string => `echo ${name} >> "$CLI_REMOTE_RUN.ran"`;

/** A step that waits for a file on its first run, and records every run. */
const held = (name: string): string =>
  `${note(name)}; if [ ! -e ${name}.go ]; then touch ${name}.held; ${untilThere(`${name}.go`)}; fi`;

const ranIn = (cwd: string, run: string): string =>
  readFileSync(join(cwd, `${run}.ran`), 'utf8')
    .trim()
    .replaceAll('\n', ' ');

const ran = (cwd: string): readonly string[] => readFileSync(join(cwd, 'ran'), 'utf8').trim().split('\n');

async function reach(cwd: string, name: string): Promise<void> {
  await until(
    () => existsSync(join(cwd, `${name}.held`)),
    () => `${name} runs`,
  );
}

/** Workflows with a step of the same name that waits. */
const WORKFLOWS = {
  taken: {
    steps: [
      { name: 'number', run: `${note('number')}; echo 7`, outputs: { N: 'text' } },
      { name: 'condition', run: note('guarded'), if: note('condition') },
      {
        name: 'flaky',
        run: `${note('flaky')}; test "$(grep -c flaky taken.ran)" = 2`,
        retry: { max_attempts: 2, delay: '1ms' },
      },
      { name: 'slow', run: held('taken') },
      { name: 'last', run: note('"last ${steps.number.N}"') },
    ],
  },
  ask: { steps: [note('first'), { name: 'flight', run: held('ask'), on_crash: 'ask' }] },
  rerun: { steps: [note('first'), { name: 'flight', run: held('rerun'), on_crash: 'rerun' }] },
  once: { steps: [note('a'), { name: 'flight', run: held('once'), on_crash: 'fail' }, note('b')] },
  quiet: {
    steps: [
      {
        name: 'flaky',
        run: 'test -e again || ! touch again',
        retry: { max_attempts: 2, delay: '1ms' },
        if: 'test -d /',
      },
      { name: 'never', run: 'echo never', if: 'UNSET' },
      { name: 'flight', run: held('quiet') },
    ],
  },
};

test('several runs of a killed worker are taken over at once', LIMITED, async (t) => {
  const cwd = workflowDirectory(t, { error: note('error'), workflows: WORKFLOWS });
  const first = await startWorker(t, server(), cwd, { flags: ['--jobs', '5', '--name', 'first'] });
  const begin = (id: keyof typeof WORKFLOWS): Client =>
    startClient(['workflow', 'run', id, '--on', server().url, '--id', id], cwd);
  const clients = { taken: begin('taken'), ask: begin('ask'), rerun: begin('rerun'), once: begin('once') };
  const quiet = begin('quiet');
  for (const name of Object.keys(WORKFLOWS)) await reach(cwd, name);
  // The output of a killed worker that is not stored yet is lost.
  for (const [name, client] of Object.entries({ ...clients, quiet })) {
    await client.says(`cli: step '${name === 'taken' ? 'slow' : 'flight'}' of workflow '${name}'\n`);
  }
  await startWorker(t, server(), cwd, { flags: ['--jobs', '5', '--name', 'second'] });
  first.child.kill('SIGKILL');
  for (const [name, client] of Object.entries({ ...clients, quiet })) {
    await client.says('going on after');
    writeFileSync(join(cwd, `${name}.go`), '');
  }

  await t.test('after a worker was killed, another one continues its run after the last result', async () => {
    const { code, stderr, stdout } = await clients.taken.ended;
    assert.equal(code, 0, stderr);
    assert.equal(ranIn(cwd, 'taken'), 'number condition guarded flaky flaky taken taken last 7');
    const [number, condition, flaky, slow, last] = WORKFLOWS.taken.steps.map(({ name, run }) => ({
      name,
      command: run,
      exit_code: 0,
    }));
    const steps = [{ ...number, outputs: { N: '7' } }, condition, { ...flaky, attempts: 2 }, slow, last];
    assert.deepEqual(JSON.parse(stdout), { workflow: 'taken', steps, success: true });
    assert.ok(
      stderr.includes('cli: the worker of this run was lost; going on after 5 recorded results on second\n'),
      stderr,
    );
  });

  await t.test(
    'a step with on_crash: ask or rerun runs again if its worker was killed, and the log says so',
    async () => {
      for (const choice of ['ask', 'rerun'] as const) {
        const { code, stderr } = await clients[choice].ended;
        const log = [
          `cli: step 'flight' of workflow '${choice}'`,
          'cli: the worker of this run was lost; going on after 1 recorded results on second',
          `cli: step 'flight' of workflow '${choice}'`,
          `cli: step 'flight' of workflow '${choice}' succeeded, <time>`,
          `cli: workflow '${choice}' succeeded: 2 steps ran, <time>`,
          '',
        ];
        assert.deepEqual([code, stderr.split('\n').slice(3)], [0, log]);
        assert.equal(ranIn(cwd, choice), `first ${choice} ${choice}`);
      }
    },
  );

  await t.test('a step with on_crash: fail has failed if its worker was killed', async () => {
    const { code, stderr, stdout } = await clients.once.ended;
    assert.equal(code, 1, stderr);
    assert.equal(ranIn(cwd, 'once'), 'a once error');
    assert.deepEqual(JSON.parse(stdout), {
      workflow: 'once',
      steps: [
        { name: 'step_1', command: note('a'), exit_code: 0 },
        { name: 'flight', command: held('once'), exit_code: null, error: LOST },
      ],
      error: { command: note('error'), exit_code: 0 },
      success: false,
    });
  });

  await t.test('a takeover does not print the lines of recorded steps again', async () => {
    const { code, stderr } = await quiet.ended;
    assert.equal(code, 0);
    assert.deepEqual(stderr.split('\n'), [
      'cli: run quiet is queued',
      "cli: step 'flaky' of workflow 'quiet'",
      "cli: step 'flaky' of workflow 'quiet' failed with exit code 1 (attempt 1 of 2); retrying in 1ms",
      "cli: step 'flaky' of workflow 'quiet' succeeded in 2 attempts, <time>",
      "cli: skipped step 'never' of workflow 'quiet': UNSET is not set",
      "cli: step 'flight' of workflow 'quiet'",
      'cli: the worker of this run was lost; going on after 3 recorded results on second',
      "cli: step 'flight' of workflow 'quiet'",
      "cli: step 'flight' of workflow 'quiet' succeeded, <time>",
      "cli: workflow 'quiet' succeeded: 2 steps ran, 1 skipped, <time>",
      '',
    ]);
  });
});

test('a takeover works without internal functions of the engine', LIMITED, async (t) => {
  const cwd = workflowDirectory(t, { workflows: { main: { steps: [held('public')] } } });
  const first = await startWorker(t, server(), cwd);
  const client = startClient(['run', 'main', '--on', server().url, '--id', 'public', '-q'], cwd);
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
    return startClient(['workflow', 'run', name, '--on', server().url, '--id', name, '-q'], cwd);
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
