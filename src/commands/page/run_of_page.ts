import { setTimeout as delay } from 'node:timers/promises';
import { EXIT } from '../../output/io.ts';

/** The time without an open page after which the page of an ended run ends, and between two looks, in milliseconds. */
const [QUIET_TIME, LOOK] = [10_000, 500];

/** The run that has started this page, at the other end of the channel. */
export class RunOfPage {
  /** The id of the run, once it is recorded. */
  id: string | undefined;
  readonly #ended: Promise<void>;

  constructor() {
    process.on('message', (id) => {
      if (typeof id === 'string') this.id = id;
    });
    this.#ended = new Promise((resolve) => void process.once('disconnect', resolve));
  }

  /** Tells the run that there is no page. */
  async refuse(problems: readonly string[]): Promise<number> {
    await this.#send(problems.join('; '));
    return EXIT.cannotStart;
  }

  /** Tells the run the address. Settles after its end, once no page has been open for a while. */
  async serve(address: string, quietTime: () => number): Promise<void> {
    await this.#send(address);
    await this.#ended;
    const end = performance.now();
    while (Math.min(quietTime(), performance.now() - end) < QUIET_TIME) await delay(LOOK);
  }

  async #send(text: string): Promise<void> {
    await new Promise<void>((resolve) => {
      // The run may have ended meanwhile.
      if (process.send?.(text, undefined, undefined, () => resolve()) === undefined) resolve();
    });
  }
}
