/** The length of an outage before it is reported, in milliseconds. */
const SILENCE = 3000;

/** The time between reports, in milliseconds. The variable, in seconds, is for tests. */
const REPEAT = Number(process.env['CLI_ON_REMINDER'] ?? 60) * 1000;

/** Reports that a worker has lost the database, and once a minute that it still is. */
export class OutageReport {
  readonly #say: (line: string) => void;
  #due: number | undefined;
  #isReported = false;

  constructor(say: (line: string) => void) {
    this.#say = say;
  }

  /** To be called after each attempt that failed. */
  failed(reason: string): void {
    const now = Date.now();
    this.#due ??= now + SILENCE;
    if (now < this.#due) return;
    this.#due = now + REPEAT;
    this.#isReported = true;
    this.#say(`${reason}; trying again`);
  }

  /** To be called after each attempt that succeeded. */
  succeeded(): void {
    if (this.#isReported) this.#say('the database is back');
    this.#due = undefined;
    this.#isReported = false;
  }
}
