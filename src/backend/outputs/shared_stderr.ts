import { write, writeBytes } from '../system/write.ts';
import type { LineChannel } from './line_channel.ts';

const LINE_BREAK = 10;

/** Standard error during a run, where lines of the tool come between the output of steps. */
export class SharedStderr {
  #descriptor: number;
  /** The channel of the members of groups, in a run with groups. */
  #channel: LineChannel | undefined;
  #isStored: (() => boolean) | undefined;
  /** The place where the next byte goes. Unknown after a command had the descriptor, until the tool prints a line. */
  #place: 'line start' | 'in a line' | 'unknown' = 'line start';

  constructor(descriptor: number) {
    this.#descriptor = descriptor;
  }

  /** Writes to another descriptor from now on. */
  redirect(descriptor: number): void {
    this.#descriptor = descriptor;
  }

  /** Drops the output of steps as long as it is stored: the lines of the tool are all that is printed. */
  mute(isStored: () => boolean): void {
    this.#isStored = isStored;
  }

  get isMuted(): boolean {
    return this.#isStored?.() === true;
  }

  /** Lets the tool's lines wait for the end of a long line of a member. */
  share(channel: LineChannel): void {
    this.#channel = channel;
  }

  /** The descriptor, for a command that writes to it directly. */
  lend(): number {
    this.#place = 'unknown';
    return this.#descriptor;
  }

  /** Passes on output of a step. */
  readonly passOn = (chunk: Buffer, isStored = true): void => {
    if (isStored && this.isMuted) return;
    // A closed reader is ignored: the result of the step counts.
    writeBytes(this.#descriptor, chunk);
    if (this.#place !== 'unknown') this.#place = chunk.at(-1) === LINE_BREAK ? 'line start' : 'in a line';
  };

  /** Prints whole lines of the tool. */
  print(pieces: Iterable<string>): void {
    const text = [...pieces].join('');
    if (text === '') return;
    if (this.#channel?.holder !== undefined && !this.isMuted) return this.#channel.print(Buffer.from(text));
    write(this.#descriptor, [text]);
    this.#place = 'line start';
  }

  /** Breaks a line that a step may have left unterminated, before a line with a meaning for a CI service. */
  startLine(): void {
    // A line of the tool that waits is printed after a line break.
    if (this.#place !== 'line start' && this.#channel?.holder === undefined) this.print(['\n']);
  }
}
