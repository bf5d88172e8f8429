import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { needs } from '../support/needs.ts';
import { bench, runInTerminal, type Bench } from '../support/processes/bench.ts';
import { LINUX } from '../support/processes/shell.ts';
import { CTRL_C } from '../support/processes/terminal.ts';
import { random, SEED } from '../support/random/random.ts';

const STEPS = 30;
const RUNS = Number(process.env['KILLS'] ?? 20);
const AT_ONCE = 4;

/** A moment of a run: some milliseconds after the start of a step, or after the start of cli (step 0). */
interface Moment {
  readonly step: number;
  readonly after: number;
}

function moments(): Moment[] {
  const source = random(SEED);
  return Array.from({ length: RUNS }, () => {
    const step = source.below(STEPS + 1);
    return { step, after: source.below(step === 0 ? 250 : 25) };
  });
}

const HOOK = 'echo hook >>log';
/** Every fifth step runs a pipeline, and the others only their shell. */
const command = (step: number): string =>
  `echo start ${step} ${step % 5 === 0 ? '| tee -a log' : '>>log'}; echo end ${step} >>log`;
const entry = (index: number): object => ({ command: command(index + 1), name: `step_${index + 1}` });
const FILE = {
  error: HOOK,
  workflows: { x: { steps: Array.from({ length: STEPS }, (_, index) => command(index + 1)) } },
};

/** Checks the invariants of a run interrupted at any moment; returns how it ended. */
function check(subject: Bench, end: { code: number | null; signal: string | null }): string {
  const path = join(subject.cwd, 'out.json');
  // The file is created by the shell that becomes cli, and Ctrl-C may come even earlier.
  const text = existsSync(path) ? readFileSync(path, 'utf8') : '';
  const log = subject.log();
  const finished = log.includes(`end ${STEPS}`);
  if (end.code === 0) {
    assert.deepEqual(log, expectedLog(STEPS, 'ended'));
    assert.deepEqual(JSON.parse(text), {
      workflow: 'x',
      steps: Array.from({ length: STEPS }, (_, index) => ({ ...entry(index), exit_code: 0 })),
      success: true,
    });
    return 'completed';
  }
  assert.deepEqual(end, { code: null, signal: 'SIGINT' });
  if (text === '') {
    // Before cli is ready, and after the end of the run, it terminates like any program.
    assert.ok(log.length === 0 || finished, log.join());
    return log.length === 0 ? 'not begun' : 'over';
  }
  const document: unknown = JSON.parse(text);
  const count = [...text.matchAll(/"name":"step_/g)].length;
  const codes = [...text.matchAll(/"exit_code":(\d+)/g)].map(([, code]) => Number(code));
  const last = codes.at(count - 1) ?? 0;
  if (!text.includes('"interrupted"')) {
    assert.ok(finished && count === STEPS, text);
    return 'over';
  }
  // The running command is the last entry, and the only one that may have failed.
  assert.deepEqual(document, {
    workflow: 'x',
    steps: Array.from({ length: count }, (_, index) => ({
      ...entry(index),
      exit_code: index === count - 1 ? last : 0,
    })),
    error: { command: HOOK, exit_code: 0 },
    success: false,
    interrupted: 'SIGINT',
  });
  assert.ok(last === 0 || last === 130, text);
  const endings = (['not started', 'started', 'ended'] as const).map((state) =>
    [...expectedLog(count, state), 'hook'].join(),
  );
  // Ctrl-C may end only the first part of a pipeline. Its last part then succeeds, and bash continues.
  if (count % 5 === 0) endings.push([...expectedLog(count, 'not started'), `end ${count}`, 'hook'].join());
  assert.ok(endings.includes(log.join()), `${log.join()} is none of\n${endings.join('\n')}`);
  return 'interrupted';
}

/** The log of the steps, depending on the progress of the last one. */
function expectedLog(count: number, last: 'not started' | 'started' | 'ended'): string[] {
  const all = Array.from({ length: count }, (_, index) => [`start ${index + 1}`, `end ${index + 1}`]);
  const missing = { 'not started': 2, started: 1, ended: 0 }[last];
  const logged = all.flat();
  return logged.slice(0, logged.length - missing);
}

describe('Ctrl-C at any moment of thirty short steps', { concurrency: AT_ONCE, ...LINUX, ...needs('python3') }, () => {
  const all = moments();
  for (let worker = 0; worker < AT_ONCE; worker += 1) {
    test(`Ctrl-C at random moments leaves one document and starts no later step (part ${worker + 1} of ${AT_ONCE})`, async (t) => {
      const ends: string[] = [];
      for (const [index, { step, after }] of all.entries()) {
        if (index % AT_ONCE !== worker) continue;
        const subject = bench(t, FILE);
        const shown = runInTerminal(subject, 'x');
        if (step > 0) await subject.logged(`start ${step}`);
        await delay(after);
        shown.type(CTRL_C);
        const end = await shown.ended;
        try {
          ends.push(check(subject, end));
        } catch (error) {
          t.diagnostic(`FUZZ_SEED=${SEED}, ${after} ms after step ${step} began`);
          throw error;
        }
      }
      t.diagnostic(`seed ${SEED}: ${ends.toSorted().join(', ')}`);
    });
  }
});
