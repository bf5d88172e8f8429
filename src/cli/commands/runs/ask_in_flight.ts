import { readSync } from 'node:fs';
import { whenReady } from '../../../backend/system/sleep.ts';
import { write } from '../../../backend/system/write.ts';
import type { Question } from '../../run_data/resume_plan.ts';
import type { Answers } from '../../driver/recording/match_run.ts';
import { printStderr, type Io } from '../../output/io.ts';
import { isTerminal } from '../../output/terminal.ts';

const CHOICES = ['again', 'done', 'stop'] as const;

/** Whether questions can be asked: standard input and standard error are terminals. */
export function canAsk({ stdin, stderr }: Io): boolean {
  return isTerminal(stdin) && isTerminal(stderr);
}

/** Asks about each step whose end is unknown. Returns undefined if the user chooses to stop. */
export function askInFlight(io: Io, questions: readonly Question[]): Answers | undefined {
  const answers = { done: new Set<number>(), rerun: new Set<number>() };
  for (const { op, text } of questions) {
    printStderr(io, [text], 'cli: ');
    const choice = ask(io);
    if (choice === 'stop') return undefined;
    answers[choice === 'done' ? 'done' : 'rerun'].add(op);
  }
  return answers;
}

/** Repeats the question until there is a valid answer. The end of the input means stop. */
function ask(io: Io): (typeof CHOICES)[number] {
  for (;;) {
    write(io.stderr, ['cli: run it (again), count it as (done), or (stop)? ']);
    const line = readLine(io.stdin);
    if (line === undefined) return 'stop';
    const answer = line.trim().toLowerCase();
    const choice = CHOICES.find((each) => answer !== '' && each.startsWith(answer));
    if (choice !== undefined) return choice;
  }
}

/** Reads a line from the terminal without Node's stream, which would read ahead and take input meant for steps. */
function readLine(descriptor: number): string | undefined {
  const bytes: number[] = [];
  const byte = Buffer.alloc(1);
  for (;;) {
    if (whenReady(() => readSync(descriptor, byte)) === 0) return undefined;
    if (byte[0] === LINE_BREAK) return Buffer.from(bytes).toString();
    bytes.push(byte[0] ?? 0);
  }
}

const LINE_BREAK = 0x0a;
