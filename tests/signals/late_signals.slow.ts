import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { describe, test, type TestContext } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import * as v from 'valibot';
import { COMMAND, commandWith, workflowDirectory } from '../support/cli.ts';
import { LINUX } from '../support/processes/shell.ts';
import { random, SEED } from '../support/random/random.ts';

const RUNS = Number(process.env['KILLS'] ?? 12);
const AT_ONCE = 2;
/** The longest time between the end of the last command and the signal, in milliseconds. */
const WINDOW = 15;
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT'] as const;

/** Workflows whose last command is a step, a hook, or a member of a group. */
const FILES = [
  { workflows: { x: { steps: ['true', 'echo last >&2'] } } },
  { finally: 'echo last >&2', workflows: { x: { steps: ['true'] } } },
  { error: 'true', workflows: { x: { steps: [{ parallel: ['true', 'sleep 0.05; echo last >&2'] }] } } },
];

const Result = v.object({ success: v.boolean(), interrupted: v.nullish(v.string(), null) });

function resultIn(json: string): object | string {
  try {
    return v.parse(Result, JSON.parse(json));
  } catch {
    return json;
  }
}

const all = (exit: unknown, result: object): object => ({ exit, document: result, report: result, record: result });

/** The moments after the end of a run, as JavaScript: a write of some text, or to a descriptor. */
const MOMENTS = {
  'its record is written': `atWrite((_, text) => text.includes('"kind":"finish"'))`,
  'its report is written': `atWrite((_, text) => text.includes('"interrupted": null'))`,
  'its document is written': `atWrite((descriptor) => descriptor === 1)`,
  'its process exits': `process.on('exit', signal)`,
};

/** The moment at which the process waits for a turn of the event loop after the end of the last command, from 1. */
const atTurn = (turn: number): string => `
  let turns = -Infinity;
  atWrite((_, text) => {
    if (text.includes('"kind":"end"')) turns = 0;
    return false;
  });
  const { setImmediate } = globalThis;
  globalThis.setImmediate = (...args) => {
    turns += 1;
    if (turns === ${turn}) signal();
    return setImmediate(...args);
  }`;

/** A program that sends SIGTERM to its process at a moment. */
const programOf = (moment: string): string => `
  import fs from 'node:fs';
  import { syncBuiltinESMExports } from 'node:module';
  let isSent = false;
  const signal = () => {
    if (!isSent) process.kill(process.pid, 'SIGTERM');
    isSent = true;
  };
  const atWrite = (isMoment) => {
    for (const name of ['write', 'writeSync']) {
      const write = fs[name];
      fs[name] = (...args) => {
        if (isMoment(args[0], String(args[1]))) signal();
        return write(...args);
      };
    }
    syncBuiltinESMExports();
  };
  ${moment};`;

/** Runs a workflow and sends a signal after its last command has printed. Returns what says how the run ended. */
async function signalled(t: TestContext, file: object, signal: NodeJS.Signals, after: number): Promise<object> {
  const cwd = workflowDirectory(t, file);
  const { runner, ended } = start(cwd, COMMAND);
  await new Promise<void>((resolve) => {
    let printed = '';
    runner.stderr.on('data', (chunk: Buffer) => {
      printed += String(chunk);
      if (/(?:^|│ )last$/m.test(printed)) resolve();
    });
  });
  await delay(after);
  runner.kill(signal);
  return ended;
}

/** Starts the recorded run of a directory. `ended` settles with what says how the run ended. */
function start(cwd: string, [program = '', ...args]: readonly string[]) {
  const env = { ...process.env, CLI_NO_JOURNAL: undefined };
  const words = [...args, 'workflow', 'run', 'x', '--report', 'report.json'];
  const runner = spawn(program, words, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] });
  const exit = new Promise((resolve) => runner.once('close', (code, by) => resolve(by ?? code)));
  return {
    runner,
    ended: Promise.all([exit, text(runner.stdout)]).then(([end, document]) => endOf(cwd, end, document)),
  };
}

function endOf(cwd: string, exit: unknown, document: string): object {
  const runs = join(cwd, '.cli/runs');
  const [run = ''] = existsSync(runs) ? readdirSync(runs).filter((name) => name !== '.gitignore') : [];
  const records = readFileSync(join(runs, run, 'session-1.ndjson'), 'utf8')
    .trimEnd()
    .split('\n');
  return {
    exit,
    document: resultIn(document),
    report: resultIn(readFileSync(join(cwd, 'report.json'), 'utf8')),
    record: resultIn(records.at(-1) ?? ''),
  };
}

describe('a signal after the last command', { concurrency: AT_ONCE, ...LINUX }, () => {
  const source = random(SEED);
  const cases = Array.from({ length: RUNS }, () => ({
    file: source.pick(FILES),
    signal: source.pick(SIGNALS),
    after: source.below(WINDOW + 1),
  }));
  for (const [moment, code] of Object.entries(MOMENTS)) {
    test(`a signal when ${moment} comes too late, and changes nothing`, async (t) => {
      const cwd = workflowDirectory(t, { workflows: { x: { steps: ['true'] } } });
      const { runner, ended } = start(cwd, commandWith(cwd, programOf(code)));
      runner.stderr.resume();
      assert.deepEqual(await ended, all(0, { success: true, interrupted: null }));
    });
  }
  for (const turn of [1, 2, 3, 4]) {
    test(`a signal in turn ${turn} of the event loop after the last command interrupts the run`, async (t) => {
      const cwd = workflowDirectory(t, { workflows: { x: { steps: ['true'] } } });
      const { runner, ended } = start(cwd, commandWith(cwd, programOf(atTurn(turn))));
      runner.stderr.resume();
      assert.deepEqual(await ended, all('SIGTERM', { success: false, interrupted: 'SIGTERM' }));
    });
  }
  for (let worker = 0; worker < AT_ONCE; worker += 1) {
    test(`a signal up to ${WINDOW} ms after the last command is in document, report, record and exit, or in none (part ${worker + 1} of ${AT_ONCE})`, async (t) => {
      const ends: string[] = [];
      for (const [index, { file, signal, after }] of cases.entries()) {
        if (index % AT_ONCE !== worker) continue;
        const end = await signalled(t, file, signal, after);
        const isOver = 'exit' in end && end.exit === 0;
        const expected = isOver
          ? all(0, { success: true, interrupted: null })
          : all(signal, { success: false, interrupted: signal });
        assert.deepEqual(end, expected, `FUZZ_SEED=${SEED}, ${signal} ${after} ms after ${JSON.stringify(file)}`);
        ends.push(isOver ? 'over' : 'interrupted');
      }
      t.diagnostic(`seed ${SEED}: ${ends.toSorted().join(', ')}`);
    });
  }
});
