import { spawnSync } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
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
  readonly cwd: string;
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
  return { recorded: readFileSync(recording, 'utf8').split('\0').slice(0, -1), stderr, cwd };
}
