import { createReadStream } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { write } from '../../../backend/system/write.ts';
import { EXIT, type Io } from '../../output/io.ts';

/** The time without an open page after which the page of an ended run ends, and between two looks, in milliseconds. */
const [QUIET_TIME, LOOK] = [10_000, 500];

/**
 * The run that has started this page. It writes its id to standard input, which ends with its process, and reads the
 * address from standard output.
 */
export class RunOfPage {
  /** The id of the run, once it is recorded. */
  id: string | undefined;
  readonly #stdout: number;
  readonly #ended: Promise<void>;

  constructor({ stdin, stdout }: Pick<Io, 'stdin' | 'stdout'>) {
    this.#stdout = stdout;
    const input = createReadStream('', { fd: stdin, encoding: 'utf8' });
    // An id is smaller than what a pipe passes on at once.
    input.on('data', (text) => (this.id = String(text).trim()));
    this.#ended = new Promise((resolve) => {
      for (const event of ['end', 'error']) input.once(event, resolve);
    });
  }

  /** Tells the run that there is no page. */
  refuse(problems: readonly string[]): number {
    this.#send(problems.join('; '));
    return EXIT.cannotStart;
  }

  /** Tells the run the address. Settles after its end, once no page has been open for a while. */
  async serve(address: string, quietTime: () => number): Promise<void> {
    this.#send(address);
    await this.#ended;
    const end = performance.now();
    while (Math.min(quietTime(), performance.now() - end) < QUIET_TIME) await delay(LOOK);
  }

  /** Writes a line, unless the run has ended meanwhile. */
  #send(text: string): void {
    write(this.#stdout, [`${text}\n`]);
  }
}
