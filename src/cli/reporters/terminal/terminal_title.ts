import { closeSync, constants, existsSync, openSync, writeSync } from 'node:fs';
import { trySystemCall } from '../../../backend/system/try_system_call.ts';
import { formatElapsed } from '../../output/quantities.ts';
import { usualSuffix } from '../times/usual_text.ts';
import type { CommandOp } from '../../../ir/plan.ts';
import { isTerminal } from '../../output/terminal.ts';

/** A step that runs for this long, in milliseconds, is shown in the title, which then changes in this interval. */
const [MIN_TIME, INTERVAL] = [2000, 1000];

/** Sequences of xterm: save the title, restore it, set it (https://invisible-island.net/xterm/ctlseqs/ctlseqs.html). */
const [SAVE, RESTORE] = ['\x1b[22;2t', '\x1b[23;2t'];
const set = (title: string): string => `\x1b]2;${title}\x07`;

/** The share of a longer step's usual time, in per cent, is shown as the progress of the terminal from here on. */
const PROGRESS_TIME = 10_000;

/** Sequences of ConEmu (https://conemu.github.io/en/AnsiEscapeCodes.html): the progress in per cent, and none. */
const progress = (percent: number): string => `\x1b]9;4;1;${percent}\x07`;
const NO_PROGRESS = '\x1b]9;4;0\x07';

/** `usual` returns the usual time of the op in milliseconds, if it is known. */
type RunningOp = Readonly<{ title: string; since: bigint; usual: () => number | undefined }>;

/**
 * Shows the time of a long step in the title of the terminal, because the cursor may be the step's. A terminal that does
 * not take the sequence at once (Ctrl-S) must not hold the tool up, so nothing here waits.
 */
export class TerminalTitle {
  /** A description of the terminal that is not shared with steps, in non-blocking mode; undefined without one. */
  #terminal: number | undefined;
  /** The running ops, the oldest first. */
  readonly #running = new Map<CommandOp, RunningOp>();
  #timer: NodeJS.Timeout | undefined;
  readonly #hasProgress: boolean;
  #isSet = false;
  #isProgressSet = false;
  #shown = '';

  private constructor(terminal: number, hasProgress: boolean) {
    this.#terminal = terminal;
    this.#hasProgress = hasProgress;
  }

  /** Undefined if a descriptor is not that of a terminal, or if it cannot be opened once more. */
  static of(descriptor: number, hasProgress: boolean): TerminalTitle | undefined {
    if (!isTerminal(descriptor)) return undefined;
    // Elsewhere, a path below /dev/fd is a copy of the descriptor, whose flags are shared.
    const path = existsSync('/proc/self/fd') ? `/proc/self/fd/${descriptor}` : '/dev/tty';
    const { O_WRONLY, O_NONBLOCK, O_NOCTTY } = constants;
    const terminal = trySystemCall(() => ({ opened: openSync(path, O_WRONLY | O_NONBLOCK | O_NOCTTY) }));
    return typeof terminal === 'string' ? undefined : new TerminalTitle(terminal.opened, hasProgress);
  }

  /** An op has started; its title is escaped. */
  start(op: CommandOp, title: string, usual: RunningOp['usual']): void {
    this.#running.set(op, { title, since: process.hrtime.bigint(), usual });
    if (this.#running.size === 1) this.#wait(MIN_TIME);
  }

  /** An op has ended. */
  end(op: CommandOp): void {
    const [oldest] = this.#running.keys();
    this.#running.delete(op);
    if (oldest !== op) return;
    this.#restore();
    clearTimeout(this.#timer);
    if (this.#running.size > 0) this.#update();
  }

  /** To be called at the end of the run. */
  close(): void {
    clearTimeout(this.#timer);
    this.#running.clear();
    this.#restore();
    if (this.#terminal !== undefined) closeSync(this.#terminal);
    this.#terminal = undefined;
  }

  #wait(milliseconds: number): void {
    this.#timer = setTimeout(() => this.#update(), milliseconds);
    // A bug may end the run without its end being reported.
    this.#timer.unref();
  }

  #update(): void {
    const [oldest] = this.#running.values();
    if (oldest === undefined) return;
    const ms = Number((process.hrtime.bigint() - oldest.since) / 1_000_000n);
    if (ms < MIN_TIME) return this.#wait(MIN_TIME - ms);
    const usual = oldest.usual();
    const title = set(`${formatElapsed(ms - (ms % 1000)).replace('.0 s', ' s')}${usualSuffix(usual)} ${oldest.title}`);
    if (ms >= PROGRESS_TIME && usual !== undefined) this.#showProgress(Math.min(99, Math.floor((100 * ms) / usual)));
    // A timer may end within the second of the last one.
    if (title !== this.#shown) {
      if (this.#isSet) this.#write(title);
      else this.#isSet = this.#write(SAVE + title);
    }
    this.#shown = title;
    this.#wait(INTERVAL - (ms % INTERVAL));
  }

  #showProgress(percent: number): void {
    if (this.#hasProgress) this.#isProgressSet = this.#write(progress(percent)) || this.#isProgressSet;
  }

  #restore(): void {
    if (this.#isProgressSet) this.#write(NO_PROGRESS);
    this.#isProgressSet = false;
    if (this.#isSet) this.#write(RESTORE);
    this.#isSet = false;
    this.#shown = '';
  }

  /** Whether the terminal took all of a text. */
  #write(text: string): boolean {
    const terminal = this.#terminal;
    if (terminal === undefined) return false;
    const bytes = Buffer.from(text);
    let written = 0;
    const problem = trySystemCall(() => {
      written = writeSync(terminal, bytes);
    });
    return problem === undefined && written === bytes.length;
  }
}
