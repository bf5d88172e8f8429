import assert from 'node:assert/strict';
import { spawn, type ChildProcess, type StdioOptions } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import * as v from 'valibot';
import { systemTable } from '../../../src/backend/process/table/system_table.ts';
import { COMMAND, cliWithAnnouncements, workflowDirectory, type CommandResult } from '../cli.ts';
import { quickCliWithAnnouncements } from '../in_process.ts';
import { until } from '../until.ts';
import { ci } from '../workflow.ts';

/** A directory with a workflow file, whose runs are recorded. */
export interface Project {
  readonly cwd: string;
  /** Replaces the workflow file with one that contains the workflow `ci`. */
  readonly edit: (steps: readonly unknown[], rest?: object) => void;
  /** Runs `cli workflow …` to its end. A call waits for the one before. */
  readonly cli: (
    line: string | readonly string[],
    env?: Readonly<Record<string, string | undefined>>,
  ) => Promise<CommandResult>;
  /** The same in a process, at once. */
  readonly spawn: (line: string) => Promise<CommandResult>;
  /** Starts `cli workflow …` in a process group of its own, and waits until a step has written the file `ready`. */
  readonly start: (line: string) => Promise<ChildProcess>;
  /** The words written by steps to the file `effects`. */
  readonly effects: () => readonly string[];
  /** The path of the directory of the only run. */
  readonly run: () => string;
}

/** A step that writes its name to `effects`. */
export function effect(name: string, more: object = {}): object {
  return { name, run: `echo ${name} >> effects`, ...more };
}

/**
 * A step that writes its name, creates the file `ready`, and waits for the file `go`. Not for tests that interrupt it:
 * bash may ignore a SIGINT between two commands of the loop.
 */
export function waiting(name: string, more: object = {}): object {
  const command = `echo ${name} >> effects; : > ready; until [ -e go ]; do sleep 0.1; done; echo ${name}-end >> effects`;
  return { name, run: command, ...more };
}

/** The environment of recorded runs. */
const RECORDED = { CLI_NO_JOURNAL: undefined, NODE_EXTRA_CA_CERTS: undefined };

export function project(t: TestContext, steps: readonly unknown[], rest: object = {}): Project {
  const cwd = workflowDirectory(t, ci(steps, rest));
  const file = (name: string): string => join(cwd, name);
  return {
    cwd,
    edit: (changed, more = {}) => writeFileSync(file('.cli/workflow.json'), JSON.stringify(ci(changed, more))),
    cli: (line, env = {}) =>
      quickCliWithAnnouncements(['workflow', ...wordsOf(line)], { cwd, env: { ...RECORDED, ...env } }),
    spawn: (line) => cliWithAnnouncements(['workflow', ...wordsOf(line)], { cwd, env: RECORDED }),
    start: async (line) => {
      const child = startRecorded(cwd, wordsOf(line));
      t.after(() => crash(child));
      await until(
        () => existsSync(file('ready')),
        () => `${line} is ready`,
      );
      return child;
    },
    effects: () => (existsSync(file('effects')) ? readFileSync(file('effects'), 'utf8').split('\n').slice(0, -1) : []),
    run: () => {
      const [id, ...others] = readdirSync(file('.cli/runs')).filter((name) => name !== '.gitignore');
      assert.ok(id !== undefined && others.length === 0);
      return join(cwd, '.cli/runs', id);
    },
  };
}

function wordsOf(line: string | readonly string[]): readonly string[] {
  return typeof line === 'string' ? line.split(' ') : line;
}

/** Starts `cli workflow …` in a process group of its own. */
export function startRecorded(cwd: string, words: readonly string[], stdio: StdioOptions = 'ignore'): ChildProcess {
  const [program, ...first] = COMMAND;
  const env = { ...process.env, ...RECORDED };
  return spawn(program, [...first, 'workflow', ...words], { cwd, env, detached: true, stdio });
}

/** Kills a run at once, with all its processes, and waits for the end of all of them. */
export async function crash(child: ChildProcess): Promise<void> {
  const { pid } = child;
  if (pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  process.kill(-pid, 'SIGKILL');
  await ended;
  const table = await systemTable();
  await until(
    () => Array.from(table.all()).every(({ group }) => group !== pid),
    () => `the process group ${pid} has ended`,
  );
}

/** Kills the process of a run and leaves those of its steps. */
export async function killAlone(child: ChildProcess): Promise<void> {
  const ended = once(child, 'exit');
  child.kill('SIGKILL');
  await ended;
}

const Steps = v.object({
  steps: v.array(
    v.object({
      name: v.string(),
      exit_code: v.optional(v.nullable(v.number())),
      state: v.optional(v.string()),
      kept: v.optional(v.literal(true)),
    }),
  ),
});

/** The names, exit codes, states and marks of the steps of a document. */
export function stepsOf(stdout: string): readonly string[] {
  const { steps } = v.parse(Steps, JSON.parse(stdout));
  return steps.map(({ name, exit_code: code, state, kept }) => {
    const words = [name, code === null ? 'null' : code, state, kept && 'kept'];
    return words.filter((word) => word !== undefined).join(' ');
  });
}
