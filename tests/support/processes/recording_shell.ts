import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { closeSync, mkdirSync, mkdtempSync, openSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';

/** The shells in which cli runs commands. On Debian `sh` is dash, which supports little beyond POSIX. */
export const SHELLS = ['bash', 'sh'] as const;

/** The recorder of arguments: the shell, which is fast, or a program, to which the system passes them. */
export type Recorder = 'shell' | 'program';

/** Functions for commands. They record texts at descriptor 3, each followed by a NUL. */
const FUNCTIONS = (printf: string): string => `
record() { if [ $# != 0 ]; then ${printf} '%s\\0' "$@" >&3; fi; }
recordx() { record "$X"; }
input() { cat >&3; printf '\\0' >&3; }
keep() { printf '%s.' "$@"; }
no() { record no; }
`;

export interface Recording {
  readonly recorded: readonly string[];
  readonly stderr: string;
}

/** Runs a script in an empty directory, and returns the texts recorded by `record` and `input`. */
export function runRecording(
  t: TestContext,
  shell: string,
  script: string,
  env: Readonly<Record<string, string>>,
  recorder: Recorder = 'shell',
): Recording {
  const directory = mkdtempSync(join(tmpdir(), 'recording-'));
  t.after(() => rmSync(directory, { recursive: true, force: true }));
  const cwd = mkdtempSync(join(directory, 'cwd-'));
  const [file, recording] = [join(directory, 'script'), join(directory, 'recording')];
  writeFileSync(file, FUNCTIONS(recorder === 'shell' ? 'printf' : 'env printf') + script);
  const descriptor = openSync(recording, 'a');
  const { PATH = '' } = process.env;
  const { stderr } = spawnSync(shell, [file], {
    cwd,
    env: { PATH, HOME: '/', ...env },
    stdio: ['ignore', 'ignore', 'pipe', descriptor],
    encoding: 'utf8',
    timeout: 60_000,
  });
  closeSync(descriptor);
  return { recorded: readFileSync(recording, 'utf8').split('\0').slice(0, -1), stderr };
}

/** A command and the value of `$V` for it. */
export interface Run {
  readonly command: string;
  readonly value: string;
}

/** The result of a command: its recorded texts, its output, its exit code, and the files that it created. */
export interface Outcome {
  readonly recorded: readonly string[];
  readonly printed: string;
  readonly exit: string;
  readonly files: readonly string[];
}

/** Runs each command in its own subshell and directory, so that one start of a shell is enough for hundreds. */
export function runEach(shell: string, runs: readonly Run[]): readonly Outcome[] {
  const directory = mkdtempSync(join(tmpdir(), 'recording-'));
  try {
    const lines = runs.map(({ command, value }, index) => {
      mkdirSync(join(directory, `cwd${index}`));
      writeFileSync(join(directory, `command${index}`), `${command}\n`);
      // CPU time, because other tests run at the same time.
      const limits = 'ulimit -t 5; ulimit -f 999';
      const files = `3>recorded${index} >printed${index} 2>/dev/null`;
      const given = `V='${value.replaceAll("'", `'\\''`)}'`;
      return `( ${limits}; ${given}; cd cwd${index}; . ../command${index} ) ${files}; echo $? >exit${index}\n`;
    });
    writeFileSync(join(directory, 'script'), FUNCTIONS('printf') + lines.join(''));
    const { PATH = '' } = process.env;
    const { status } = spawnSync(shell, ['script'], { cwd: directory, env: { PATH, HOME: '/' }, stdio: 'ignore' });
    assert.notEqual(status, null);
    const read = (name: string): string => readFileSync(join(directory, name), 'utf8');
    return runs.map((_, index) => ({
      recorded: read(`recorded${index}`).split('\0').slice(0, -1),
      printed: read(`printed${index}`),
      exit: read(`exit${index}`),
      files: readdirSync(join(directory, `cwd${index}`)),
    }));
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}
