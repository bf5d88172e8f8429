/** The length of an outage before it is reported, in milliseconds. */
const SILENCE = 3000;

/** Reports that the database cannot be reached: after a while, again every `repeat` seconds, and when it is back. */
export class Outage {
  readonly #say: (line: string) => void;
  readonly #repeat: number;
  #since: number | undefined;
  #due = 0;
  #isReported = false;

  constructor(say: (line: string) => void, repeat: number) {
    this.#say = say;
    this.#repeat = repeat;
  }

  /** The start of the current outage, in milliseconds since 1970. */
  get since(): number | undefined {
    return this.#since;
  }

  /** To be called after each attempt that failed. */
  failed(line: string, began = Date.now()): void {
    const now = Date.now();
    if (this.#since === undefined) [this.#since, this.#due] = [began, began + SILENCE];
    if (now < this.#due) return;
    this.#due = now + this.#repeat * 1000;
    this.#isReported = true;
    this.#say(line);
  }

  /** To be called after each attempt that succeeded. */
  succeeded(): void {
    if (this.#isReported) this.#say('the database is back');
    this.#since = undefined;
    this.#isReported = false;
  }
}
