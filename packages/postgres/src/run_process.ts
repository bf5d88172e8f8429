import { spawn, type ChildProcess } from 'node:child_process';
import { text } from 'node:stream/consumers';
import type { RunRecord } from '../../../src/backend/replay/run_record.ts';
import type { FromRunProcess, RemoteRun, RunEnd, ToRunProcess } from '../../../src/driver/remote/engine.ts';
import type { LogBuffer } from './log_buffer.ts';

/** What the process of a run has told last: a record, its end, or that it is gone without one. */
export type Told = Readonly<
  { kind: 'record'; number: number; record: RunRecord } | { kind: 'end'; end: RunEnd } | { kind: 'gone'; how: string }
>;

/** The command of the process, and where it runs. */
export type ProcessSettings = Readonly<{
  command: readonly [file: string, ...args: string[]];
  cwd: string;
  env: Readonly<Record<string, string | undefined>>;
}>;

/** The process that carries out a run. It is the leader of its group, so that nothing of the worker's reaches it. */
export class RunProcess {
  readonly #child: ChildProcess;
  readonly #told: Told[] = [];
  readonly #onChange: () => void;
  #hasEnded = false;

  constructor({ command, cwd, env }: ProcessSettings, log: LogBuffer, onChange: () => void) {
    this.#onChange = onChange;
    const [file, ...args] = command;
    const stdio = ['ignore', 'pipe', 'pipe', 'ipc'] as const;
    this.#child = spawn(file, args, { cwd, env, detached: true, stdio: [...stdio] });
    const { stdout, stderr } = this.#child;
    if (stdout === null || stderr === null) throw new Error('a process without pipes');
    const document = text(stdout);
    log.follow(stderr);
    this.#child.on('message', (message: unknown) => {
      if (isFromRunProcess(message)) void this.#receive(message, document);
    });
    this.#child.once('error', ({ message }) => this.#tell({ kind: 'gone', how: message }));
    const disconnected = new Promise<void>((resolve) => void this.#child.once('disconnect', resolve));
    this.#child.once('exit', (code, signal) => {
      // The message of its end may still be on its way.
      void disconnected.then(() => this.#tellGone(signal ?? `exit code ${code}`));
    });
  }

  /** The next message, which stays until `take`. */
  get next(): Told | undefined {
    return this.#told[0];
  }

  take(): void {
    this.#told.shift();
  }

  /** Sends the run to the process. */
  begin(id: string, run: RemoteRun, records: readonly RunRecord[]): void {
    this.#send({ kind: 'run', id, run, records });
  }

  /** To be called when a record is durable. */
  stored(number: number): void {
    this.#send({ kind: 'stored', number });
  }

  signal(signal: NodeJS.Signals): void {
    this.#send({ kind: 'signal', signal });
  }

  /** Lets the process end what it has started, and itself. */
  abandon(): void {
    if (this.#child.connected) this.#child.disconnect();
  }

  #send(message: ToRunProcess): void {
    if (this.#child.connected) this.#child.send(message, () => undefined);
  }

  async #receive(message: FromRunProcess, document: Promise<string>): Promise<void> {
    if (message.kind === 'record') this.#tell(message);
    if (message.kind !== 'end') return;
    this.#hasEnded = true;
    const { code, interrupted } = message;
    this.#tell({ kind: 'end', end: { document: await document, code, interrupted } });
  }

  #tellGone(how: string): void {
    if (!this.#hasEnded) this.#tell({ kind: 'gone', how });
  }

  #tell(told: Told): void {
    this.#told.push(told);
    this.#onChange();
  }
}

function isFromRunProcess(message: unknown): message is FromRunProcess {
  return typeof message === 'object' && message !== null && 'kind' in message;
}
