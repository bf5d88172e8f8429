import { runsDirectory, trustOf } from '../../driver/recording/record_run.ts';
import { directoryJournal } from '../../../records/journal/directory/directory_journal.ts';
import { type Journal, runState } from '../../../records/journal/journal.ts';
import { isRemoved } from '../../../records/journal/prune.ts';
import type { Io } from '../../output/io.ts';

/** Removes the records of a watcher's runs, except those of the last one and of the last failed one. */
export class RoundRecords {
  readonly #io: Io;
  #journal: Journal | undefined;
  /** The newest run in the directory before the current one. */
  #before = '';
  /** The recorded runs of the watcher that have not been removed. */
  #kept: readonly string[] = [];
  #failed: string | undefined;

  constructor(io: Io) {
    this.#io = io;
  }

  /** To be called before each run, in the directory of the workflow file. */
  begin(): void {
    this.#journal = directoryJournal(runsDirectory(this.#io).path, trustOf(this.#io));
    this.#before = this.#own().at(-1) ?? '';
  }

  /** To be called after each run, with the id of its process. */
  end(pid: number | undefined): void {
    const run = this.#own()
      .filter((id) => id > this.#before)
      .map((id) => this.#journal?.read(id))
      .find((each) => each?.foreign === false && each.sessions[0]?.header.pid === pid);
    if (run === undefined) return;
    const isFailed = ['failed', 'crashed'].includes(runState(run));
    if (isFailed) this.#failed = run.id;
    for (const id of this.#kept) if (id !== this.#failed) this.#remove(id);
    this.#kept = [...this.#kept.filter((id) => id === this.#failed), run.id];
  }

  #own(): readonly string[] {
    return this.#journal?.mayBeOwn(this.#journal.runs()) ?? [];
  }

  /** Removes the record of a run, unless it has been resumed. */
  #remove(id: string): void {
    const run = this.#journal?.read(id);
    if (this.#journal !== undefined && run?.sessions.length === 1) isRemoved(this.#journal, run);
  }
}
