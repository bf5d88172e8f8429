import { OutputPipes, type OutputPipe } from './output_pipes.ts';
import { OutputTail, type Mask } from './output_tail.ts';
import { passOn } from '../system/write.ts';

/** The output of a command while it is recorded. */
export type TailRecording = Readonly<{ pipe: OutputPipe; tail: OutputTail }>;

/** Records the last lines of each command, and copies its output to standard error immediately. */
export class OutputRecorder {
  readonly #pipes: OutputPipes;
  readonly #lines: number;
  readonly #mask: Mask;
  readonly #stderr: number;

  constructor(pipes: OutputPipes, lines: number, mask: Mask, stderr: number) {
    this.#pipes = pipes;
    this.#lines = lines;
    this.#mask = mask;
    this.#stderr = stderr;
  }

  /** Begins the recording of a command. Returns undefined if that is not possible. */
  begin(): TailRecording | undefined {
    const tail = this.tail();
    const pipe = this.#pipes.open((chunk) => {
      passOn(this.#stderr, chunk);
      tail.add(chunk);
    });
    return pipe && { pipe, tail };
  }

  /** The recording of a command whose output already has a pipe. */
  tail(): OutputTail {
    return new OutputTail(this.#lines, this.#mask);
  }

  close(): void {
    this.#pipes.close();
  }
}
