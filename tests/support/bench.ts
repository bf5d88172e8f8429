import { spawn } from 'node:child_process';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { CLI, ROOT, workflowFolder, type Finished } from './cli.ts';
import { CTRL_C, terminal, type Terminal } from './terminal.ts';
import { until } from './until.ts';

/** A folder in which a workflow runs whose steps write down what happens to them. */
export interface Bench {
  readonly cwd: string;
  /** The lines that steps and hooks wrote so far. */
  log(): string[];
  /** Waits for lines in the log, in any order. */
  logged(...lines: readonly string[]): Promise<void>;
  /** The document that the runner printed, as data; undefined if it printed nothing. */
  document(): unknown;
  /** The command lines of recorded processes that still live; they are killed. */
  survivors(): string[];
}

export function bench(t: TestContext, file: unknown): Bench {
  const cwd = workflowFolder(t, file);
  const read = (name: string): string => readIfThere(join(cwd, name)) ?? '';
  const log = (): string[] => lines(read('log'));
  return {
    cwd,
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
    survivors: () => lines(read('processes')).flatMap(endIfAlive),
  };
}

/** The command of a step that counts signals, see step.mjs. */
export function step(
  name: string,
  manner: 'dies' | 'exits 0' | 'ignores' | 'cleans up' = 'dies',
): string {
  const file = join(ROOT, 'tests/support/step.mjs');
  return `'${process.execPath}' '${file}' ${name} '${manner}'`;
}

/** The command of a process that only lives, see hold.sh. */
export function hold(name: string): string {
  return `bash '${join(ROOT, 'tests/support/hold.sh')}' ${name}`;
}

/** A shell command that runs a workflow. Its document goes to a file. */
export function runCommand(workflow: string, more = '>out.json'): string {
  return `'${process.execPath}' '${CLI}' workflow run ${workflow} ${more}`;
}

/** Runs a workflow in a terminal of its own. The runner is the session leader. */
export function runInTerminal({ cwd }: Bench, workflow: string): Terminal {
  return terminal(cwd, 'bash', ['-c', `exec ${runCommand(workflow)}`]);
}

/** Runs a workflow in a terminal, and presses Ctrl-C when the log has a line. */
export async function interruptAt(
  subject: Bench,
  workflow: string,
  line: string,
): Promise<Awaited<Terminal['ended']>> {
  const shown = runInTerminal(subject, workflow);
  await subject.logged(line);
  shown.type(CTRL_C);
  return shown.ended;
}

/** A runner without a terminal. */
export interface Running {
  readonly pid: number;
  /** Settles when the process has ended, whoever still holds its output. */
  readonly ended: Promise<Finished>;
}

/** Starts the tool in a session without a terminal; its output goes to files. */
export function runDetached(
  { cwd }: Bench,
  args: readonly string[],
  launcher: readonly string[] = [process.execPath],
): Running {
  const [file = '', ...first] = launcher;
  const [out, err] = [join(cwd, 'out.json'), join(cwd, 'err.txt')];
  const descriptors = [openSync(out, 'w'), openSync(err, 'w')] as const;
  const stdio = ['ignore', ...descriptors] as const;
  const child = spawn(file, [...first, CLI, ...args], { cwd, detached: true, stdio: [...stdio] });
  for (const descriptor of descriptors) closeSync(descriptor);
  const ended = new Promise<Finished>((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (code, signal) => {
      const [stdout, stderr] = [readFileSync(out, 'utf8'), readFileSync(err, 'utf8')];
      resolve({ code, signal, stdout, stderr });
    });
  });
  if (child.pid === undefined) throw new Error(`${file} could not be started`);
  return { pid: child.pid, ended };
}

/** The state letter of a process as proc(5) has it, such as T for stopped; undefined when gone. */
export function processState(stat: string): string | undefined {
  const now = readIfThere(`/proc/${Number.parseInt(stat, 10)}/stat`);
  if (now === undefined || startTime(now) !== startTime(stat)) return undefined;
  return fields(now)[0];
}

function endIfAlive(stat: string): string[] {
  const state = processState(stat);
  if (state === undefined || state === 'Z' || state === 'X') return [];
  const pid = Number.parseInt(stat, 10);
  const command = readIfThere(`/proc/${pid}/cmdline`) ?? '';
  process.kill(pid, 'SIGKILL');
  return [`${state} ${command.replaceAll('\0', ' ').trim()}`];
}

/** Fields of proc(5) after the command's name. */
function fields(stat: string): string[] {
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ');
}

function startTime(stat: string): string | undefined {
  return fields(stat)[19];
}

function lines(text: string): string[] {
  return text.split('\n').filter((line) => line !== '');
}

function readIfThere(file: string): string | undefined {
  try {
    return readFileSync(file, 'latin1');
  } catch {
    // Nobody has written it yet, or the process is gone.
    return undefined;
  }
}
