/* Steps in the background of exported scripts, beside runs. */
import assert from 'node:assert/strict';
import { readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { constants } from 'node:os';
import { join } from 'node:path';
import { describe, test, type TestContext } from 'node:test';
import { both } from '../support/export/both.ts';
import { exported } from '../support/export/exported.ts';
import { finish } from '../support/cli.ts';
import { needs } from '../support/needs.ts';
import { step, waitFor, SETSID } from '../support/processes/bench.ts';
import { PROC } from '../support/processes/processes.ts';
import { LINUX } from '../support/processes/shell.ts';
import { until } from '../support/until.ts';
import { call } from '../support/workflow.ts';

const say = (text: string): string => `echo ${text} >>log`;
const RECORD = `read -r stat <${PROC}/$$/stat; echo "$stat" >>processes`;

/** A step in the background. `end` is its command once it is ready. */
const server = (name: string, end = 'while :; do sleep 0.1; done', ready: object = { output: 'up' }): object => ({
  name,
  run: `${RECORD}; trap 'echo ${name} stopped >>log; exit' TERM; echo ${name} >>log; echo up; ${end}`,
  background: true,
  ready,
});
/** An orphan in a session of its own that ignores SIGTERM. */
const STUBBORN = `(${SETSID} bash -c '${RECORD}; trap "" TERM INT HUP; sleep 60' &);`;

/** Compares the log of a run and of a script with an expected one, and their exit codes. */
async function same(t: TestContext, workflows: object, code: number, expected: readonly string[]): Promise<void> {
  const logs = await both(t, workflows, async ({ ended }) => {
    const result = await ended;
    assert.equal(result.code, code, result.stderr);
  });
  assert.deepEqual(logs, [expected, expected]);
}

describe('steps in the background of a script and of a run', { concurrency: 2, ...LINUX, ...needs('python3') }, () => {
  test('they are stopped in the reverse order before the hooks of their execution', async (t) => {
    const workflows = {
      x: { finally: say('x-finally'), steps: [server('a'), call('inner'), say('b')] },
      inner: { finally: say('finally'), steps: [server('c'), server('d'), say('e')] },
    };
    const log = ['a', 'c', 'd', 'e', 'd stopped', 'c stopped', 'finally', 'b', 'a stopped', 'x-finally'];
    await same(t, workflows, 0, log);
  });

  test('what ignores SIGTERM is killed', async (t) => {
    await same(t, { x: { finally: say('f'), steps: [server('a', `${STUBBORN} sleep 60 & wait`), say('b')] } }, 0, [
      'a',
      'b',
      'a stopped',
      'f',
    ]);
  });

  for (const [title, steps, log] of [
    ['ends before it is ready', [server('a', 'exit 3', { output: 'never' })], ['a']],
    [
      'is not ready in time',
      [{ ...server('a', 'sleep 60 & wait', { run: 'false' }), timeout: '1s' }],
      ['a', 'a stopped'],
    ],
    ['has no valid port', [server('a', '', { port: '${vars.NO_PORT:-0}' })], []],
    ['has no directory', [{ ...server('a', ''), dir: 'none' }], []],
  ] as const) {
    test(`nothing else starts after one that ${title}`, async (t) => {
      await same(t, { x: { error: say('error'), steps: [...steps, say('later')] } }, 1, [...log, 'error']);
    });
  }

  test('one that ends later ends the members of a group and the hooks of their calls', async (t) => {
    const workflows = {
      x: {
        finally: say('x-finally'),
        steps: [server('a', `${waitFor('b')}; exit 0`), { parallel: [call('inner'), 'sleep 60'] }],
      },
      inner: { finally: `${say('b')}; sleep 60; ${say('never')}`, steps: ['true'] },
    };
    await same(t, workflows, 1, ['a', 'b', 'x-finally']);
  });

  test('one that ends in a member fails this member, and others go on', async (t) => {
    const workflows = {
      x: { error: say('x-error'), steps: [{ parallel: [call('inner'), `${waitFor('error')}; ${say('b')}`] }] },
      inner: { error: say('error'), steps: [server('a', 'sleep 0.2; exit 4'), 'sleep 60', say('never')] },
    };
    await same(t, workflows, 1, ['a', 'error', 'b', 'x-error']);
  });

  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    test(`${signal} to the group ends the running command, then stops them, then hooks run`, async (t) => {
      const workflows = { x: { error: say('error'), steps: [server('a'), step('b')] } };
      const logs = await both(t, workflows, async ({ pid, ended }, subject) => {
        await subject.logged('b ready');
        process.kill(-pid, signal);
        assert.equal((await ended).signal, signal);
      });
      const expected = ['a', 'b ready', `b got ${signal}`, 'a stopped', 'error'];
      // A process that is fast enough receives the signal to the group, and that of the run.
      const once = logs.map((log) => log.filter((line, index) => line !== log[index - 1]));
      assert.deepEqual(once, [expected, expected]);
    });
  }

  test('a second signal kills them', async (t) => {
    const workflows = {
      x: { finally: say('never'), steps: [server('a', `trap '' TERM; ${STUBBORN} sleep 60`), step('b')] },
    };
    const logs = await both(t, workflows, async ({ pid, ended }, subject) => {
      await subject.logged('b ready');
      process.kill(pid, 'SIGTERM');
      const sent = performance.now();
      await subject.logged('b got SIGTERM');
      await until(
        () => performance.now() - sent > 2000,
        () => 'time passes',
      );
      process.kill(pid, 'SIGTERM');
      assert.equal((await ended).signal, 'SIGTERM');
    });
    const expected = ['a', 'b ready', 'b got SIGTERM'];
    assert.deepEqual(logs, [expected, expected]);
  });

  test('a port that is in use, or a URL that answers, is an error before the start', needs('curl'), async (t) => {
    const taken = createServer((_, response) => response.writeHead(503).end());
    await new Promise<void>((resolve) => taken.listen(0, '127.0.0.1', resolve));
    t.after(() => taken.close());
    const address = taken.address();
    const port = typeof address === 'object' ? address?.port : undefined;
    for (const ready of [{ port }, { url: `http://127.0.0.1:${port}/` }]) {
      await same(t, { x: { error: say('error'), steps: [server('a', '', ready), say('later')] } }, 1, ['error']);
    }
  });
});

