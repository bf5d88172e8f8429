import assert from 'node:assert/strict';
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import { test, type TestContext } from 'node:test';
import { cli, COMMAND, COMMAND_LINE, workflowDirectory, type CommandResult } from '../support/cli.ts';
import { PROC } from '../support/processes/processes.ts';
import { LINUX } from '../support/processes/shell.ts';
import { until } from '../support/until.ts';

/** A step that says when it begins, waits for a file, and notes the begin and the end of its part. */
const hold = (name: string): string =>
  `echo ${name}+ >> log; while ! test -e go-${name}; do sleep 0.05; done; echo ${name}- >> log`;

/** A step that takes a while, and notes its begin and end. */
const step = (name: string): string => `echo ${name}+ >> log; sleep 0.2; echo ${name}- >> log`;

const FILE = {
  finally: 'echo file >> log',
  workflows: {
    deploy: { lock: true, steps: [hold('a')], finally: 'echo hook >> log' },
    other: { lock: 'deploy', steps: ['echo other >> log'] },
    call: { steps: ['echo before >> log', { workflow: 'other' }] },
    several: { lock: 'z', steps: [{ workflow: 'other' }, 'echo several >> log'] },
  },
};

type Project = Readonly<{
  cwd: string;
  start: (...words: readonly string[]) => Started;
  run: (words: string) => Promise<CommandResult>;
  log: () => readonly string[];
  logged: (line: string) => Promise<void>;
  go: (name: string) => void;
  locks: () => readonly string[];
}>;
type Started = Readonly<{ child: ChildProcess; said: (words: string) => Promise<void>; ended: Promise<CommandResult> }>;

const env = { CLI_NO_JOURNAL: undefined };

function project(t: TestContext, file: object = FILE): Project {
  const cwd = workflowDirectory(t, file);
  const log = (): readonly string[] =>
    existsSync(join(cwd, 'log')) ? readFileSync(join(cwd, 'log'), 'utf8').trimEnd().split('\n') : [];
  const start = (...words: readonly string[]): Started => {
    const [program, ...first] = COMMAND;
    const own = { ...process.env, ...env };
    const child = spawn(program, [...first, ...words], { cwd, env: own, stdio: ['ignore', 'pipe', 'pipe'] });
    t.after(() => void child.kill('SIGKILL'));
    let stderr = '';
    child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
    const finish = async (): Promise<CommandResult> => {
      const [stdout, [code, signal]] = await Promise.all([text(child.stdout), once(child, 'close')]);
      return { stdout, stderr, code, signal };
    };
    const said = (line: string): Promise<void> =>
      until(
        () => stderr.includes(line),
        () => `${line} in ${stderr}`,
      );
    return { child, said, ended: finish() };
  };
  return {
    cwd,
    start,
    log,
    run: (words) => cli(words.split(' '), { cwd, env }),
    logged: (line) =>
      until(
        () => log().includes(line),
        () => `${line} in ${log().join()}`,
      ),
    go: (name) => writeFileSync(join(cwd, `go-${name}`), ''),
    locks: () => readdirSync(join(cwd, '.cli/locks')).filter((name) => name !== '.gitignore'),
  };
}

/** The id of the newest run. */
async function newest({ run }: Project): Promise<string> {
  const { id } = JSON.parse((await run('workflow runs show --last')).stdout);
  return id;
}

test('a run waits for the lock of another one, which it names, and begins after the last hook of its workflow', async (t) => {
  const own = project(t);
  const first = own.start('run', 'deploy');
  await own.logged('a+');
  const id = await newest(own);
  const second = own.start('run', 'call');
  await second.said(`cli: waiting for run ${id} (deploy), which holds the lock 'deploy'\n`);
  const listed = JSON.parse((await own.run('workflow runs list')).stdout);
  assert.deepEqual(
    listed.map(({ workflow, state, waits_for: waits }: Record<string, unknown>) => [workflow, state, waits]),
    [
      ['call', 'waiting', { lock: 'deploy', run: id }],
      ['deploy', 'running', undefined],
    ],
  );
  const shown = (await own.run('workflow runs show --last --format text')).stdout.split('\n');
  assert.equal(shown[1], `  for the lock 'deploy', which run ${id} holds`);
  assert.deepEqual(own.log(), ['a+', 'before']);
  own.go('a');
  assert.deepEqual([(await first.ended).code, (await second.ended).code], [0, 0]);
  const [hook, file] = [own.log().indexOf('hook'), own.log().indexOf('file')];
  assert.ok(own.log().indexOf('a-') < hook && hook < own.log().indexOf('other') && hook < file);
  assert.deepEqual(own.locks(), []);
  assert.equal(readFileSync(join(own.cwd, '.cli/locks/.gitignore'), 'utf8'), '*\n');
});

