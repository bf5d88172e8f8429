import assert from 'node:assert/strict';
import { spawn, type ChildProcess } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { delay } from '../../src/backend/system/sleep.ts';
import { COMMAND } from '../support/cli.ts';
import { quickCli as cli } from '../support/in_process.ts';
import { COPY, project } from '../support/runs/checked_project.ts';

test('no value of a variable is below .cli/state, secret or not, and a secret output makes a step run each time', async (t) => {
  const { path, reasons, run, write } = project(
    t,
    [
      { name: 'give', run: 'echo "$PLAIN $API_TOKEN"', sources: ['in'], outputs: { LOGIN_TOKEN: 'text' } },
      { name: 'plain', run: 'echo "$PLAIN" >/dev/null', sources: ['in'], with: { PLAIN: 'plainly-visible' } },
    ],
    { env: { PLAIN: 'plainly-visible', API_TOKEN: 'hidden-value' } },
  );
  write('in', '1');
  await run();
  assert.deepEqual(await reasons(), ['output LOGIN_TOKEN is secret, no record']);
  const texts = readdirSync(path('.cli/state')).map((name) => readFileSync(path(join('.cli/state', name)), 'utf8'));
  assert.doesNotMatch(texts.join('\n'), /plainly-visible|hidden-value/);
});

test('the outputs of a skipped step come from its record', async (t) => {
  const { run, write } = project(t, [
    { name: 'version', run: 'cat in; echo run >>log', sources: ['in'], outputs: { V: 'text' } },
    'echo "version ${steps.version.V}" >&2',
  ]);
  write('in', '1.2.3');
  await run();
  assert.match((await run()).stderr, /^version 1\.2\.3$/m);
});

test('a state of another origin is neither read nor written, unless the user trusts it', async (t) => {
  const { cwd, write, path, reasons } = project(t, [COPY]);
  write('in', 'one');
  await reasons();
  const env = { XDG_STATE_HOME: path('other-home') };
  const before = readdirSync(path('.cli/state'));
  const { stderr } = await cli(['run', 'ci'], { cwd, env });
  assert.equal(
    stderr,
    "cli: warning: .cli/state was not written by this user on this machine; it is not used, and steps run (to use it, set CLI_TRUST_RECORDS)\ncli: step 'copy' of workflow 'ci' is not up to date: no record\n",
  );
  assert.deepEqual(readdirSync(path('.cli/state')), before);
  assert.equal((await cli(['run', 'ci'], { cwd, env: { ...env, CLI_TRUST_RECORDS: '1' } })).stderr, '');
});

test('an empty or damaged key is replaced, and the steps run once', async (t) => {
  const { cwd, write, path, reasons } = project(t, [COPY]);
  write('in', 'one');
  await reasons();
  const warning = 'cli: warning: the key of .cli/state is empty or damaged; it is replaced, and steps run once\n';
  for (const key of ['', '0123456789abcdef 0123\n']) {
    write('.cli/state/key', key);
    write('.cli/state/0-0.json.1.2', 'of a process that was killed');
    const { stderr } = await cli(['run', 'ci'], { cwd });
    assert.equal(stderr, `${warning}cli: step 'copy' of workflow 'ci' is not up to date: no record\n`);
    assert.equal(readdirSync(path('.cli/state')).filter((name) => name.includes('.json')).length, 1);
    assert.equal((await cli(['run', 'ci'], { cwd })).stderr, '');
  }
});

test('of all records, the 1,000 newest are kept, and what a killed process left unfinished is removed', async (t) => {
  const { run, write, path } = project(t, [COPY]);
  write('in', 'one');
  await run();
  const records = (): readonly string[] => readdirSync(path('.cli/state')).filter((name) => name.includes('.json'));
  const [own = ''] = records();
  const others = Array.from({ length: 1000 }, (_, index) => `other-${String(index).padStart(4, '0')}.json`);
  for (const [index, name] of others.entries()) {
    write(`.cli/state/${name}`, '{}');
    utimesSync(path(`.cli/state/${name}`), 1000 + index, 1000 + index);
  }
  write(`.cli/state/${own}.4711.0123abcd`, '{');
  write('in', 'two');
  await run();
  assert.deepEqual(new Set(records()), new Set([own, ...others.slice(1)]));
});

