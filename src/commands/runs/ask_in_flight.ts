import { readSync } from 'node:fs';
import { isatty } from 'node:tty';
import { whenReady } from '../../backend/system/sleep.ts';
import { write } from '../../backend/system/write.ts';
import type { Answers } from '../../driver/runs/match_run.ts';
import { say, type Io } from '../../output/io.ts';

/** A step in flight: its op, and the question about it. */
export type Question = Readonly<{ op: number; text: string }>;

const CHOICES = ['again', 'done', 'stop'] as const;

/** Whether questions can be asked: both the answers and the questions go to a terminal. */
export function canAsk({ stdin, stderr }: Io): boolean {
  return isatty(stdin) && isatty(stderr);
}

/** Asks what becomes of each step in flight; undefined if the resume is to stop. */
export function askInFlight(io: Io, questions: readonly Question[]): Answers | undefined {
  const answers = { done: new Set<number>(), rerun: new Set<number>() };
  for (const { op, text } of questions) {
    say(io, [text], 'cli: ');
    const choice = ask(io);
    if (choice === 'stop') return undefined;
    answers[choice === 'done' ? 'done' : 'rerun'].add(op);
  }
  return answers;
}

/** Asks until there is an answer. The end of the input means stop. */
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

/** A line of the terminal, read without Node's stream, which would take the input of steps. */
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
