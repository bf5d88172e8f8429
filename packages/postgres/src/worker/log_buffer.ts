import type { Readable } from 'node:stream';
import { OverlongOutput } from './overlong_output.ts';

/** The maximum size of a stored piece, in bytes. */
const PIECE = 65_536;

/** The maximum amount of unstored output, in bytes. Beyond it, the run blocks when it writes. */
const MAX_WAITING = 2 ** 20;

const LINE_BREAK = 10;

/** Buffers a run's output until it is stored. */
export class LogBuffer {
  readonly #maxOutput: number;
  readonly #onChange: () => void;
  readonly #overlong: OverlongOutput;
  #waiting: Buffer[] = [];
  #size = 0;
  #kept = 0;
  #stream: Readable | undefined;
  #isLineOpen = false;

  /** Of an output of more than `maxOutput` MiB, only the important parts are kept. */
  constructor(maxOutput: number, onChange: () => void) {
    this.#maxOutput = maxOutput;
    this.#onChange = onChange;
    this.#overlong = new OverlongOutput((bytes, omitted) => {
      if (omitted > 0) this.say(`${omitted} bytes of output left out: this run has printed more than ${maxOutput} MiB`);
      this.#add(bytes);
    });
  }

  get isEmpty(): boolean {
    return this.#size === 0;
  }

  /** Starts to read a stream. */
  follow(stream: Readable): void {
    this.#stream = stream;
    stream.on('data', (chunk: Buffer) => {
      this.#read(chunk);
    });
  }

  /** Adds a message from the worker, on a line of its own. */
  say(line: string): void {
    this.#add(Buffer.from(`${this.#isLineOpen ? '\n' : ''}cli: ${line}\n`));
  }

  /** As `onRecords` of the overlong output. */
  onRecords(hasFailed: boolean, members: readonly string[]): void {
    this.#overlong.onRecords(hasFailed, members);
  }

  /** To be called at the end of the run. */
  onEnd(): void {
    this.#overlong.end();
  }

  /** Removes and returns the next piece. */
  take(): Buffer {
    const all = Buffer.concat(this.#waiting);
    const piece = all.subarray(0, PIECE);
    this.#waiting = piece.length < all.length ? [all.subarray(PIECE)] : [];
    this.#size -= piece.length;
    if (this.#size < MAX_WAITING) this.#stream?.resume();
    return piece;
  }

  /** Waits until all output already written to the pipe has been read. */
  async settle(): Promise<void> {
    // The poll phase between two turns of the event loop reads all available data.
    for (let turns = 0; turns < 3; turns += 1) await new Promise((resolve) => void setImmediate(resolve));
  }

  #read(chunk: Buffer): void {
    const room = this.#maxOutput * 2 ** 20 - this.#kept;
    this.#kept += Math.min(room, chunk.length);
    if (room > 0) this.#add(chunk.subarray(0, room));
    if (room < chunk.length) this.#overlong.add(chunk.subarray(room));
    if (this.#size >= MAX_WAITING) this.#stream?.pause();
  }

  #add(bytes: Buffer): void {
    if (bytes.length === 0) return;
    this.#waiting.push(bytes);
    this.#size += bytes.length;
    this.#isLineOpen = bytes.at(-1) !== LINE_BREAK;
    this.#onChange();
  }
}
