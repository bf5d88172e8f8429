/* Steps in the background with the servers, ends and surroundings that they have in practice. */
import assert from 'node:assert/strict';
import { chownSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { cli, COMMAND_LINE, finish, ROOT, workflowDirectory } from '../support/cli.ts';
import { needs } from '../support/needs.ts';
import { bench, interruptAt, runDetached, runInTerminal, step, SETSID } from '../support/processes/bench.ts';
import { PROC } from '../support/processes/processes.ts';
import { exitCodes, isGone, run, server } from '../support/processes/servers.ts';
import { LINUX } from '../support/processes/shell.ts';
import { CTRL_C } from '../support/processes/terminal.ts';
import { accountOf, readable, serverFiles } from '../support/remote/server.ts';
import { until } from '../support/until.ts';
import { call } from '../support/workflow.ts';

const say = (text: string): string => `echo ${text} >>log`;
/** A step in the background that says when it receives SIGTERM. */
const noting = (rest: string): object =>
  server(
    `read -r stat <${PROC}/$$/stat; echo "$stat" >>processes; trap '${say('server got SIGTERM')}' TERM INT; echo up; ${rest}`,
  );
/** A port for a server of this file. */
const port = (number: number): string => String(20_000 + ((process.pid * 3 + number) % 10_000));

describe('steps in the background', { concurrency: 2, ...LINUX }, () => {
  for (const [title, command, code, seconds] of [
    ['ignores SIGTERM', `trap '' TERM; echo up; sleep 95.1; sleep 95.1`, 0, '95.1'],
    ['has gone to a session of its own', `${SETSID} bash -c 'echo up; sleep 95.2' & exec sleep 95.2`, 0, '95.2'],
    [
      'ends, and leaves a process that holds its output',
      `(${SETSID} sleep 95.3 &); echo up; sleep 0.5; exit 3`,
      3,
      '95.3',
    ],
    ['ends, because it has forked away', `${SETSID} bash -c "sleep 0.5; echo up; sleep 95.4" &`, 1, '95.4'],
  ] as const) {
    test(`nothing is left of one that ${title}`, async (t) => {
      const ran = await run(t, [server(command), ...(code === 0 ? ['true'] : ['sleep 60'])], {
        finally: isGone(seconds),
      });
      assert.deepEqual([exitCodes(ran)].flat()[0], ['server', code], ran.stderr);
      assert.equal(JSON.parse(ran.stdout).hooks[0].exit_code, 0, ran.stderr);
    });
  }

  test('100 MB of output delay nothing', async (t) => {
    const much = { ...server(`yes "$(printf %0999d 0)" | head -c 100000000; echo up; exec sleep 99`) };
    const cwd = workflowDirectory(t, { workflows: { ci: { steps: [much, 'touch done'] } } });
    const { code } = await finish('bash', ['-c', `${COMMAND_LINE} run ci 2>output`], { cwd });
    assert.equal(code, 0);
    assert.ok(existsSync(join(cwd, 'done')));
    assert.ok(readFileSync(join(cwd, 'output')).length > 100_000_000);
  });

  test('a matrix, a `once` call and the members of a group each have their own', async (t) => {
    const many = { ...server(`${say('"start $P"')}; echo up; exec sleep 99`), matrix: { P: ['a', 'b'] } };
    const waits = (name: string, other: string): object => ({
      steps: [server(`${say(name)}; echo up; exec sleep 99`), `until grep -qx ${other} log; do sleep 0.05; done`],
    });
    const ran = await run(
      t,
      [many, call('inner'), call('inner'), { parallel: [call('one'), call('two')] }],
      {},
      {
        inner: { once: true, steps: [server(`${say('inner')}; echo up; exec sleep 99`), say('work')] },
        one: waits('one', 'two'),
        two: waits('two', 'one'),
      },
    );
    assert.equal(ran.code, 0, ran.stderr);
    const log = readFileSync(join(ran.cwd, 'log'), 'utf8').trim().split('\n');
    assert.deepEqual(
      [...log.slice(0, 4), ...log.slice(4).toSorted()],
      ['start a', 'start b', 'inner', 'work', 'one', 'two'],
    );
    assert.equal(ran.lines.filter((line) => line.endsWith('was stopped')).length, 5);
  });

  test('secrets of one are masked in its report and in its log', async (t) => {
    const secret = { KEY: { command: ['printf', 'hunter22'] } };
    const steps = [server('echo "with $KEY"; exit 4', { secrets: ['KEY'] })];
    const cwd = workflowDirectory(t, { secrets: secret, workflows: { ci: { steps } } });
    const env = { CLI_NO_JOURNAL: undefined };
    assert.equal((await cli(['run', 'ci', '--logs', '--report', 'report.json'], { cwd, env })).code, 1);
    const { stdout: written } = await finish('bash', ['-c', 'cat report.json .cli/runs/*/logs/*'], { cwd });
    assert.equal(written.split('with ***').length, 3, written);
    assert.doesNotMatch(written, /hunter22/);
  });

  test('the end of one breaks off a delay before the next attempt, and ends a condition', async (t) => {
    const dies = server('echo up; sleep 1; exit 5');
    const flaky = { name: 'flaky', run: 'echo try >>tries; false', retry: { max_attempts: 2, delay: '100s' } };
    const once = 'test ! -e later && [ "$(cat tries)" = try ]';
    const delayed = await run(t, [dies, flaky, 'touch later'], { finally: once });
    const codes = [
      ['server', 5],
      ['flaky', 1],
    ];
    assert.deepEqual([exitCodes(delayed), JSON.parse(delayed.stdout).hooks[0].exit_code], [codes, 0]);
    assert.match(delayed.lines[2] ?? '', /^'server' of workflow 'ci' ended with exit code 5 while 'flaky' ran$/);
    const guarded = await run(t, [dies, { run: 'touch later', if: 'sleep 95.5' }], {
      finally: `test ! -e later && ${isGone('95.5')}`,
    });
    assert.deepEqual([exitCodes(guarded), JSON.parse(guarded.stdout).hooks[0].exit_code], [[['server', 5]], 0]);
  });

  test('PostgreSQL is ready when its port answers, and is stopped', postgres(), async (t) => {
    const { uid, gid } = accountOf();
    const as = uid === undefined ? '' : `setpriv --reuid ${uid} --regid ${gid} --clear-groups `;
    const bin = join(readable(serverFiles(ROOT) ?? ''), 'bin');
    const client = `const { Client } = require(require.resolve('pg', { paths: [process.env.ENGINE] }));
      const client = new Client('postgres://postgres@127.0.0.1:' + process.env.PORT + '/postgres');
      client.connect().then(() => client.query('select 41 + 1 as n')).then(({ rows }) => (console.log(rows[0].n), client.end()));`;
    const env = { PORT: port(1), ENGINE: join(ROOT, 'packages/postgres'), CLIENT: client };
    const steps = [
      `${as}${bin}/initdb -D data -U postgres --auth=trust --no-sync --locale=C --wal-segsize=1 >&2`,
      server(`exec ${as}${bin}/postgres -D data -p "$PORT" -h 127.0.0.1 -k ''`, { ready: { port: '${vars.PORT}' } }),
      { name: 'query', run: `'${process.execPath}' -e "$CLIENT"`, outputs: { N: 'text' } },
    ];
    const cwd = workflowDirectory(t, {
      env,
      workflows: { ci: { steps, finally: '! pgrep -f "postgres -D data -p $PORT"' } },
    });
    if (uid !== undefined && gid !== undefined) chownSync(cwd, uid, gid);
    const { code, stdout, stderr } = await finish('bash', ['-c', `${COMMAND_LINE} run ci --format json`], { cwd });
    assert.equal(code, 0, stderr);
    assert.deepEqual(JSON.parse(stdout).steps[2].outputs, { N: '42' });
  });

  test('a watcher stops one before it starts it again', async (t) => {
    const line = `trap '${say('stopped')}; exit' TERM; ${say('up')}; echo up; sleep 99 & wait`;
    const subject = bench(t, { workflows: { ci: { steps: [server(line), 'cat src/a >>log'] } } });
    mkdirSync(join(subject.cwd, 'src'));
    writeFileSync(join(subject.cwd, 'src/a'), 'one\n');
    const { pid, ended } = runDetached(subject, ['run', 'ci', '--watch', 'src']);
    const isWaiting = (times: number): Promise<void> =>
      until(
        () => subject.read('err.txt').split('cli: waiting for changes in src\n').length === times + 1,
        () => subject.read('err.txt'),
      );
    await isWaiting(1);
    writeFileSync(join(subject.cwd, 'src/a'), 'two\n');
    await isWaiting(2);
    process.kill(pid, 'SIGTERM');
    await ended;
    assert.deepEqual(subject.log(), ['up', 'one', 'stopped', 'up', 'two', 'stopped']);
  });
});

describe('steps in the background at a terminal', { concurrency: 2, ...LINUX, ...needs('python3') }, () => {
  test('Ctrl-C ends the step, then stops the server, then hooks run', async (t) => {
    const ending = noting('sleep 60 & wait');
    const subject = bench(t, { workflows: { ci: { steps: [ending, step('a')], finally: say('finally') } } });
    assert.equal((await interruptAt(subject, 'ci', 'a ready')).signal, 'SIGINT');
    assert.deepEqual(subject.log(), ['a ready', 'a got SIGINT', 'server got SIGTERM', 'finally']);
    assert.deepEqual(subject.survivors(), []);
  });

  test('a second Ctrl-C kills a server that does not stop', async (t) => {
    const stubborn = noting('while :; do sleep 0.1; done');
    const subject = bench(t, { workflows: { ci: { steps: [stubborn, step('a')], finally: say('never') } } });
    const shown = runInTerminal(subject, 'ci');
    await subject.logged('a ready');
    shown.type(CTRL_C);
    await subject.logged('server got SIGTERM');
    // Within 300 ms of the first, it would count as the same one.
    await delay(400);
    shown.type(CTRL_C);
    assert.equal((await shown.ended).signal, 'SIGINT');
    assert.deepEqual(subject.log(), ['a ready', 'a got SIGINT', 'server got SIGTERM']);
    assert.deepEqual(subject.survivors(), []);
  });

  test('a question is asked before the start, and the end of another step breaks it off', async (t) => {
    const asked = server(`${say('started')}; echo up; exec sleep 99`, { name: 'asked', confirm: 'Start?' });
    const dying = server('echo up; until [ -e go ]; do sleep 0.1; done; exit 5');
    for (const [steps, answer, log, code] of [
      [[asked, say('later')], 'y\r', ['started', 'later'], 0],
      [[asked, say('later')], 'n\r', [], 1],
      [[dying, { run: say('never'), confirm: 'Start?' }], '', [], 1],
    ] as const) {
      const subject = bench(t, { workflows: { ci: { steps } } });
      const shown = runInTerminal(subject, 'ci');
      await shown.shows('Start?');
      assert.deepEqual(subject.log(), []);
      if (answer === '') writeFileSync(join(subject.cwd, 'go'), '');
      else shown.type(answer);
      assert.equal((await shown.ended).code, code);
      assert.deepEqual(subject.log(), log);
    }
  });
});

/** Options of a test with a PostgreSQL server. */
function postgres(): { readonly skip?: string } {
  return serverFiles(ROOT) === undefined ? { skip: 'run node scripts/setup.mjs packages/postgres' } : {};
}