test('if the state cannot be written, the run goes on with a warning', async (t) => {
  const { run, write, path } = project(t, [COPY]);
  write('in', 'one');
  writeFileSync(path('.cli/state'), 'a file');
  const { code, stderr } = await run();
  assert.equal(code, 0);
  assert.match(stderr, /^cli: warning: \.cli\/state is no directory; it is not used/m);
  assert.ok(existsSync(path('out')));
});

test('two runs at once: one waits for the other, and is then up to date', async (t) => {
  const { cwd, run, write, path } = project(t, [
    { name: 'slow', run: 'echo run >>log; touch started; while [ ! -e go ]; do sleep 0.05; done', sources: ['in'] },
  ]);
  write('in', '1');
  const first = run();
  while (!existsSync(path('started'))) await delay(20);
  const [file, ...args] = COMMAND;
  const second = spawn(file, [...args, 'run', 'ci'], { cwd, stdio: ['ignore', 'ignore', 'pipe'] });
  let stderr = '';
  second.stderr.on('data', (chunk: Buffer) => {
    stderr += chunk.toString();
    if (stderr.includes('is waiting for process')) writeFileSync(path('go'), '');
  });
  const code = await new Promise<number | null>((resolve) => void second.once('close', resolve));
  assert.deepEqual([(await first).code, code], [0, 0]);
  assert.match(stderr, /^cli: skipped step 'slow' of workflow 'ci': up to date$/m);
  assert.equal(readFileSync(path('log'), 'utf8'), 'run\n');
});

test('if the first of two runs at once dies, the second one runs the step; a signal ends a wait', async (t) => {
  const wait = 'touch started; while [ ! -e go ]; do sleep 0.05; done; echo ran >>log';
  const { cwd, write, path } = project(t, [{ name: 'slow', run: wait, sources: ['in'], timeout: '20s' }]);
  write('in', '1');
  const [file, ...args] = COMMAND;
  const start = (onText: (text: string, child: ChildProcess) => void): Promise<readonly unknown[]> => {
    const child = spawn(file, [...args, 'run', 'ci'], { cwd, stdio: ['ignore', 'ignore', 'pipe'], detached: true });
    let stderr = '';
    child.stderr.on('data', (chunk: Buffer) => onText((stderr += chunk.toString()), child));
    return new Promise((resolve) => void child.once('close', (code, signal) => resolve([code ?? signal, stderr])));
  };
  const isWaiting = 'is waiting for process';
  let first: ChildProcess | undefined;
  const dead = start((_, child) => {
    first = child;
  });
  while (!existsSync(path('started'))) await delay(20);
  const [ended] = await start((text, child) => {
    if (text.includes(isWaiting)) child.kill('SIGTERM');
  });
  assert.equal(ended, 'SIGTERM');
  const second = start((text) => {
    const pid = first?.pid;
    if (!text.includes(isWaiting) || pid === undefined || existsSync(path('go'))) return;
    write('go', '');
    process.kill(-pid, 'SIGKILL');
  });
  const [code, stderr] = await second;
  assert.equal((await dead)[0], 'SIGKILL');
  assert.deepEqual([code, readFileSync(path('log'), 'utf8')], [0, 'ran\n']);
  assert.match(String(stderr), /^cli: step 'slow' of workflow 'ci' succeeded/m);
});

test('of two members of a group that are the same step, one waits for the other, and is then up to date', async (t) => {
  const { run, write, path } = project(t, [{ parallel: [{ workflow: 'slow' }, { workflow: 'slow' }] }], {
    workflows: { slow: { steps: [{ name: 'slow', run: 'echo ran >>log; sleep 0.3', sources: ['in'] }] } },
  });
  write('in', '1');
  const { code, stderr } = await run();
  assert.deepEqual([code, readFileSync(path('log'), 'utf8')], [0, 'ran\n']);
  assert.match(stderr, /is waiting for process \d+, which runs it$/m);
});

test('an output that contains the value of a secret is not stored, so the step runs each time', async (t) => {
  const secrets = { TOKEN: { command: ['echo', 'hidden-value'] } };
  const step = { name: 'login', run: 'echo "user $TOKEN"', sources: ['in'], outputs: { LOGIN: 'text' } };
  const { path, reasons, write } = project(t, [{ ...step, secrets: ['TOKEN'] }], { secrets });
  write('in', '1');
  assert.deepEqual([await reasons(), await reasons()], [['no record'], ['no record']]);
  const texts = readdirSync(path('.cli/state')).map((name) => readFileSync(path(join('.cli/state', name)), 'utf8'));
  assert.doesNotMatch(texts.join('\n'), /hidden-value/);
});
