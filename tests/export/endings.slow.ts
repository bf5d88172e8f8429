/* Ends the steps of exported scripts in several ways. */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { writeScript } from '../support/export/write_script.ts';
import { runDetached, type Bench, type Running } from '../support/processes/bench.ts';
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

async function start(subject: Bench): Promise<Running> {
  await writeScript(subject);
  return runDetached(subject, ['x.sh'], ['bash']);
}

/** Runs the script, and sends it a signal once the step is ready. */
function signalled(signal: NodeJS.Signals, steps: readonly unknown[] = [STEP]): Way {
  return {
    steps,
    traps: true,
    end: async (subject) => {
      const { pid, ended } = await start(subject);
      await isReady(subject);
      process.kill(pid, signal);
      assert.equal((await ended).signal, signal);
    },
  };
}

const WAYS: Readonly<Record<string, Way>> = {
  'a time limit of a script': {
    steps: [{ run: STEP, timeout: '1000ms' }],
    traps: true,
    end: async (subject) => assert.equal((await (await start(subject)).ended).code, 1),
  },
  'fail_fast of a script': {
    steps: [
      { fail_fast: true, parallel: [STEP, { name: 'fails', run: 'until [ -e go ]; do sleep 0.1; done; exit 1' }] },
    ],
    traps: true,
    end: async (subject) => {
      const { ended } = await start(subject);
      await isReady(subject);
      writeFileSync(join(subject.cwd, 'go'), '');
      assert.equal((await ended).code, 1);
    },
  },
  'SIGTERM to a script': signalled('SIGTERM'),
  'SIGTERM to a script with a group': signalled('SIGTERM', [{ parallel: [STEP, 'sleep 60'] }]),
  'SIGHUP to a script': signalled('SIGHUP'),
  'a second signal to a script, which kills': {
    steps: [IGNORING],
    traps: false,
    end: async (subject) => {
      const { pid, ended } = await start(subject);
      await isReady(subject, SCRIPTS);
      await terminateTwice(pid);
      assert.equal((await ended).signal, 'SIGTERM');
    },
  },
};

describe(
  'after a script has sent its step a signal, no shell without a trap starts another command',
  { ...LINUX },
  () => {
    keepBusy();
    for (const [name, way] of Object.entries(WAYS)) {
      test(`no shell goes on after ${name}`, (t) => testEnding(t, way));
    }
  },
);
