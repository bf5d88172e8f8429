import { closeSync, constants, mkdtempSync, openSync, rmSync } from 'node:fs';
import { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runProgram } from '../system/run_program.ts';
import { trySystemCall } from '../system/try_system_call.ts';

/** The two ends of a pipe: a stream that reads, and a descriptor for commands to write to. */
export type Pipe = Readonly<{ stream: Socket; descriptor: number }>;

/** This many pipes are made at a time, by one program. */
const BATCH = 8;

/**
 * Makes pipes. Node only gives its children sockets, one for each descriptor: the order of what is printed to two of
 * them is lost, and a socket cannot be opened as `/dev/stderr`.
 */
export class Pipes {
  readonly #spare: Pipe[] = [];

  /** A pipe, or the system's message if there can be none. */
  take(): Pipe | string {
    const problem = this.#spare.length === 0 ? trySystemCall(() => this.#make()) : undefined;
    return typeof problem === 'string' ? problem : (this.#spare.pop() ?? 'mkfifo failed');
  }

  close(): void {
    for (const { stream, descriptor } of this.#spare.splice(0)) {
      stream.destroy();
      closeSync(descriptor);
    }
  }

  /** Named pipes lose their names once both ends are open. */
  #make(): string | undefined {
    const directory = mkdtempSync(join(tmpdir(), 'cli-pipes-'));
    try {
      const paths = Array.from({ length: BATCH }, (_, index) => join(directory, String(index)));
      const made = runProgram('mkfifo', ['-m', '600', ...paths]);
      if (!made.ok) return made.reason;
      for (const path of paths) {
        // Without blocking, it opens before there is a writer.
        const fd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
        const descriptor = openSync(path, constants.O_WRONLY);
        this.#spare.push({ stream: new Socket({ fd, readable: true, writable: false }), descriptor });
      }
      return undefined;
    } finally {
      rmSync(directory, { recursive: true, force: true });
    }
  }
}
