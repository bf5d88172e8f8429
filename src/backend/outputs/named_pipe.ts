import { closeSync, constants, openSync, rmSync } from 'node:fs';
import { Socket } from 'node:net';
import { join } from 'node:path';
import { runProgram } from '../system/run_program.ts';
import { makeTemporaryDirectory } from '../system/temporary_directory.ts';
import { trySystemCall } from '../system/try_system_call.ts';

/** Both ends of a pipe, as descriptors. Reading does not block. */
export type PipeEnds = Readonly<{ reading: number; writing: number }>;

type Listeners = Readonly<{ onData: (chunk: Buffer) => void; onClose: () => void }>;

/** Creates named pipes. Returns the problem, if any. */
function makeNamedPipes(paths: readonly string[]): string | undefined {
  const made = runProgram('mkfifo', ['-m', '600', ...paths]);
  return made.ok ? undefined : made.problems.join('; ');
}

/** Throws the system's error if there is no such pipe. */
export function openNamedPipe(path: string): PipeEnds {
  // In this order: opening a pipe for writing waits for a reader.
  const reading = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  return { reading, writing: openSync(path, constants.O_WRONLY) };
}

/** The buffer of all reads, each of which is used up before the next: a new buffer costs a page fault for each page. */
export const READ_BUFFER = Buffer.alloc(65_536);

/**
 * Reads a pipe until it has no more writers, or until it is closed, and then closes the descriptor. Keeps the process
 * alive meanwhile. A chunk is valid until `onData` returns.
 */
export class PipeReader {
  readonly #close: () => void;

  constructor(descriptor: number, { onData, onClose }: Listeners) {
    if (globalThis.Bun === undefined) {
      const callback = (size: number): boolean => {
        onData(READ_BUFFER.subarray(0, size));
        return true;
      };
      const options = { fd: descriptor, readable: true, writable: false, onread: { buffer: READ_BUFFER, callback } };
      const socket = new Socket(options);
      socket.once('error', () => socket.destroy());
      socket.once('close', onClose);
      this.#close = () => void socket.destroy();
    } else {
      const reader = globalThis.Bun.file(descriptor).stream().getReader();
      this.#close = () => void reader.cancel().catch(() => {});
      const read = async (): Promise<void> => {
        for (let next = await reader.read(); !next.done; next = await reader.read()) onData(Buffer.from(next.value));
      };
      const end = (): void => {
        closeSync(descriptor);
        onClose();
      };
      void read().then(end, end);
    }
  }

  close(): void {
    this.#close();
  }
}

/** The number of pipes that one program creates at a time. */
const BATCH = 8;

/**
 * Creates pipes. Node only gives its children sockets, one for each descriptor: the order of output on two of them is
 * lost, and a socket cannot be opened as `/dev/stderr`.
 */
export class Pipes {
  readonly #spare: PipeEnds[] = [];

  /** A pipe, or the system's message if none can be created. */
  take(): PipeEnds | string {
    const problem = this.#spare.length === 0 ? trySystemCall(() => this.#make()) : undefined;
    return typeof problem === 'string' ? problem : (this.#spare.pop() ?? 'mkfifo failed');
  }

  close(): void {
    for (const { reading, writing } of this.#spare.splice(0)) {
      closeSync(reading);
      closeSync(writing);
    }
  }

  /** Removes the names of pipes once both ends are open. */
  #make(): string | undefined {
    const directory = makeTemporaryDirectory('cli-pipes-');
    try {
      const paths = Array.from({ length: BATCH }, (_, index) => join(directory, String(index)));
      const problem = makeNamedPipes(paths);
      if (problem === undefined) for (const path of paths) this.#spare.push(openNamedPipe(path));
      return problem;
    } finally {
      rmSync(directory, { recursive: true, force: true });
    }
  }
}
