import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { cli, workflowDirectory } from '../support/cli.ts';
import { SETSID } from '../support/processes/bench.ts';
import { exitCodes, isGone, run, server } from '../support/processes/servers.ts';
import { needs } from '../support/needs.ts';

describe('steps in the background', { concurrency: 2 }, () => {
  test('a step in the background runs beside later steps, and is stopped before the hooks', async (t) => {
    const steps = [server('echo up; exec sleep 98.1'), { name: 'tests', run: "pgrep -fx 'sleep 98.1'" }];
    const ran = await run(t, steps, { finally: isGone('98.1') });
    assert.equal(ran.code, 0, ran.stderr);
    assert.deepEqual(exitCodes(ran), [
      ['server', 0],
      ['tests', 0],
    ]);
    assert.equal(JSON.parse(ran.stdout).steps[0].background, true);
    assert.deepEqual(ran.lines, [
      "'server' of workflow 'ci'",
      "'server' of workflow 'ci' is ready",
      "'server' of workflow 'ci' was stopped",
    ]);
  });

  test(
    'the next step starts when the port answers, and a port in use is an error before the start',
    needs('python3'),
    async (t) => {
      const port = String(20_000 + (process.pid % 20_000));
      const listen = { name: 'one', run: 'exec python3 -m http.server "$PORT"', background: true };
      const steps = [
        { ...listen, with: { PORT: port }, ready: { port: '${vars.PORT}' } },
        `python3 -c "import urllib.request as u; u.urlopen('http://localhost:${port}')"`,
        { name: 'two', run: 'touch started', background: true, ready: { url: `http://127.0.0.1:${port}/x` } },
      ];
      const ran = await run(t, steps, { finally: 'test ! -e started' });
      assert.equal(ran.code, 1);
      assert.deepEqual(exitCodes(ran), [
        ['one', 0],
        ['step_2', 0],
        ['two', 126],
      ]);
      assert.equal(JSON.parse(ran.stdout).finally, undefined);
      assert.equal(JSON.parse(ran.stdout).hooks[0].exit_code, 0);
      assert.match(ran.stderr, new RegExp(`could not be started: http://127.0.0.1:${port}/x already answers`));
    },
  );

  test('a step that ends by itself fails the run and ends what runs beside it', async (t) => {
    const dying = server('echo up; sleep 0.5; exit 7');
    const ran = await run(t, [dying, { name: 'tests', run: 'sleep 97.1' }, 'touch later'], { finally: isGone('97.1') });
    assert.equal(ran.code, 1);
    assert.deepEqual(exitCodes(ran), [
      ['server', 7],
      ['tests', 143],
    ]);
    assert.equal(ran.lines[2], "'server' of workflow 'ci' ended with exit code 7 while 'tests' ran");
    assert.equal(JSON.parse(ran.stdout).hooks[0].exit_code, 0);
  });

  test('all members of a group are ended, and steps in the background of their calls are stopped', async (t) => {
    const inner = { steps: [server(`echo up; ${SETSID} sleep 97.2 & exec sleep 97.2`, { name: 'db' }), 'sleep 97.2'] };
    const group = { name: 'all', parallel: ['sleep 97.2', { workflow: 'inner' }] };
    const ran = await run(t, [server('echo up; sleep 1; exit 5'), group], { finally: isGone('97.2') }, { inner });
    assert.deepEqual(exitCodes(ran), [
      ['server', 5],
      ['step_2.1', 143],
      ['db', 0],
      ['step_2', 143],
    ]);
    assert.equal(JSON.parse(ran.stdout).hooks[0].exit_code, 0, ran.stderr);
  });

  for (const [title, step, code, words] of [
    [
      'ends before it is ready',
      server('true'),
      1,
      /ended with exit code 0 before it was ready; its command has to stay/,
    ],
    [
      'is not ready in time',
      server('sleep 97.3', { timeout: '300ms' }),
      124,
      /was not ready after 300ms, when its output/,
    ],
    ['has no valid port', server('true', { ready: { port: '${vars.NO_PORT:-x}' } }), 126, /the port of 'ready' is 'x'/],
  ] as const) {
    test(`a step that ${title} fails, and nothing else starts`, async (t) => {
      const ran = await run(t, [step, 'touch later'], {
        finally: `test ! -e later && ${code === 124 ? isGone('97.3') : 'true'}`,
      });
      assert.deepEqual(exitCodes(ran), [['server', code]]);
      assert.match(ran.stderr, words);
      assert.equal(JSON.parse(ran.stdout).hooks[0].exit_code, 0);
    });
  }

  test('a resume starts the step again for a later one, and keeps nothing of it', async (t) => {
    const steps = [
      'echo first',
      server('echo up; echo x >> starts; exec sleep 99'),
      { name: 'tests', run: 'test -e fixed' },
    ];
    const { cwd, code } = await run(t, [...steps, 'test "$(wc -l < starts)" -eq 2']);
    assert.equal(code, 1);
    writeFileSync(join(cwd, 'fixed'), '');
    const env = { CLI_NO_JOURNAL: undefined };
    const shown = await cli(['resume', '--last', '--dry-run', '--format', 'text'], { cwd, env });
    assert.deepEqual(shown.stdout.split('\n').slice(1, -1), [
      '  = step_1  kept: finished',
      "  + server  started again: for 'tests'",
      '  > tests  run',
      '  > step_4  run',
    ]);
    const refused = await cli(['resume', '--last', '--rerun', 'server'], { cwd, env });
    assert.match(refused.stderr, /step 'server' runs in the background and starts by itself/);
    assert.equal((await cli(['resume', '--last'], { cwd, env })).code, 0);
  });

  test('a part of a workflow starts the steps in the background that it needs', async (t) => {
    const { cwd } = await run(t, [
      server('echo up; touch up; exec sleep 99'),
      { name: 'tests', run: 'rm up' },
      'touch last',
    ]);
    const { code, stdout } = await cli(['run', 'ci', '--only', 'tests', '--format', 'json'], { cwd });
    assert.equal(code, 0);
    assert.deepEqual(
      JSON.parse(stdout).steps.map(({ name }: Readonly<{ name: string }>) => name),
      ['server', 'tests'],
    );
  });

  test('what a killed run has left of the step is ended by a resume', async (t) => {
    const killer = { name: 'tests', run: 'test -e killed || { touch killed; kill -9 $PPID; }', on_crash: 'rerun' };
    const { cwd } = await run(t, [server('echo up; exec sleep 96.1 >/dev/null 2>&1'), killer]);
    const resumed = await cli(['resume', '--last'], { cwd, env: { CLI_NO_JOURNAL: undefined } });
    assert.equal(resumed.code, 0, resumed.stderr);
    assert.match(resumed.stderr, /^cli: ending what is left of the steps in the background: server \(\d+\)$/m);
  });
});

