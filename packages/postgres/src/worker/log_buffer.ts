import type { Readable } from 'node:stream';

/** The maximum size of a stored piece, in bytes. */
const PIECE = 65_536;

/** The maximum amount of unstored output, in bytes. Beyond it, the run blocks when it writes. */
const MAX_WAITING = 2 ** 20;

/** The maximum amount of output kept per run, in bytes. */
const MAX_KEPT = 64 * 2 ** 20;

/** Buffers a run's output until it is stored. */
export class LogBuffer {
  readonly #onChange: () => void;
  #waiting: Buffer[] = [];
  #size = 0;
  #kept = 0;
  #stream: Readable | undefined;

  constructor(onChange: () => void) {
    this.#onChange = onChange;
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

  /** Adds a message from the worker. */
  say(line: string): void {
    this.#add(Buffer.from(`cli: ${line}\n`));
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
    if (this.#kept >= MAX_KEPT) return;
    const room = MAX_KEPT - this.#kept;
    this.#kept += chunk.length;
    this.#add(chunk.subarray(0, room));
    if (this.#kept >= MAX_KEPT) this.say('this run has printed 64 MiB; no more of its output is kept');
    if (this.#size >= MAX_WAITING) this.#stream?.pause();
  }

  #add(bytes: Buffer): void {
    this.#waiting.push(bytes);
    this.#size += bytes.length;
    this.#onChange();
  }
}
