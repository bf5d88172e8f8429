/* Limits and effects of exported scripts that runs have, too: the results are compared with those of runs. */
import assert from 'node:assert/strict';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { COMMAND, finish, workflowDirectory, type CommandResult } from '../support/cli.ts';
import { ONLY_PATH } from '../support/environment.ts';
import { inProcess } from '../support/in_process.ts';
import { needs } from '../support/needs.ts';

type Ended = Pick<CommandResult, 'code' | 'signal' | 'stderr'> & Readonly<{ log: string }>;

/** The end of a run of the workflow `x` and of its exported script, and what their steps wrote to `log`. */
async function both(
  t: TestContext,
  file: object,
  { words = [], dotenv }: Readonly<{ words?: readonly string[]; dotenv?: string }> = {},
): Promise<Readonly<{ run: Ended; script: Ended }>> {
  const cwd = workflowDirectory(t, file);
  const exported = await inProcess(t, ['export', 'x'], { cwd, env: ONLY_PATH });
  assert.equal(exported.code, 0, exported.stderr);
  writeFileSync(join(cwd, 'x.sh'), exported.stdout);
  if (dotenv !== undefined) writeFileSync(join(cwd, '.env'), dotenv);
  const log = join(cwd, 'log');
  const end = async (program: string, ...args: readonly string[]): Promise<Ended> => {
    rmSync(log, { force: true });
    const { code, signal, stderr } = await finish(program, [...args, ...words], { cwd, env: ONLY_PATH });
    return { code, signal, stderr, log: existsSync(log) ? readFileSync(log, 'utf8') : '' };
  };
  const [runner, ...first] = COMMAND;
  return { run: await end(runner, ...first, 'run', 'x', '--quiet'), script: await end('bash', 'x.sh') };
}

/** The code and the effects of an end, without its messages. */
const effect = ({ code, signal, log }: Ended): object => ({ code, signal, log });

/** The command of a member that counts those that have begun and not ended. */
const counting = (name: string): string => `mkdir m${name}; ls -d m? | wc -l >>log; sleep 0.2; rmdir m${name}`;

test('a script runs at most max_parallel members of a group at once', async (t) => {
  const steps = [{ parallel: ['1', '2', '3', '4', '5'].map(counting), max_parallel: 2 }];
  const { script } = await both(t, { workflows: { x: { steps } } });
  assert.equal(script.code, 0, script.stderr);
  const counts = script.log.trim().split('\n').map(Number);
  assert.equal(counts.length, 5);
  assert.ok(Math.max(...counts) <= 2, counts.join());
});

test('a step of a script fails if it prints more than 16 MiB for its outputs', needs('python3'), async (t) => {
  const steps = [
    { name: 'o', run: 'head -c "$BYTES" /dev/zero | tr "\\0" 1', outputs: { B: 'text' } },
    'echo ran >>log',
  ];
  const file = { workflows: { x: { steps } } };
  const over = await both(t, file, { words: ['BYTES:16777217'] });
  assert.deepEqual(effect(over.script), { code: 1, signal: null, log: '' });
  assert.deepEqual(effect(over.run), effect(over.script));
  assert.match(over.script.stderr, /standard output has more than 16 MiB/);
});

test('a script with a condition on a variable that says no does not start', async (t) => {
  const file = { workflows: { x: { steps: ['echo ran >>log', { run: 'true', if: 'DEPLOY' }] } } };
  const { run, script } = await both(t, file, { words: ['DEPLOY:no'] });
  assert.deepEqual(effect(script), { code: 2, signal: null, log: '' });
  assert.deepEqual(effect(run), effect(script));
});

for (const name of ['BASH_ENV', 'SHLVL', 'CLI_OUTPUT_1']) {
  test(`a script rejects ${name} in a dotenv file`, needs('python3'), async (t) => {
    const file = { dotenv: '.env', workflows: { x: { steps: ['echo ran >>log'] } } };
    const { run, script } = await both(t, file, { dotenv: `${name}=start.sh\n` });
    assert.deepEqual(effect(script), { code: 2, signal: null, log: '' });
    assert.deepEqual(effect(run), effect(script));
  });
}

const PUBLISH = { run: 'echo publish >>log', sources: ['a.txt'], confirm: 'Publish?' };

for (const [title, steps, log] of [
  ['a step', ['echo first >>log', PUBLISH, 'echo last >>log'], 'first\n'],
  ['a member', [{ parallel: [PUBLISH, 'echo other >>log'] }, 'echo last >>log'], 'other\n'],
  ['a certain member', [{ parallel: [{ ...PUBLISH, sources: undefined }, 'echo other >>log'] }], ''],
] as const) {
  test(`without a terminal, a script asks the question of ${title} in its place if it has sources, as a run`, async (t) => {
    const { run, script } = await both(t, { workflows: { x: { steps } } });
    assert.deepEqual(effect(script), { code: log === '' ? 2 : 1, signal: null, log });
    assert.deepEqual(effect(run), effect(script));
  });
}

