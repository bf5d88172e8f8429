import { OutputPipes, type OutputPipe } from './output_pipes.ts';
import { OutputTail, type Mask } from './output_tail.ts';

/** The output of a command while it is recorded. */
export type TailRecording = Readonly<{ pipe: OutputPipe; tail: OutputTail }>;

/** Records the last lines of each command, and copies its output to standard error immediately. */
export class OutputRecorder {
  readonly #pipes: OutputPipes;
  readonly #lines: number;
  readonly #mask: Mask;
  readonly #passOn: (chunk: Buffer) => void;

  constructor(pipes: OutputPipes, lines: number, mask: Mask, passOn: (chunk: Buffer) => void) {
    this.#pipes = pipes;
    this.#lines = lines;
    this.#mask = mask;
    this.#passOn = passOn;
  }

  /** Begins the recording of a command. Returns undefined if that is not possible. */
  begin(): TailRecording | undefined {
    const tail = this.tail();
    const pipe = this.#pipes.open((chunk) => {
      this.#passOn(chunk);
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
