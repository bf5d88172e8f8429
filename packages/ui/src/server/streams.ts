import type { ServerResponse } from 'node:http';
import { begin } from './answers.ts';

const MAX_STREAMS = 32;

/** The size of what a page has not read at which its stream ends. */
const MAX_UNREAD = 65_536;

/** Finds out which runs have changed, between `start` and `stop`. */
export type ChangeSource = Readonly<{
  /** Notes the present state. A rejected promise: the runs cannot be read now. */
  start: () => void | Promise<void>;
  stop: () => void;
}>;

/** The streams of changes of the open pages. Their source works only while there is one. */
export class Streams {
  readonly #source: ChangeSource;
  readonly #streams = new Set<ServerResponse>();
  /** The time at which the last page was closed. */
  #quietSince = performance.now();

  /** `createSource` receives functions that tell the pages of a change, and that the runs cannot be read. */
  constructor(createSource: (send: (run: string) => void, fail: () => void) => ChangeSource) {
    this.#source = createSource(
      (run) => this.#send(run),
      () => this.#end(),
    );
  }

  /** Adds a page. Its first line follows the note of the present state. False if there are too many. */
  async add(response: ServerResponse): Promise<boolean> {
    if (this.#streams.size >= MAX_STREAMS) return false;
    this.#streams.add(response);
    response.on('close', () => this.#remove(response));
    try {
      await this.#source.start();
    } catch (error) {
      this.#remove(response);
      throw error;
    }
    begin(response, 200, 'application/x-ndjson');
    response.write('{}\n');
    return true;
  }

  /** The milliseconds for which no page has been open. */
  quietTime(): number {
    return this.#streams.size > 0 ? 0 : performance.now() - this.#quietSince;
  }

  close(): void {
    this.#end();
    this.#source.stop();
  }

  #end(): void {
    for (const stream of this.#streams) stream.destroy();
  }

  #remove(response: ServerResponse): void {
    if (!this.#streams.delete(response)) return;
    this.#quietSince = performance.now();
    if (this.#streams.size === 0) this.#source.stop();
  }

  #send(run: string): void {
    for (const stream of this.#streams) {
      if (!stream.headersSent) continue;
      stream.write(`${JSON.stringify({ run })}\n`);
      if (stream.writableLength > MAX_UNREAD) stream.destroy();
    }
  }
}