for (const [step, message] of [
  [server('a', { retry: 2 }), `'retry' cannot be used with "background": true`],
  [server('a', { ready: {} }), "'ready' needs one of 'port', 'url', 'output' and 'run'"],
  [server('a', { ready: { port: 1, run: 'b' } }), "'ready' must have only one of"],
  [{ run: 'a', ready: { port: 1 } }, `'ready' applies only to steps with "background": true`],
  [{ run: 'a', background: true, timeout: '1s' }, "'timeout' limits the time until"],
  [
    [
      { name: 'o', run: 'a', outputs: { P: 'text' } },
      server('a', { with: { P: '${steps.o.P}' }, ready: { port: '${vars.P}' } }),
    ],
    "step 2: 'ready.port': ${vars.P}: the value comes from an output, which is not known before the run: refer to it as ${steps.NAME.KEY}",
  ],
  [{ parallel: [server()] }, "'background' cannot be used on a member of a group"],
  ...(['daemon', 'service', 'detach', 'persistent', 'continuous'] as const).map(
    (name) => [{ run: 'a', [name]: true }, `unknown field '${name}'; did you mean 'background'?`] as const,
  ),
  ...(['readyWhen', 'ready_port', 'wait_for', 'wait-on'] as const).map(
    (name) => [{ run: 'a', [name]: 'b' }, `unknown field '${name}'; did you mean 'ready'?`] as const,
  ),
] as const) {
  test(`the error: ${message}`, async (t) => {
    const cwd = workflowDirectory(t, { workflows: { ci: { steps: [step].flat() } } });
    const { code, stdout, stderr } = await cli(['validate'], { cwd });
    assert.equal(code, 1);
    const text = `${stdout}${stderr}`.replaceAll(/\s+/g, ' ');
    assert.ok(text.includes(message), text);
  });
}