test('with --no-wait, a run or resume starts nothing if another run holds a lock of its plan, and a later one fails the call', async (t) => {
  const file = { ...FILE, workflows: { ...FILE.workflows, late: { steps: [hold('b'), { workflow: 'other' }] } } };
  const own = project(t, file);
  assert.equal((await own.run('run several --only absent')).code, 2);
  const late = own.start('workflow', 'run', 'late', '--no-wait');
  await own.logged('b+');
  const lateId = await newest(own);
  const first = own.start('run', 'deploy');
  await own.logged('a+');
  const id = await newest(own);
  own.go('b');
  const { code, stdout } = await late.ended;
  const { steps, success } = JSON.parse(stdout);
  assert.deepEqual([code, success, steps[1].exit_code], [1, false, 126]);
  const held = `cli: run ${id} (deploy) holds the lock 'deploy'; nothing was started\n`;
  for (const words of ['run call --no-wait', 'run several --no-wait', `resume ${lateId} --no-wait -q`]) {
    const refused = await own.run(words);
    assert.deepEqual([refused.code, refused.stdout, refused.stderr], [2, '', held], words);
  }
  assert.equal(await newest(own), id);
  // Another workflow, and a part without the call, need no lock.
  assert.equal((await own.run('run call --only step_1 --no-wait')).code, 0);
  own.go('a');
  assert.equal((await first.ended).code, 0);
  assert.equal((await own.run(`resume ${lateId} --no-wait`)).code, 0);
});

test('Ctrl-C while a run waits ends it with a document and by the signal, and no step of it has run', async (t) => {
  const own = project(t);
  const first = own.start('run', 'deploy');
  await own.logged('a+');
  for (const workflow of ['deploy', 'several']) {
    const second = own.start('workflow', 'run', workflow);
    await second.said('cli: waiting for');
    second.child.kill('SIGINT');
    const { signal, stdout } = await second.ended;
    const { steps, success, interrupted } = JSON.parse(stdout);
    assert.deepEqual([signal, steps, success, interrupted], ['SIGINT', [], false, 'SIGINT'], workflow);
  }
  assert.equal(own.locks().length, 1);
  assert.deepEqual(own.log(), ['a+', 'file', 'file']);
  assert.equal((await own.run('workflow runs show --last')).stdout.includes('"state":"interrupted"'), true);
  own.go('a');
  await first.ended;
  assert.equal((await own.run('workflow resume --last')).code, 0);
});

test(
  'a killed run frees its lock at once, unless a step of it still runs, which is said and waited for',
  LINUX,
  async (t) => {
    const own = project(t);
    const first = own.start('run', 'deploy');
    await own.logged('a+');
    const id = await newest(own);
    first.child.kill('SIGKILL');
    await once(first.child, 'exit');
    const second = own.start('run', 'other');
    await second.said(
      `cli: waiting for processes of run ${id} (deploy), which was killed while it held the lock 'deploy': `,
    );
    const refused = await own.run('run other --no-wait');
    assert.match(
      refused.stderr,
      /^cli: run \S+ \(deploy\), which was killed, has left processes \([\d, ]+\), and holds the lock 'deploy'/,
    );
    own.go('a');
    assert.equal((await second.ended).code, 0);
    assert.deepEqual(own.log(), ['a+', 'a-', 'other', 'file']);
    // A resume takes the lock again, and a killed run without a step holds none.
    const third = own.start('run', 'deploy');
    await own.logged('hook');
    assert.equal((await third.ended).code, 0);
    assert.deepEqual(own.locks(), []);
  },
);

test('what a run with a lock calls does not wait for it, also in another process, and calls with one lock follow one another in a group', async (t) => {
  const own = project(t, {
    workflows: {
      outer: { lock: 'l', steps: [{ workflow: 'inner' }, `${COMMAND_LINE} run inner -q`] },
      inner: { lock: 'l', steps: ['echo inner >> log'] },
      group: { steps: [{ parallel: [{ workflow: 'a' }, { workflow: 'b' }, { workflow: 'both' }, step('free')] }] },
      a: { lock: 'one', steps: [step('a'), { workflow: 'b' }] },
      b: { lock: 'two', steps: [step('b'), { workflow: 'c' }] },
      c: { lock: 'three', once: true, steps: [step('c')] },
      both: { steps: [{ workflow: 'c' }, { workflow: 'a' }] },
    },
  });
  assert.equal((await own.run('run outer')).code, 0);
  assert.deepEqual(own.log(), ['inner', 'inner']);
  assert.equal((await own.run('run group')).code, 0);
  // Each begin is followed by its end, but for the member without a lock.
  const locked = own
    .log()
    .slice(2)
    .filter((line) => !line.startsWith('free'));
  assert.deepEqual(
    locked.filter((line) => line.endsWith('-')),
    locked.filter((line) => line.endsWith('+')).map((line) => line.replace('+', '-')),
  );
  for (const [index, line] of locked.entries())
    if (line.endsWith('+')) assert.equal(locked[index + 1], line.replace('+', '-'));
  assert.deepEqual(own.locks(), []);
});

