import { closeSync, openSync, readSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { BranchOptions } from '../command_runner.ts';
import { delay } from '../system/sleep.ts';
import { makeTemporaryDirectory } from '../system/temporary_directory.ts';
import { trySystemCall } from '../system/try_system_call.ts';
import { writeBytes } from '../system/write.ts';
import { LineChannel, LineWriter } from './line_channel.ts';
import { PipeReader, Pipes } from './named_pipe.ts';
import type { SharedStderr } from './shared_stderr.ts';

/** The silence after which a member of a group is reported as running, in milliseconds. */
const FIRST_REPORT = 10_000;

/** Reports that a member of a group prints nothing: after 10 seconds, and whenever that time has doubled. */
class Silence {
  readonly #report: (milliseconds: number) => void;
  #next = FIRST_REPORT;
  #timer: NodeJS.Timeout | undefined;

  constructor(report: (milliseconds: number) => void) {
    this.#report = report;
    this.#timer = this.#start(FIRST_REPORT);
  }

  /** Begins again, because output was printed. Processes that a closed member has left running may print, too. */
  restart(): void {
    if (this.#timer === undefined) return;
    if (this.#next === FIRST_REPORT) {
      this.#timer.refresh();
      return;
    }
    clearTimeout(this.#timer);
    this.#next = FIRST_REPORT;
    this.#timer = this.#start(FIRST_REPORT);
  }

  close(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  #start(delay: number): NodeJS.Timeout {
    return setTimeout(() => {
      const lasted = this.#next;
      this.#next *= 2;
      this.#timer = this.#start(lasted);
      this.#report(lasted);
    }, delay).unref();
  }
}

/** Receives the output of a command. */
export type OutputListener = Readonly<{ add: (chunk: Buffer) => unknown }>;

/** Prints the output of a run's branches in whole lines. */
export type RunOutput = Readonly<{ fork: (options: BranchOptions) => BranchOutput; close: () => void }>;

/** The output of a branch. Its commands write to `descriptor`, or cannot start because of `problem`. */
export type BranchOutput = Readonly<{
  problem: string | undefined;
  descriptor: number;
  hasOutput: boolean;
  fork: (options: BranchOptions) => BranchOutput;
  /** Begins to record the output of a command. What its processes print after its end belongs to it, until the next one. */
  record: (tail: OutputListener | undefined) => void;
  /** Prints a chunk of a standard output that is also captured. */
  passOn: (chunk: Buffer) => void;
  /** Must be awaited after a command has ended. Settles once all of its output has been printed. */
  drained: () => Promise<void>;
  close: () => void;
}>;

/**
 * How to show the outermost branches: the text before each line, and the text of a line for a branch that has printed
 * nothing for some milliseconds, if it is to be shown as running.
 */
export type MemberLines = Readonly<{
  prefixOf: (branch: BranchOptions['branch']) => string;
  silence?: (milliseconds: number) => string;
}>;

/** The channel and prefix for the lines of a branch. `silence` is that of the outermost branch. */
type Target = Readonly<{ channel: LineChannel; prefix: string; silence?: Silence | undefined }>;

/** The size of a read from a spill file, in bytes. */
const CHUNK = 65_536;

/** The output of a run's branches, all of which ends up in standard error, without commands of CI services. */
export function createRunOutput(stderr: SharedStderr, lines: MemberLines): RunOutput {
  const channel = new LineChannel(stderr.passOn);
  stderr.share(channel);
  const pipes = new Pipes();
  const open = new Set<PipeReader>();
  return {
    fork: (options) => new PipedOutput({ pipes, open }, { channel, prefix: '' }, options, lines),
    close: () => {
      pipes.close();
      for (const reader of open) reader.close();
      channel.breakLine();
    },
  };
}

/** State shared by all outputs of a run: spare pipes, and the readers of open pipes. */
type SharedPipes = Readonly<{ pipes: Pipes; open: Set<PipeReader> }>;

/** The output of one branch: a pipe for its commands, whose lines go to a target. Grouped lines go through a file. */
class PipedOutput implements BranchOutput {
  readonly problem: string | undefined;
  readonly descriptor: number;
  readonly #shared: SharedPipes;
  readonly #parent: Target;
  readonly #target: Target;
  readonly #spill: SpillFile | undefined;
  readonly #captured: LineWriter;
  readonly #silence: Silence | undefined;
  #writer: LineWriter;
  #tail: OutputListener | undefined;

  /** The prefix is that of the outermost branch, which is the only one with `lines`. */
  constructor(shared: SharedPipes, parent: Target, { branch, output }: BranchOptions, lines: MemberLines | undefined) {
    this.#shared = shared;
    this.#parent = parent;
    const spill = output === 'grouped' ? trySystemCall(() => new SpillFile()) : undefined;
    this.#spill = typeof spill === 'string' ? undefined : spill;
    const prefix = lines?.prefixOf(branch) ?? parent.prefix;
    const report = lines?.silence;
    this.#silence =
      report && new Silence((duration) => parent.channel.print(Buffer.from(`${prefix}${report(duration)}\n`)));
    const silence = this.#silence ?? parent.silence;
    this.#target =
      this.#spill === undefined ? { ...parent, prefix, silence } : { channel: this.#spill.channel, prefix: '' };
    this.#writer = new LineWriter(this.#target.channel, this.#target.prefix);
    this.#captured = new LineWriter(this.#target.channel, this.#target.prefix);
    const pipe = shared.pipes.take();
    if (typeof spill === 'string') this.problem = `a file for its output could not be created: ${spill}`;
    else if (typeof pipe === 'string') this.problem = `a pipe for its output could not be created: ${pipe}`;
    this.descriptor = typeof pipe === 'string' ? -1 : pipe.writing;
    if (typeof pipe !== 'string') this.#read(pipe.reading);
  }

  get hasOutput(): boolean {
    return this.#spill !== undefined && this.#spill.length > 0;
  }

  fork(options: BranchOptions): BranchOutput {
    return new PipedOutput(this.#shared, this.#target, options, undefined);
  }

  record(tail: OutputListener | undefined): void {
    this.#tail = tail;
  }

  passOn(chunk: Buffer): void {
    this.#tail?.add(chunk);
    this.#target.silence?.restart();
    this.#captured.push(chunk);
  }

  /** Does not wait for the end of the pipe: processes that a command left running may write later. */
  async drained(): Promise<void> {
    // Two turns of the event loop include a whole poll, which reads everything in the pipe.
    await delay(0).then(() => delay(0));
    this.#writer.endLine();
    this.#captured.endLine();
  }

  close(): void {
    if (this.descriptor >= 0) closeSync(this.descriptor);
    this.#captured.endLine();
    this.#silence?.close();
    if (this.#spill === undefined) return;
    this.#parent.silence?.restart();
    this.#writer.endLine();
    this.#writer = new LineWriter(this.#parent.channel, this.#parent.prefix);
    this.#spill.copyTo(this.#writer);
  }

  /** Reads to the end of the pipe, which comes after the branch and all processes that it left running. */
  #read(descriptor: number): void {
    const { open } = this.#shared;
    const reader = new PipeReader(descriptor, {
      onData: (chunk) => {
        this.#tail?.add(chunk);
        this.#target.silence?.restart();
        this.#writer.push(chunk);
      },
      onClose: () => {
        this.#writer.endLine();
        open.delete(reader);
      },
    });
    open.add(reader);
  }
}

/** An unnamed file that stores lines until they are printed together. */
class SpillFile {
  readonly channel: LineChannel;
  readonly #descriptor: number;
  length = 0;
  /** The reason why lines could not be stored, such as a full disk. */
  #problem: string | undefined;

  constructor() {
    this.#descriptor = openUnnamed();
    this.channel = new LineChannel((bytes) => {
      if (this.#problem !== undefined) return;
      this.#problem = writeBytes(this.#descriptor, bytes);
      this.length += bytes.length;
    });
  }

  copyTo(writer: LineWriter): void {
    const buffer = Buffer.allocUnsafe(CHUNK);
    for (let done = 0; done < this.length;) {
      const read = readSync(this.#descriptor, buffer, 0, CHUNK, done);
      if (read === 0) break;
      writer.push(Buffer.from(buffer.subarray(0, read)));
      done += read;
    }
    writer.endLine();
    if (this.#problem !== undefined) {
      writer.push(Buffer.from(`cli: the rest of the output of this member is lost: ${this.#problem}\n`));
    }
    closeSync(this.#descriptor);
  }
}

/** Opens a file that has no name any more, for reading and writing. */
function openUnnamed(): number {
  const directory = makeTemporaryDirectory('cli-output-');
  try {
    return openSync(join(directory, 'spill'), 'w+', 0o600);
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}