test('the output of a script shows the lines of a step in the background with its name', async (t) => {
  const lines = server('a', 'sleep 60 & wait');
  const grouped = { ...server('b', 'sleep 60 & wait'), output: 'grouped' };
  const { cwd, env } = await exported(t, { workflows: { x: { steps: [lines, grouped, 'echo c'] } } });
  const { code, stderr } = await finish('bash', ['x.sh'], { cwd, env });
  assert.equal(code, 0);
  assert.deepEqual(stderr.split('\n'), [
    "x.sh: step 'a' of workflow 'x'",
    'a │ up',
    "x.sh: step 'b' of workflow 'x'",
    "x.sh: step 'step_3' of workflow 'x'",
    'c',
    "x.sh: output of 'b':",
    'up',
    '',
  ]);
});

test('a script looks for curl before it starts anything', async (t) => {
  const steps = ['touch started', server('a', '', { url: 'http://127.0.0.1:9/' })];
  const { cwd, env } = await exported(t, { workflows: { x: { steps } } });
  for (const name of ['bash', 'env']) symlinkSync(`/usr/bin/${name}`, join(cwd, name));
  const { code, stderr } = await finish('/usr/bin/bash', ['x.sh'], { cwd, env: { ...env, PATH: cwd } });
  assert.deepEqual([code, stderr], [2, "x.sh: curl was not found in PATH; the field 'ready.url' needs it\n"]);
});

test('a step in the background never ignores SIGTERM, also not before its program begins', LINUX, async (t) => {
  const { cwd, env } = await exported(t, { workflows: { x: { steps: [server('a'), 'true'] } } });
  const script = readFileSync(join(cwd, 'x.sh'), 'utf8');
  const begin = 'wf_exec() {\n';
  assert.ok(script.includes(begin));
  writeFileSync(join(cwd, 'x.sh'), script.replace(begin, `${begin}grep SigIgn ${PROC}/$BASHPID/status >>masks\n`));
  const { code, stderr } = await finish('bash', ['x.sh'], { cwd, env });
  assert.equal(code, 0, stderr);
  const masks = readFileSync(join(cwd, 'masks'), 'utf8').trimEnd().split('\n');
  const ignored = masks.map((line) => (Number.parseInt(line.slice(-4), 16) >> (constants.signals.SIGTERM - 1)) & 1);
  assert.deepEqual(ignored, [0, 0]);
});