test('a call that waits for two locks is not overtaken by later calls with one of them', async (t) => {
  const own = project(t, {
    workflows: {
      main: { steps: [{ parallel: [{ workflow: 'a' }, { workflow: 'both' }, { workflow: 'b' }] }] },
      a: { lock: 'one', steps: [step('a')] },
      both: { lock: 'two', steps: [step('both'), { workflow: 'a' }] },
      b: { lock: 'two', steps: [step('b')] },
    },
  });
  assert.equal((await own.run('run main')).code, 0);
  assert.deepEqual(own.log(), ['a+', 'a-', 'both+', 'both-', 'a+', 'a-', 'b+', 'b-']);
});

test('a run that waits for the first of its locks, in the order of their names, holds no other', async (t) => {
  const own = project(t, {
    workflows: {
      two: { steps: [{ workflow: 'a' }, { workflow: 'b' }] },
      a: { lock: 'a', steps: [hold('a')] },
      b: { lock: 'b', steps: [step('b')] },
    },
  });
  const first = own.start('run', 'a');
  await own.logged('a+');
  const second = own.start('run', 'two');
  await second.said("which holds the lock 'a'\n");
  assert.equal((await own.run('run b')).code, 0);
  assert.deepEqual(own.log(), ['a+', 'b+', 'b-']);
  own.go('a');
  assert.deepEqual([(await first.ended).code, (await second.ended).code], [0, 0]);
});

test('a lock that cannot be taken fails the call with the reason, and a removed directory of locks is made again', async (t) => {
  const own = project(t);
  mkdirSync(join(own.cwd, 'elsewhere'));
  symlinkSync('../elsewhere', join(own.cwd, '.cli/locks'));
  const { code, stderr } = await own.run('run other');
  assert.equal(code, 1);
  assert.ok(
    stderr.includes("the lock 'deploy' cannot be taken: .cli/locks is a symbolic link, which is not followed"),
    stderr,
  );
});

test('export refuses a lock, and the name of a lock is neither empty nor secret', async (t) => {
  const own = project(t, {
    workflows: {
      ci: { lock: 'ci', steps: ['true'] },
      named: { lock: '${vars.NAME}', inputs: { NAME: { default: '' } }, steps: ['true'] },
      hidden: { lock: 'x-${vars.MY_TOKEN:-none}', steps: ['true'] },
    },
  });
  assert.deepEqual(await own.run('export ci'), {
    code: 2,
    signal: null,
    stdout: '',
    stderr:
      "cli: 'export' does not support 'lock': workflow 'ci' holds one, and a script cannot wait for the runs of cli that hold it\n",
  });
  for (const [words, problem] of [
    ['run named', "'lock': ${vars.NAME}: the name of the lock is empty"],
    ['run hidden', "'lock': ${vars.MY_TOKEN}: the value is secret, and the name of a lock is shown"],
  ] as const) {
    const { code, stderr } = await own.run(words);
    assert.equal(code, 2);
    assert.ok(stderr.includes(problem), stderr);
  }
});

/** The number of killed runs. 200 take ten minutes. */
const KILLS = Number(process.env['KILLS'] ?? 3);

/** Prints the start time of a living process: its number may be in use again. */
const STARTED = `started() { awk '$3 != "Z" { print $22 }' "${PROC}/$1/stat" 2>/dev/null; }`;

/** A step that notes each other living one. */
const ALONE = [
  STARTED,
  'for file in inside.*; do id=${file#inside.}; test "$(started "${id%.*}")" = "${id#*.}" && echo "$file" >> violations; done',
  ': > "inside.$$.$(started $$)"',
  'sleep 0.1',
  'rm "inside.$$."*',
].join('\n');

test(
  `after ${KILLS} kills of runs that wait for a lock or hold it, no two have held it at once, and none does`,
  LINUX,
  async (t) => {
    const cwd = workflowDirectory(t, { workflows: { ci: { lock: true, steps: [ALONE, ALONE] } } });
    const [program, ...first] = COMMAND;
    const start = (): ChildProcess => {
      const own = { ...process.env, ...env };
      return spawn(program, [...first, 'run', 'ci', '-q'], { cwd, env: own, stdio: 'ignore', detached: true });
    };
    const runs = [start(), start(), start()];
    t.after(() => runs.map((each) => each.kill('SIGKILL')));
    for (let kill = 0; kill < KILLS; kill += 1) {
      await delay(Math.random() * 1500);
      const [killed] = runs.splice(kill % runs.length, 1, start());
      if (killed?.pid === undefined || killed.exitCode !== null || killed.signalCode !== null) continue;
      // With its step, or alone.
      process.kill(kill % 2 === 0 ? -killed.pid : killed.pid, 'SIGKILL');
    }
    for (const run of runs) if (run.exitCode === null) await once(run, 'exit');
    assert.equal((await cli(['run', 'ci', '-q'], { cwd, env })).code, 0);
    assert.equal(existsSync(join(cwd, 'violations')), false);
    assert.deepEqual(
      readdirSync(join(cwd, '.cli/locks')).filter((name) => !/^\.gitignore$|\.new\./.test(name)),
      [],
    );
  },
);
