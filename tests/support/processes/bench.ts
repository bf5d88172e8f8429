import { spawn } from 'node:child_process';
import { closeSync, existsSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { COMMAND, COMMAND_LINE, ROOT, workflowDirectory, type CommandResult } from '../cli.ts';
import { commandIfAlive, describeState, killIfAlive } from './processes.ts';
import { CTRL_C, terminal, type Terminal } from './terminal.ts';
import { atTimeLimit, until } from '../until.ts';

/** A directory in which a workflow runs whose steps record their signals and processes. */
export interface Bench {
  readonly t: TestContext;
  readonly cwd: string;
  /** The text of a file; empty if it does not exist. */
  readonly read: (name: string) => string;
  /** The lines written by steps and hooks so far. */
  log(): string[];
  /** Waits for lines in the log, in any order. */
  logged(...lines: readonly string[]): Promise<void>;
  /** The document printed by cli, as data; undefined if nothing was printed. */
  document(): unknown;
  /** The processes recorded by steps, each as its line of /proc/<pid>/stat. */
  processes(): string[];
  /** The command lines of the processes that are still alive, which are killed. */
  survivors(): string[];
  /** Waits until the processes that are still alive have these command lines, and kills them. */
  leaves(...commands: readonly string[]): Promise<void>;
}

export function bench(t: TestContext, file: unknown): Bench {
  const cwd = workflowDirectory(t, file);
  const read = (name: string): string => {
    const path = join(cwd, name);
    return existsSync(path) ? readFileSync(path, 'utf8') : '';
  };
  const lines = (name: string): string[] => read(name).split('\n').slice(0, -1);
  const log = (): string[] => lines('log');
  const processes = (): string[] => lines('processes');
  return {
    t,
    cwd,
    read,
    log,
    logged: (...expected) =>
      until(
        () => expected.every((line) => log().includes(line)),
        () => `the log has ${expected.join(', ')}, not ${log().join(', ')}`,
      ),
    document: () => {
      const text = read('out.json');
      return text === '' ? undefined : JSON.parse(text);
    },
    processes,
    survivors: () => processes().flatMap(killIfAlive),
    leaves: async (...commands) => {
      const alive = (): string[] => processes().flatMap(commandIfAlive);
      await until(
        () => alive().join() === commands.join(),
        () => `${commands.join(', ')} are left, not ${alive().join(', ')}`,
      );
      processes().forEach(killIfAlive);
    },
  };
}

/** The command of a step that counts signals, see step.mjs. */
export function step(
  name: string,
  manner: 'is terminated' | 'exits with 0' | 'ignores' | 'cleans up' = 'is terminated',
): string {
  const file = join(ROOT, 'tests/support/processes/step.mjs');
  return `'${process.execPath}' '${file}' ${name} '${manner}'`;
}

/** The command of a process that only waits, see hold.sh. */
export function hold(name: string): string {
  return `bash '${join(ROOT, 'tests/support/processes/hold.sh')}' ${name}`;
}

/** A shell command that waits until the log contains a line. */
export function waitFor(line: string): string {
  return `until grep -qsx '${line}' log; do sleep 0.01; done`;
}

/** A shell command that runs a workflow and writes its document to a file. */
export function runCommand(workflow: string, more = '>out.json'): string {
  return `${COMMAND_LINE} workflow run ${workflow} ${more}`;
}

/** Runs a workflow in a new terminal, with cli as the session leader. */
export function runInTerminal({ t, cwd }: Bench, workflow: string): Terminal {
  return terminal(t, cwd, 'bash', ['-c', `exec ${runCommand(workflow)}`]);
}

/** Runs a workflow in a terminal, and presses Ctrl-C when the log contains a line. */
export async function interruptAt(subject: Bench, workflow: string, line: string): Promise<Awaited<Terminal['ended']>> {
  const shown = runInTerminal(subject, workflow);
  await subject.logged(line);
  shown.type(CTRL_C);
  return shown.ended;
}

/** A process of cli without a terminal. */
export interface Running {
  readonly pid: number;
  /** Settles when the process has ended, even if another process still holds its output. */
  readonly ended: Promise<CommandResult>;
}

/** Starts cli in a session without a terminal, even if the tests have one. Its output is written to files. */
export function runDetached(
  { t, cwd, read }: Bench,
  args: readonly string[],
  command: readonly string[] = COMMAND,
): Running {
  const [file = '', ...first] = command;
  const [out, err] = [join(cwd, 'out.json'), join(cwd, 'err.txt')];
  const descriptors = [openSync(out, 'w'), openSync(err, 'w')] as const;
  const stdio = ['ignore', ...descriptors] as const;
  const child = spawn(file, [...first, ...args], { cwd, detached: true, stdio: [...stdio] });
  for (const descriptor of descriptors) closeSync(descriptor);
  const written = (): string => `log: ${read('log')}standard error: ${read('err.txt')}`;
  atTimeLimit(t, () => `${describeState(child)}: ${file} ${args.join(' ')}\n${written()}`);
  t.after(() => child.kill('SIGKILL'));
  const ended = new Promise<CommandResult>((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (code, signal) => {
      const [stdout, stderr] = [readFileSync(out, 'utf8'), readFileSync(err, 'utf8')];
      resolve({ code, signal, stdout, stderr });
    });
  });
  if (child.pid === undefined) throw new Error(`${file} could not be started`);
  return { pid: child.pid, ended };
}

/** The start of a command in a session of its own. */
export const SETSID = `perl "${join(ROOT, 'tests/support/processes/session.pl')}"`;

/** Starts processes of every kind that a step may leave. */
export const FAMILY = [
  `${hold('background')} &`,
  `${SETSID} ${hold('session')} &`,
  `( ${hold('orphan')} & )`,
  `${SETSID} bash -c "( ${hold('daemon')} & )" &`,
  `( trap '' INT HUP; exec ${hold('ignoring')} ) &`,
].join('\n');
export const FAMILY_READY = ['background', 'daemon', 'ignoring', 'orphan', 'session'].map((name) => `${name} ready`);
