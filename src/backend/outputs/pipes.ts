import { closeSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { trySystemCall } from '../system/try_system_call.ts';
import { makeNamedPipes, openNamedPipe, type PipeEnds } from './named_pipe.ts';

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
    const directory = mkdtempSync(join(tmpdir(), 'cli-pipes-'));
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
