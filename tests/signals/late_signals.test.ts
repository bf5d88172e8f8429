import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { describe, test, type TestContext } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import * as v from 'valibot';
import { COMMAND, workflowDirectory } from '../support/cli.ts';
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

/** Runs a workflow and sends a signal after its last command has printed. Returns what says how the run ended. */
async function signalled(t: TestContext, file: object, signal: NodeJS.Signals, after: number): Promise<object> {
  const cwd = workflowDirectory(t, file);
  const [program, ...args] = COMMAND;
  const env = { ...process.env, CLI_NO_JOURNAL: undefined };
  const runner = spawn(program, [...args, 'workflow', 'run', 'x', '--report', 'report.json'], {
    cwd,
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const stdout = text(runner.stdout);
  const ended = new Promise((resolve) => runner.once('close', (code, by) => resolve(by ?? code)));
  await new Promise<void>((resolve) => {
    let printed = '';
    runner.stderr.on('data', (chunk: Buffer) => {
      printed += String(chunk);
      if (/(?:^|│ )last$/m.test(printed)) resolve();
    });
  });
  await delay(after);
  runner.kill(signal);
  const exit = await ended;
  const document = await stdout;
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
