import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { closeSync, mkdirSync, mkdtempSync, openSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';

/** The shells that the tool runs commands with. On Debian `sh` is dash, which has nothing but what POSIX has. */
export const SHELLS = ['bash', 'sh'] as const;

/** How arguments are recorded: by the shell, which is fast, or by a program, to which the system hands them. */
export type Recorder = 'shell' | 'program';

/** What commands can call. Everything is recorded at descriptor 3, each text with a NUL after it. */
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

/** Runs a script in an empty folder, and gives what its calls of `record` and `input` have recorded. */
export function runRecording(
  t: TestContext,
  shell: string,
  script: string,
  env: Readonly<Record<string, string>>,
  recorder: Recorder = 'shell',
): Recording {
  const folder = mkdtempSync(join(tmpdir(), 'recording-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const cwd = mkdtempSync(join(folder, 'cwd-'));
  const [file, recording] = [join(folder, 'script'), join(folder, 'recording')];
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

/**
 * Runs each command in a subshell of its own, in one folder, so that one start of a shell is enough for hundreds.
 * Gives what each has recorded, undefined if it did not get to its end, and the names of the files in the folder.
 */
export function runEach(
  t: TestContext,
  shell: string,
  runs: readonly Run[],
): { readonly recorded: readonly (readonly string[] | undefined)[]; readonly files: readonly string[] } {
  const folder = mkdtempSync(join(tmpdir(), 'recording-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const lines = runs.map(({ command }, index) => {
    writeFileSync(join(folder, `command${index}`), `${command}\nprintf 'end\\0' >&3\n`);
    return `( ulimit -t 1; ulimit -f 999; V=$V${index}; . ../command${index} ) 3>../recorded${index} 2>/dev/null\n`;
  });
  writeFileSync(join(folder, 'script'), FUNCTIONS('printf') + lines.join(''));
  const cwd = join(folder, 'cwd');
  mkdirSync(cwd);
  const env = Object.fromEntries(runs.map(({ value }, index) => [`V${index}`, value]));
  const { PATH = '' } = process.env;
  const { status } = spawnSync(shell, ['../script'], {
    cwd,
    env: { PATH, HOME: '/', ...env },
    stdio: 'ignore',
    timeout: 20_000,
  });
  assert.notEqual(status, null);
  const recorded = runs.map((_, index) => {
    const texts = readFileSync(join(folder, `recorded${index}`), 'utf8')
      .split('\0')
      .slice(0, -1);
    return texts.at(-1) === 'end' ? texts.slice(0, -1) : undefined;
  });
  return { recorded, files: readdirSync(cwd) };
}
