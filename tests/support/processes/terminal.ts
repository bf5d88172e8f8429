import { spawn } from 'node:child_process';
import { constants } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { TestContext } from 'node:test';
import { ROOT } from '../cli.ts';
import { describeState } from './processes.ts';
import { atTimeLimit, until } from '../until.ts';

/** A program in a new terminal, of which it is the session leader. */
export interface Terminal {
  /** Presses keys. */
  type(keys: string): void;
  /** Waits until the terminal has shown a text; returns everything shown so far. */
  shows(text: string): Promise<string>;
  /** Closes the terminal, like closing its window. */
  close(): void;
  /** How the program ended. */
  readonly ended: Promise<End>;
}

/** The end of a process, as reported to its parent. */
export interface End {
  readonly code: number | null;
  readonly signal: string | null;
}

export const CTRL_C = '\x03';
export const CTRL_Z = '\x1a';

/** Starts a program in a new terminal, which closes at the end of the test at the latest. */
export function terminal(
  t: TestContext,
  cwd: string,
  file: string,
  args: readonly string[],
  env: Readonly<Record<string, string | undefined>> = { TERM: 'dumb' },
): Terminal {
  // Without its installed packages, Python starts in a third of the time.
  const child = spawn('python3', ['-IS', join(ROOT, 'tests/support/processes/terminal.py'), file, ...args], {
    cwd,
    env: { ...process.env, NODE_EXTRA_CA_CERTS: undefined, ...env },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  // An ended program does not read keys.
  child.stdin.on('error', () => undefined);
  let screen = '';
  atTimeLimit(t, () => `${describeState(child)}: ${file} ${args.join(' ')}\n${screen}`);
  t.after(() => child.stdin.end());
  const ended = new Promise<End>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', () => reject(new Error('the terminal ended without a word')));
    createInterface({ input: child.stdout }).on('line', (line) => {
      const [kind, value] = splitOnce(line);
      if (kind === 'shows') screen += String(JSON.parse(value));
      else if (kind === 'exit') resolve({ code: Number(value), signal: null });
      else resolve({ code: null, signal: signalName(Number(value)) });
    });
  });
  return {
    type: (keys) => child.stdin.write(`type ${JSON.stringify(keys)}\n`),
    async shows(text) {
      await until(
        () => screen.includes(text),
        () => `the terminal shows ${JSON.stringify(text)}, not ${JSON.stringify(screen)}`,
      );
      return screen;
    },
    close: () => child.stdin.write('close\n'),
    ended,
  };
}

function splitOnce(line: string): [string, string] {
  const space = line.indexOf(' ');
  return [line.slice(0, space), line.slice(space + 1)];
}

function signalName(number: number): string {
  const found = Object.entries(constants.signals).find(([, value]) => value === number);
  return found === undefined ? `signal ${number}` : found[0];
}
