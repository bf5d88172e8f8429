import { closeSync, fstatSync, openSync, renameSync, unlinkSync } from 'node:fs';
import { hostname } from 'node:os';
import type { RunEvent } from '../../backend/run_event.ts';
import { write } from '../../backend/system/write.ts';
import type { Prepared } from '../../driver/prepare.ts';
import type { Recording } from '../../driver/runs/record_run.ts';
import { MAX_PLAN, planPath } from '../../journal/directory/file_names.ts';
import { plannedReport } from './planned_report.ts';

/** A plan with more ops is certainly larger than the limit, because each has at least this many bytes. */
const LEAST_BYTES = 300;

/** The duration of a session that is worth a file, in milliseconds. */
const LONG = 1000;

/**
 * Writes the plan of a recorded session beside its records, for `runs show` and the page. A short successful session
 * has none, so that it opens no further file. Nothing depends on the plan, so a failure to write it is silent.
 */
export class PlanRecorder {
  readonly #prepared: Prepared;
  readonly #path: string | undefined;
  readonly #delay: number;
  #timer: NodeJS.Timeout | undefined;
  #isWritten = false;

  /** `isWatched`: the plan is written as soon as the first command has been started. `runs`: the directory of all runs. */
  constructor(prepared: Prepared, { run, session }: Recording, runs: string, isWatched: boolean) {
    this.#prepared = prepared;
    const isTooLarge = prepared.plan.ops.length > MAX_PLAN / LEAST_BYTES;
    this.#path = run === null || isTooLarge ? undefined : planPath(runs, run, session);
    this.#delay = isWatched ? 0 : LONG;
  }

  onEvent({ kind }: RunEvent): void {
    if (kind === 'started' && this.#path !== undefined) {
      this.#timer ??= setTimeout(() => this.#write(), this.#delay).unref();
    }
  }

  onEnd(success: boolean): void {
    clearTimeout(this.#timer);
    if (!success && this.#timer !== undefined) this.#write();
  }

  #write(): void {
    const path = this.#path;
    if (path === undefined || this.#isWritten) return;
    this.#isWritten = true;
    // Readers find the whole plan or none.
    const temporary = `${path}.new`;
    try {
      const descriptor = openSync(temporary, 'wx', 0o600);
      const problem = write(descriptor, upToLimit(plannedReport(this.#prepared, hostname())));
      const isWhole = problem === undefined && fstatSync(descriptor).size <= MAX_PLAN;
      closeSync(descriptor);
      if (isWhole) renameSync(temporary, path);
      else unlinkSync(temporary);
    } catch {
      // Not even a bug in the plan ends the run.
    }
  }
}

/** The pieces of a text, up to the one that exceeds the limit. */
function* upToLimit(pieces: Iterable<string>): Generator<string> {
  let size = 0;
  for (const piece of pieces) {
    yield piece;
    size += piece.length;
    if (size > MAX_PLAN) return;
  }
}
