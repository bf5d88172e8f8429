import type { CommandRequest } from '../command_runner.ts';
import type { CommandLogs } from './command_logs.ts';
import { MaskedLog } from './masked_log.ts';
import { OutputPipes, type OutputPipe } from './output_pipes.ts';
import type { Mask } from './mask.ts';
import { OutputTail } from './output_tail.ts';

/** The output of a command while it is recorded. */
export type TailRecording = Readonly<{ pipe: OutputPipe; tail: OutputTail }>;

/** Records the last lines of each command, and copies its output to standard error immediately. */
export class OutputRecorder {
  readonly #pipes: OutputPipes;
  readonly #lines: number;
  readonly #mask: Mask;
  readonly #passOn: (chunk: Buffer) => void;
  #logs: CommandLogs | undefined;

  constructor(pipes: OutputPipes, lines: number, mask: Mask, passOn: (chunk: Buffer) => void) {
    this.#pipes = pipes;
    this.#lines = lines;
    this.#mask = mask;
    this.#passOn = passOn;
  }

  /** Writes the output of commands to logs too, with secrets masked. */
  keepLogs(logs: CommandLogs): void {
    this.#logs = logs;
  }

  /** Begins the recording of a command. Returns undefined if that is not possible. */
  begin(request: CommandRequest): TailRecording | undefined {
    const tail = this.tail(request);
    const pipe = this.#pipes.open((chunk) => {
      this.#passOn(chunk);
      tail.add(chunk);
    });
    return pipe && { pipe, tail };
  }

  /** The recording of a command whose output already has a pipe. */
  tail({ number, outputs }: CommandRequest): OutputTail {
    const descriptor = this.#logs?.create(number);
    // Without its log, the command runs all the same.
    const isOpen = typeof descriptor === 'number';
    const log = isOpen ? new MaskedLog(descriptor, this.#mask, outputs.length > 0) : undefined;
    return new OutputTail(this.#lines, this.#mask, log);
  }

  close(): void {
    this.#pipes.close();
  }
}
