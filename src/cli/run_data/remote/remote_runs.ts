import type { OpenRuns, RemoteEntry, TextEnd } from '../../engine/engine.ts';
import type { RunAction, RunDocument } from '../reports/run_document.ts';
import { LOG_END, type ListedRun } from '../recorded_runs.ts';
import { remoteRunEntry } from './remote_entry.ts';
import { remoteReport, resumeLine } from './remote_report.ts';

/** The runs of all workers, for the page. They can be cancelled only. */
export class RemoteRuns {
  readonly kind = 'database';
  readonly #runs: OpenRuns;
  readonly #readOnly: boolean;

  constructor(runs: OpenRuns, readOnly: boolean) {
    this.#runs = runs;
    this.#readOnly = readOnly;
  }

  async idOf(id: string): Promise<string | undefined> {
    return (await this.#runs.find(id))?.entry.run;
  }

  async list(): Promise<readonly ListedRun[]> {
    const entries = await this.#runs.list();
    return entries.map((entry) => Object.assign(remoteRunEntry(entry), { actions: this.#actionsOf(entry) }));
  }

  async document(id: string): Promise<RunDocument | undefined> {
    const history = await this.#runs.find(id);
    if (history === undefined) return undefined;
    const { entry } = history;
    const { state, worker = null, tag = null, lock = null, takeovers } = entry;
    return {
      ...remoteReport(history),
      id,
      state,
      actions: this.#actionsOf(entry),
      has_logs: true,
      problem: null,
      resume: resumeLine(entry) ?? null,
      remote: { worker, tag, lock, takeovers },
    };
  }

  /** The end of the output of a run. That of its commands is not separate. */
  output(id: string): Promise<TextEnd> {
    return this.#runs.logEnd(id, LOG_END);
  }

  /** Asks the worker of a run to interrupt it, or removes it from its queue. */
  async cancel(id: string): Promise<boolean> {
    const history = await this.#runs.find(id);
    if (history === undefined || !this.#actionsOf(history.entry).includes('cancel')) return false;
    await this.#runs.interrupt(id);
    return true;
  }

  /** A text for each run, which changes with it and its output. */
  marks(): Promise<ReadonlyMap<string, string>> {
    return this.#runs.marks();
  }

  close(): void {
    this.#runs.close();
  }

  #actionsOf({ state }: RemoteEntry): readonly RunAction[] {
    return !this.#readOnly && (state === 'queued' || state === 'running') ? ['cancel'] : [];
  }
}
