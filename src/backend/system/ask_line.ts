import { spawn, type ChildProcess } from 'node:child_process';
import type { Shell } from './find_shell.ts';
import { SIGNALS } from '../command_runner.ts';
import { runProgram } from './run_program.ts';
import { write } from './write.ts';

/** A line that the user typed, the signal that ended the question, or no answer at all. */
export type Answer =
  | Readonly<{ kind: 'line'; text: string }>
  | Readonly<{ kind: 'signal'; signal: NodeJS.Signals }>
  | Readonly<{ kind: 'none' }>;

/** A terminal, as descriptors for reading and writing, and a shell that reads from it. */
type Terminal = Readonly<{ stdin: number; stderr: number; shell: Shell }>;

/**
 * Prints a prompt and reads a line from the terminal, without echo if it is secret. A shell reads it, byte by byte, so
 * that text typed ahead is left for the steps, and a signal need not end a pending read of this process.
 */
export async function askLine(terminal: Terminal, prompt: string, isSecret: boolean): Promise<Answer> {
  const { stdin, stderr } = terminal;
  const state = isSecret ? runProgram('stty', ['-g'], { stdin }) : undefined;
  if (state !== undefined && !(state.ok && state.value.exitCode === 0)) return { kind: 'none' };
  const saved = state?.value.stdout.trim();
  const question = new Question();
  try {
    if (saved !== undefined) runProgram('stty', ['-echo'], { stdin });
    write(stderr, [prompt]);
    return await question.read(terminal);
  } finally {
    if (saved !== undefined) {
      runProgram('stty', [saved], { stdin });
      // The line break was not shown.
      write(stderr, ['\n']);
    }
    question.close();
  }
}

/** A question, during which signals end the shell that reads the answer, and do not leave the terminal without echo. */
class Question {
  #signal: NodeJS.Signals | undefined;
  #child: ChildProcess | undefined;
  readonly #onSignal = (signal: NodeJS.Signals): void => {
    this.#signal ??= signal;
    this.#child?.kill('SIGKILL');
  };

  constructor() {
    for (const signal of SIGNALS) process.on(signal, this.#onSignal);
  }

  async read({ stdin, stderr, shell }: Terminal): Promise<Answer> {
    if (this.#signal !== undefined) return { kind: 'signal', signal: this.#signal };
    const child = spawn(shell.file, [...shell.args, 'IFS= read -r line && printf %s "$line"'], {
      stdio: [stdin, 'pipe', stderr],
      env: {},
    });
    this.#child = child;
    const chunks: Buffer[] = [];
    child.stdout?.on('data', (chunk: Buffer) => chunks.push(chunk));
    const code = await new Promise<number | null>((resolve, reject) => {
      child.once('error', reject);
      child.once('close', (exit, by) => {
        // A terminal sends its signals to both processes.
        this.#signal ??= SIGNALS.find((signal) => signal === by);
        resolve(exit);
      });
    });
    if (this.#signal !== undefined) return { kind: 'signal', signal: this.#signal };
    return code === 0 ? { kind: 'line', text: Buffer.concat(chunks).toString() } : { kind: 'none' };
  }

  /** Restores the default handling of signals. */
  close(): void {
    for (const signal of SIGNALS) process.removeListener(signal, this.#onSignal);
  }
}