test('the secrets of a step with sources are got before the step, not before the first command', async (t) => {
  const steps = ['echo first >>log', { run: 'echo second >>log', sources: ['a.txt'], secrets: ['S'] }];
  const secrets = { S: { command: ['bash', '-c', 'echo secret >>log; echo value'] } };
  const { run, script } = await both(t, { secrets, workflows: { x: { steps } } });
  assert.deepEqual(effect(script), { code: 0, signal: null, log: 'first\nsecret\nsecond\n' });
  assert.deepEqual(effect(run), effect(script));
});

test('a step of a script has five seconds to clean up after SIGTERM', async (t) => {
  const step = 'trap "sleep 3; echo clean >>log; exit 3" TERM; kill -TERM $PPID; while :; do sleep 0.1; done';
  const { run, script } = await both(t, { workflows: { x: { steps: [step] } } });
  assert.deepEqual(effect(script), { code: null, signal: 'SIGTERM', log: 'clean\n' });
  assert.deepEqual(effect(run), effect(script));
});

test(
  'a condition of a script fails if an output gives its variable a value that says no',
  needs('python3'),
  async (t) => {
    const steps = [
      { name: 'a', run: 'echo false', outputs: { FLAG: 'text' } },
      { workflow: 'y', with: { FLAG: '${steps.a.FLAG}' } },
    ];
    const file = {
      workflows: { x: { steps }, y: { steps: [{ if: 'FLAG', run: 'echo ran >>log' }, 'echo more >>log'] } },
    };
    const { run, script } = await both(t, file);
    assert.deepEqual([run.code, run.log, effect(script)], [1, '', effect(run)], script.stderr);
  },
);

test(
  'the output that a condition of a script tests hides the value of the environment',
  needs('python3'),
  async (t) => {
    const steps = [
      { name: 'a', run: 'echo yes', outputs: { FLAG: 'text' } },
      { if: 'FLAG', run: 'echo ran >>log', with: { FLAG: '${steps.a.FLAG}' } },
    ];
    const { run, script } = await both(t, { dotenv: '.env', workflows: { x: { steps } } }, { dotenv: 'FLAG=no\n' });
    assert.deepEqual(
      [effect(script), effect(run)],
      Array.from([1, 2], () => ({ code: 0, signal: null, log: 'ran\n' })),
    );
  },
);

const HOOKS = { error: 'echo error >>log', finally: 'echo finally >>log' };

for (const [title, hooks, log] of [
  ['without hooks', {}, ''],
  ['with hooks', HOOKS, 'error\nfinally\n'],
] as const) {
  test(`in a script, fail_fast ends the groups inside of other members, ${title}, as in a run`, async (t) => {
    const inner = ['a', 'b'].map((name) => `touch ${name}; sleep 20; echo late >>log`);
    const fails = 'until [ -e a ] && [ -e b ]; do sleep 0.02; done; exit 3';
    const { run, script } = await both(t, {
      workflows: {
        x: { steps: ['rm -f a b', { parallel: [{ workflow: 'y' }, fails], fail_fast: true }, 'echo last >>log'] },
        y: { ...hooks, steps: [{ parallel: inner }, 'echo next >>log'] },
      },
    });
    assert.deepEqual(effect(script), { code: 1, signal: null, log });
    assert.deepEqual(effect(run), effect(script));
  });
}

test('in a script, the hooks of a call that cannot start do not run, as in a run', needs('python3'), async (t) => {
  const call = { workflow: 'y', with: { V: '${steps.a.O}' } };
  const y = { ...HOOKS, steps: ['echo called >>log', { parallel: ['echo member >>log'] }] };
  for (const step of [call, { parallel: [call, 'echo other >>log'] }, { workflow: 'z', if: 'test 1' }]) {
    const { run, script } = await both(t, {
      finally: 'echo end >>log',
      workflows: {
        x: { steps: [{ name: 'a', run: 'true', outputs: { O: 'text' }, if: 'NEVER' }, step, 'echo last >>log'] },
        y,
        z: { ...HOOKS, steps: [{ name: 'a', run: 'true', outputs: { O: 'text' }, if: 'NEVER' }, call] },
      },
    });
    assert.match(
      script.log,
      'workflow' in step && step.workflow === 'z' ? /^error\nfinally\nend\n$/ : /^(?:other\n)?end\n$/,
    );
    assert.deepEqual([effect(run), run.code], [effect(script), 1], script.stderr);
  }
});
