/** The silence after which a member of a group is reported as running, in milliseconds. */
const FIRST_REPORT = 10_000;

/** Reports that a member of a group prints nothing: after 10 seconds, and whenever that time has doubled. */
export class Silence {
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
