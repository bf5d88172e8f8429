import { spawn, type ChildProcess } from 'node:child_process';
import { text } from 'node:stream/consumers';
import type { FromRunProcess, RunEnd, ToRunProcess, WorkerSettings } from '../../../../src/internal.ts';
import type { StoredRecords } from '../store/sessions.ts';
import type { LogBuffer } from './log_buffer.ts';

/**
 * An event of a run's process: records, the end of the run, its refusal, a message that cannot be read, or the death of
 * the process before that end.
 */
export type ProcessEvent = Readonly<
  | { kind: 'records'; number: number; records: StoredRecords }
  | { kind: 'end'; end: RunEnd }
  | { kind: 'refused' }
  | { kind: 'unreadable' }
  | { kind: 'gone'; how: string }
>;

/** The process's command, directory and environment, and the check of its messages. */
export type ProcessSettings = Readonly<{
  command: readonly [file: string, ...args: string[]];
  cwd: string;
  env: Readonly<Record<string, string | undefined>>;
  readMessage: WorkerSettings['readMessage'];
}>;

/** The process that executes a run. It leads its own process group, so that signals to the worker's do not reach it. */
export class RunProcess {
  readonly #child: ChildProcess;
  readonly #events: ProcessEvent[] = [];
  readonly #onChange: () => void;
  #hasEnded = false;
  /** Settles when the process has exited, or could not be started. */
  readonly exited: Promise<void>;

  constructor({ command, cwd, env, readMessage }: ProcessSettings, log: LogBuffer, onChange: () => void) {
    this.#onChange = onChange;
    const [file, ...args] = command;
    const stdio = ['ignore', 'pipe', 'pipe', 'ipc'] as const;
    this.#child = spawn(file, args, { cwd, env, detached: true, stdio: [...stdio] });
    const { stdout, stderr } = this.#child;
    if (stdout === null || stderr === null) throw new Error('a process without pipes');
    const document = text(stdout);
    log.follow(stderr);
    this.#child.on('message', (message: unknown) => {
      void this.#receive(readMessage(message) ?? { kind: 'unreadable' }, document);
    });
    this.#child.once('error', ({ message }) => this.#add({ kind: 'gone', how: message }));
    this.exited = new Promise((resolve) => {
      for (const event of ['exit', 'error']) this.#child.once(event, () => resolve());
    });
    const disconnected = new Promise<void>((resolve) => void this.#child.once('disconnect', resolve));
    this.#child.once('exit', (code, signal) => {
      // The end message may still be in the channel.
      void disconnected.then(() => this.#addGone(signal ?? `exit code ${code}`));
    });
  }

  /** The oldest event. `take` removes it. */
  get next(): ProcessEvent | undefined {
    return this.#events[0];
  }

  take(): void {
    this.#events.shift();
  }

  /** Sends the run and its records to the process. */
  begin(run: Omit<ToRunProcess & { kind: 'run' }, 'kind'>): void {
    this.#send({ kind: 'run', ...run });
  }

  /** Acknowledges records once they are durable. */
  stored(number: number): void {
    this.#send({ kind: 'stored', number });
  }

  signal(signal: NodeJS.Signals): void {
    this.#send({ kind: 'signal', signal });
  }

  /** Closes the channel, upon which the process ends its children and itself. */
  abandon(): void {
    if (this.#child.connected) this.#child.disconnect();
  }

  #send(message: ToRunProcess): void {
    if (this.#child.connected) this.#child.send(message, () => undefined);
  }

  async #receive(message: FromRunProcess | { kind: 'unreadable' }, document: Promise<string>): Promise<void> {
    if (message.kind === 'ready') return;
    this.#hasEnded ||= message.kind !== 'records';
    if (message.kind !== 'end') {
      this.#add(message);
      return;
    }
    const { code, interrupted } = message;
    this.#add({ kind: 'end', end: { document: await document, code, interrupted } });
  }

  #addGone(how: string): void {
    if (!this.#hasEnded) this.#add({ kind: 'gone', how });
  }

  #add(event: ProcessEvent): void {
    this.#events.push(event);
    this.#onChange();
  }
}
