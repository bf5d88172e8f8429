import { closeSync, mkdirSync, openSync, readSync } from 'node:fs';
import { join } from 'node:path';
import { trySystemCall } from '../system/try_system_call.ts';
import { passOn } from '../system/write.ts';

/** The most time until what a command prints is passed on, in milliseconds. */
const INTERVAL = 50;

/** The size of a read, in bytes. */
const CHUNK = 65_536;

/** The log of one command. */
export type CommandLog = Readonly<{
  /** What the command writes to. */
  descriptor: number;
  /** Writes captured output, of which some may come when the log is closed. */
  write: (chunk: Buffer) => void;
  /** To be called when the command has ended: passes on the rest of its output. */
  close: () => void;
}>;

/**
 * Files to which commands write themselves, so that they go on if this process is killed. What comes is passed on from
 * there. What processes write that a finished command has left running stays in the file.
 */
export class CommandLogs {
  readonly #path: (command: number) => string;
  readonly #open = new Set<() => void>();
  readonly #buffer = Buffer.allocUnsafe(CHUNK);
  #timer: NodeJS.Timeout | undefined;

  private constructor(path: (command: number) => string) {
    this.#path = path;
  }

  /** Logs in a folder, which is made; `nameOf` names the file of a command by its number. The problem as a text. */
  static create(folder: string, nameOf: (command: number) => string): CommandLogs | string {
    const problem = trySystemCall(() => void mkdirSync(folder, { recursive: true, mode: 0o700 }));
    return problem ?? new CommandLogs((command) => join(folder, nameOf(command)));
  }

  /** The log of a command, whose output goes to `onData`. The problem as a text if it cannot be made. */
  open(command: number, onData: (chunk: Buffer) => void): CommandLog | string {
    const descriptor = trySystemCall(() => openSync(this.#path(command), 'a+', 0o600));
    if (typeof descriptor === 'string') return descriptor;
    let position = 0;
    const follow = (): void => {
      for (;;) {
        const read = readSync(descriptor, this.#buffer, 0, CHUNK, position);
        if (read === 0) return;
        position += read;
        onData(Buffer.from(this.#buffer.subarray(0, read)));
      }
    };
    this.#open.add(follow);
    this.#timer ??= setInterval(() => this.#followAll(), INTERVAL).unref();
    return {
      descriptor,
      write: (chunk) => (this.#open.has(follow) ? passOn(descriptor, chunk) : onData(chunk)),
      close: () => {
        follow();
        closeSync(descriptor);
        this.#open.delete(follow);
        if (this.#open.size > 0) return;
        clearInterval(this.#timer);
        this.#timer = undefined;
      },
    };
  }

  #followAll(): void {
    for (const follow of this.#open) follow();
  }
}
