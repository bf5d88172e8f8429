import { randomBytes } from 'node:crypto';
import { readdirSync, renameSync, unlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as v from 'valibot';
import type { Waiting } from '../../backend/checks/check_port.ts';
import { openOwn, readWhole } from '../../backend/system/regular_file.ts';
import { trySystemCall } from '../../backend/system/try_system_call.ts';
import { stateOf, thisProcess } from '../journal/holder.ts';
import type { RecordName } from './state_directory.ts';

/** The time between two looks at a lock that another process has, in milliseconds. */
const INTERVAL = 50;

/** The maximum size of the file of a lock, in bytes. */
const MAX_HOLDER = 65_536;

const Text = v.nullable(v.string());
const Holder = v.object({
  pid: v.number(),
  started: Text,
  boot: Text,
  space: Text,
  host: v.string(),
  uid: v.nullable(v.number()),
});

/**
 * The lock of a record, so that a step does not run twice at a time. Each process has a file of its own, which exists
 * complete or not at all. It has the lock if, once its file exists, there is no file of another living process: of two
 * that begin at once, both may step back, but never both go on.
 */
export class StepLock {
  readonly #directory: string;
  readonly #prefix: string;
  readonly #own: string;
  readonly #here = thisProcess();

  constructor(directory: string, { step, values }: RecordName) {
    this.#directory = directory;
    this.#prefix = `${step}-${values}.lock.`;
    this.#own = `${this.#prefix}${randomBytes(8).toString('hex')}`;
  }

  /**
   * Waits for the lock. `onWait` receives the process that has it, once. Returns false if the wait was stopped, and the
   * system's message if files cannot be written.
   */
  async take({ wait, isStopped }: Waiting, onWait: (pid: number) => void): Promise<boolean | string> {
    let isWaiting = false;
    while (!isStopped()) {
      const other = this.#other();
      if (other === undefined) {
        const taken = this.#takeIfAlone();
        if (taken !== false) return taken;
        // Another process began at the same time.
        await wait(1 + Math.random() * INTERVAL);
        continue;
      }
      if (!isWaiting) onWait(other);
      isWaiting = true;
      await wait(INTERVAL);
    }
    return false;
  }

  /** Takes the lock unless another process has it. */
  tryToTake(): boolean {
    return this.#other() === undefined && this.#takeIfAlone() === true;
  }

  release(): void {
    trySystemCall(() => unlinkSync(join(this.#directory, this.#own)));
  }

  #takeIfAlone(): boolean | string {
    const path = join(this.#directory, this.#own);
    const temporary = `${path}.new`;
    const problem = trySystemCall(() => {
      writeFileSync(temporary, JSON.stringify(this.#here), { flag: 'wx', mode: 0o600 });
      renameSync(temporary, path);
      return undefined;
    });
    if (problem !== undefined) {
      trySystemCall(() => unlinkSync(temporary));
      return problem;
    }
    const isAlone = this.#other() === undefined;
    if (!isAlone) this.release();
    return isAlone;
  }

  /** The living process that has, or wants, the lock. Removes the files of dead ones. */
  #other(): number | undefined {
    const names = trySystemCall(() => readdirSync(this.#directory));
    // Without the directory, nobody has the lock.
    for (const name of typeof names === 'string' ? [] : names) {
      if (!name.startsWith(this.#prefix) || name === this.#own || name.endsWith('.new')) continue;
      const path = join(this.#directory, name);
      const text = readWhole(openOwn(path), MAX_HOLDER);
      const { success, output } = v.safeParse(Holder, parsed(text.toString()));
      if (!success) continue;
      const state = stateOf(output, this.#here);
      if (state === 'alive') return output.pid;
      if (state === 'dead') trySystemCall(() => unlinkSync(path));
    }
    return undefined;
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // No file of this tool.
    return undefined;
  }
}
