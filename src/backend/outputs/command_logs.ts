import { closeSync, lstatSync, mkdirSync, openSync, readSync } from 'node:fs';
import { join } from 'node:path';
import { trySystemCall } from '../system/try_system_call.ts';
import { passOn } from '../system/write.ts';

/** Maximum delay of output, in milliseconds. */
const INTERVAL = 50;

/** The size of a read, in bytes. */
const CHUNK = 65_536;

/** The log of one command. */
export type CommandLog = Readonly<{
  /** The descriptor that the command writes to. */
  descriptor: number;
  /** Writes captured output. Some of it may arrive when the log is closed. */
  write: (chunk: Buffer) => void;
  /** Copies the rest of the output. Must be called after the command has ended. */
  close: () => void;
}>;

/** Creates a directory. Returns the reason if there is something else in its place, such as a link to a directory. */
function makeDirectory(path: string): string | undefined {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  if (stats !== undefined) return stats.isDirectory() ? undefined : 'it is not a directory';
  mkdirSync(path, { mode: 0o700 });
  return undefined;
}

/**
 * Files that commands write to directly, so that they continue if this process is killed. New content is copied from
 * the files. Output of leftover processes after the end of a command stays in the file.
 */
export class CommandLogs {
  readonly #path: (command: number) => string;
  readonly #open = new Set<() => void>();
  readonly #buffer = Buffer.allocUnsafe(CHUNK);
  #timer: NodeJS.Timeout | undefined;

  private constructor(path: (command: number) => string) {
    this.#path = path;
  }

  /**
   * Creates logs in a directory, and the directory, in an existing one. `nameOf` returns the file name for a command's number. Returns a
   * text if that fails.
   */
  static in(directory: string, nameOf: (command: number) => string): CommandLogs | string {
    const problem = trySystemCall(() => makeDirectory(directory));
    return problem ?? new CommandLogs((command) => join(directory, nameOf(command)));
  }

  /** Creates the log of a command. Returns its descriptor, or a text if that fails. */
  create(command: number): number | string {
    return trySystemCall(() => openSync(this.#path(command), 'ax+', 0o600));
  }

  /** Opens the log of a command, whose output is passed to `onData`. Returns a text if that fails. */
  open(command: number, onData: (chunk: Buffer) => void): CommandLog | string {
    const descriptor = this.create(command);
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
