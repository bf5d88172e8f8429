/* Ends the steps of a run in every way. */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { endUnattended } from '../../src/cli/engine/unattended_runs.ts';
import { cli, COMMAND } from '../support/cli.ts';
import { needs } from '../support/needs.ts';
import { runDetached, runInTerminal, type Bench } from '../support/processes/bench.ts';
import {
  IGNORING,
  isReady,
  keepBusy,
  SCRIPTS,
  STEP,
  terminateTwice,
  testEnding,
  type Way,
} from '../support/processes/endings.ts';
import { LINUX } from '../support/processes/shell.ts';

const RUN = ['workflow', 'run', 'x'];

/** Runs the workflow, and sends signals to cli once the step is ready. */
function signalled(signal: NodeJS.Signals): Way {
  return {
    steps: [STEP],
    traps: true,
    end: async (subject) => {
      const { pid, ended } = runDetached(subject, RUN);
      await isReady(subject);
      process.kill(pid, signal);
      assert.equal((await ended).signal, signal);
    },
  };
}

/** Starts a recorded run, and kills cli alone once the step is ready. */
async function loseRunner(subject: Bench, variables: readonly string[] = []): Promise<void> {
  const { pid, ended } = runDetached(subject, RUN, ['env', '-u', 'CLI_NO_JOURNAL', ...variables, ...COMMAND]);
  await isReady(subject);
  process.kill(pid, 'SIGKILL');
  await ended;
}

const WAYS: Readonly<Record<string, Way>> = {
  'a time limit': {
    steps: [{ run: STEP, timeout: '1000ms' }],
    traps: true,
    end: async (subject) => assert.equal((await runDetached(subject, RUN).ended).code, 1),
  },
  fail_fast: {
    steps: [
      { fail_fast: true, parallel: [STEP, { name: 'fails', run: 'until [ -e go ]; do sleep 0.1; done; exit 1' }] },
    ],
    traps: true,
    end: async (subject) => {
      const { ended } = runDetached(subject, RUN);
      await isReady(subject);
      writeFileSync(join(subject.cwd, 'go'), '');
      assert.equal((await ended).code, 1);
    },
  },
  SIGTERM: signalled('SIGTERM'),
  SIGHUP: signalled('SIGHUP'),
  'a closed terminal': {
    steps: [STEP],
    traps: true,
    end: async (subject) => {
      const shown = runInTerminal(subject, 'x');
      await isReady(subject);
      shown.close();
      assert.equal((await shown.ended).signal, 'SIGHUP');
    },
  },
  'a second signal, which kills': {
    steps: [IGNORING],
    traps: false,
    end: async (subject) => {
      const { pid, ended } = runDetached(subject, RUN);
      await isReady(subject, SCRIPTS);
      await terminateTwice(pid);
      assert.equal((await ended).signal, 'SIGTERM');
    },
  },
  '--orphans end after kill -9 of cli': {
    steps: [STEP],
    traps: true,
    end: async (subject) => {
      await loseRunner(subject);
      const args = ['resume', '--last', '--on-crash', 'rerun', '--orphans', 'end'];
      const { code, stderr } = await cli(args, { cwd: subject.cwd, env: { CLI_NO_JOURNAL: undefined } });
      assert.equal(code, 0, stderr);
    },
  },
  'a worker that cleans up': {
    steps: [STEP],
    traps: true,
    end: async (subject) => {
      await loseRunner(subject, [`CLI_REMOTE_RUN=${subject.cwd}`]);
      await endUnattended(process.env, ({ run }) => run === subject.cwd);
    },
  },
};

describe('after its step has been sent a signal, no shell without a trap starts another command', { ...LINUX }, () => {
  keepBusy();
  for (const [name, way] of Object.entries(WAYS)) {
    test(`no shell goes on after ${name}`, name === 'a closed terminal' ? needs('python3') : {}, (t) =>
      testEnding(t, way),
    );
  }
});
