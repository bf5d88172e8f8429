import type { CommandRequest } from '../command_runner.ts';
import { StoredLogs, type LogKind } from './logs/stored_logs.ts';
import type { OutputPipes, OutputPipe } from './output_pipes.ts';
import type { Mask } from './value_mask.ts';
import { OutputTail } from './output_tail.ts';

/** The output of a command while it is recorded. */
export type TailRecording = Readonly<{ pipe: OutputPipe; tail: OutputTail }>;

/** Records the last lines of each command, and copies its output to standard error immediately. */
export class OutputRecorder {
  readonly pipes: OutputPipes;
  readonly #lines: number;
  readonly #mask: Mask;
  readonly #passOn: (chunk: Buffer, isStored: boolean) => void;
  /** The logs of a run that stores its output. */
  logs: StoredLogs | undefined;

  constructor(pipes: OutputPipes, lines: number, mask: Mask, passOn: (chunk: Buffer, isStored: boolean) => void) {
    this.pipes = pipes;
    this.#lines = lines;
    this.#mask = mask;
    this.#passOn = passOn;
  }

  /** Writes the output of commands to logs of a session too, with secrets masked. Returns a text if that fails. */
  keepLogs(directory: string, session: number, kind: LogKind): string | undefined {
    const logs = StoredLogs.in(directory, session, kind, this.#mask);
    if (typeof logs === 'string') return logs;
    this.logs = logs;
    // Logs for agents are never raw.
    if (kind !== 'masked') this.pipes.logs = logs.start;
    return undefined;
  }

  /** Begins the recording of a command. Returns undefined if that is not possible. */
  begin(request: CommandRequest): TailRecording | undefined {
    const tail = this.tail(request);
    const pipe = this.pipes.open((chunk) => {
      this.#passOn(chunk, tail.add(chunk));
    }, `${request.number}.log`);
    return pipe && { pipe, tail };
  }

  /** The recording of a command whose output already has a pipe. */
  tail({ number, outputs }: CommandRequest): OutputTail {
    return new OutputTail(this.#lines, this.#mask, this.logs?.create(number, outputs.length > 0));
  }

  close(): void {
    this.pipes.close();
    this.logs?.close();
  }
}
