import { closeSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { delay } from '../system/sleep.ts';
import { makeTemporaryDirectory } from '../system/temporary_directory.ts';
import { trySystemCall } from '../system/try_system_call.ts';
import { makeNamedPipes, openNamedPipe, PipeReader } from './named_pipe.ts';

/** A pipe for the output of one command. */
export type OutputPipe = Readonly<{
  /** The end that the command writes to. */
  descriptor: number;
  /** Closes this process's copy of that end. Must be called once the command has been started. */
  started: () => void;
  /** Must be awaited after the command has ended. Settles once everything that it printed has been received. */
  drained: () => Promise<void>;
}>;

/**
 * Pipes for the output of commands. Node gives its children sockets, in which `echo text >/dev/stderr` fails, so these
 * are named pipes, in a directory that exists during the run. A pipe is reused once it has no more writers.
 */
export class OutputPipes {
  readonly #directory: string;
  readonly #idle: string[] = [];
  readonly #open = new Set<PipeReader>();
  #count = 0;

  private constructor(directory: string) {
    this.#directory = directory;
  }

  /** Returns a text if no pipe can be created. */
  static create(): OutputPipes | string {
    const directory = trySystemCall(() => ({ path: makeTemporaryDirectory('cli-output-') }));
    if (typeof directory === 'string') return directory;
    const pipes = new OutputPipes(directory.path);
    const problem = pipes.#make();
    if (problem !== undefined) pipes.close();
    return problem ?? pipes;
  }

  /** Opens a pipe whose data is passed to `onData`. Returns undefined if that fails. */
  open(onData: (chunk: Buffer) => void): OutputPipe | undefined {
    if (this.#idle.length === 0) this.#make();
    const path = this.#idle.pop();
    if (path === undefined) return undefined;
    const ends = trySystemCall(() => openNamedPipe(path));
    // A step has deleted the pipe.
    if (typeof ends === 'string') return undefined;
    const reader = new PipeReader(ends.reading, {
      onData,
      onClose: () => {
        this.#open.delete(reader);
        this.#idle.push(path);
      },
    });
    this.#open.add(reader);
    return {
      descriptor: ends.writing,
      started: () => closeSync(ends.writing),
      // Two turns of the event loop include a whole poll, which reads everything in the pipe.
      drained: () => delay(0).then(() => delay(0)),
    };
  }

  /** Stops receiving the output of leftover processes, and removes the directory. */
  close(): void {
    for (const reader of this.#open) reader.close();
    rmSync(this.#directory, { recursive: true, force: true });
  }

  #make(): string | undefined {
    this.#count += 1;
    const path = join(this.#directory, String(this.#count));
    const problem = makeNamedPipes([path]);
    if (problem === undefined) this.#idle.push(path);
    return problem;
  }
}
