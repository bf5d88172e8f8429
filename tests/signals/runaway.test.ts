import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { closeSync, constants, openSync, readSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { bench, hold, runDetached, step, waitFor, SETSID } from '../support/processes/bench.ts';
import { commandWith, ROOT, withoutHelp } from '../support/cli.ts';
import { needs } from '../support/needs.ts';
import { PROC } from '../support/processes/processes.ts';
import { LINUX } from '../support/processes/shell.ts';

const HOOK = 'echo hook >>log';
const LATER = 'echo later >>log';
const RUN = ['workflow', 'run', 'x'];

/** On SIGTERM or SIGHUP, leaves its parent, session and environment, but keeps its pid. */
const ESCAPE = [
  `read -r stat <"${PROC}/$$/stat"; echo "$stat" >>processes`,
  `escape() { echo escaped >>log; exec env -i ${SETSID} sleep 60; }; trap escape TERM HUP`,
  'echo b ready >>log; while :; do sleep 0.05; done',
].join('; ');

const CHAIN = `python3 '${join(ROOT, 'tests/support/processes/chain.py')}' 40000`;

describe('runaway processes', { concurrency: 4, ...LINUX }, () => {
  for (const signal of ['SIGTERM', 'SIGHUP'] as const) {
    test(`a process that leaves the tree and erases its environment after ${signal} is terminated`, async (t) => {
      const command = `bash -c '${ESCAPE}' & ${waitFor('b ready')}; ${step('a')}`;
      const subject = bench(t, { error: HOOK, workflows: { x: { steps: [command, LATER] } } });
      const { pid, ended } = runDetached(subject, RUN);
      await subject.logged('a ready');
      process.kill(pid, signal);
      const { code, signal: death } = await ended;
      assert.deepEqual({ code, signal: death }, { code: null, signal });
      assert.deepEqual(subject.survivors(), []);
      assert.ok(subject.log().includes('escaped'));
      assert.equal(subject.log().at(-1), 'hook');
    });
  }

  test(
    'a chain of processes that fork and exit, leave their session and ignore SIGTERM is terminated',
    { ...needs('python3') },
    async (t) => {
      const command = `exec 9>pipe; ${CHAIN} & ${waitFor('chain ready')}; ${step('a')}`;
      const subject = bench(t, { error: HOOK, workflows: { x: { steps: [command, LATER] } } });
      const pipe = join(subject.cwd, 'pipe');
      execFileSync('mkfifo', [pipe]);
      const reader = openSync(pipe, constants.O_RDONLY | constants.O_NONBLOCK);
      t.after(() => closeSync(reader));
      const { pid, ended } = runDetached(subject, RUN);
      await subject.logged('a ready');
      process.kill(pid, 'SIGTERM');
      const { code, signal, stderr } = await ended;
      assert.deepEqual({ code, signal }, { code: null, signal: 'SIGTERM' });
      // At the end of the file no process holds the pipe open. While one does, reading fails with EAGAIN.
      assert.equal(readSync(reader, Buffer.alloc(1)), 0);
      assert.deepEqual(subject.log().slice(-2), ['a got SIGTERM', 'hook']);
      assert.ok(!subject.log().includes('chain over'));
      assert.ok(!stderr.includes('may still be running'), stderr);
      assert.deepEqual(subject.survivors(), []);
    },
  );

  test('after ten seconds of failed kills cli gives up, and names the remaining processes', async (t) => {
    const command = `( trap '' TERM; ${hold('b')} ) & ${waitFor('b ready')}; ${step('a')}`;
    const subject = bench(t, { error: HOOK, workflows: { x: { steps: [command, LATER] } } });
    const program = `
      const { kill } = process;
      process.kill = (pid, signal) => signal === 'SIGKILL' || kill.call(process, pid, signal);`;
    const { pid, ended } = runDetached(subject, RUN, commandWith(subject.cwd, program));
    await subject.logged('a ready');
    process.kill(pid, 'SIGTERM');
    const { code, signal, stderr } = await ended;
    assert.deepEqual({ code, signal }, { code: null, signal: 'SIGTERM' });
    const [left] = subject.processes();
    const lines = [
      "cli: step 'step_1' of workflow 'x' failed with exit code 143 (terminated by SIGTERM)",
      'cli: interrupted by SIGTERM',
      `cli: processes of this run may still be running: killing them failed for 10 seconds (pid ${Number.parseInt(left ?? '', 10)})`,
    ];
    assert.equal(withoutHelp(stderr), `${lines.join('\n')}\n`);
    assert.deepEqual(subject.survivors(), ['sleep 60']);
  });
});
