import type { Readable } from 'node:stream';

/** The size of a piece in the database, in bytes. */
const PIECE = 65_536;

/** The output that may wait to be stored: beyond that, the run waits. */
const MAX_WAITING = 2 ** 20;

/** The output of one run that is kept. */
const MAX_KEPT = 64 * 2 ** 20;

/** What a run prints, until it is stored. */
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

  /** Reads a stream from now on. */
  follow(stream: Readable): void {
    this.#stream = stream;
    stream.on('data', (chunk: Buffer) => {
      this.#read(chunk);
    });
  }

  /** Adds a line of the worker's own. */
  say(line: string): void {
    this.#add(Buffer.from(`cli: ${line}\n`));
  }

  /** Takes the next piece. */
  take(): Buffer {
    const all = Buffer.concat(this.#waiting);
    const piece = all.subarray(0, PIECE);
    this.#waiting = piece.length < all.length ? [all.subarray(PIECE)] : [];
    this.#size -= piece.length;
    if (this.#size < MAX_WAITING) this.#stream?.resume();
    return piece;
  }

  /** Settles once what was printed before has been read. */
  async settle(): Promise<void> {
    // A poll between two turns reads all that is there.
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
