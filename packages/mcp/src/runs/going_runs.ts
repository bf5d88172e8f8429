import { ownCommand, startRun } from '../../../../src/internal.ts';
import type { Io, PlannedRun, RecordedRuns, Result, StartedRun } from '../../../../src/internal.ts';

/** The maximum number of runs of a server that are going on. */
const MAX_GOING = 8;

/** The number of runs that are remembered because they did not begin. */
const MAX_FAILED = 50;

/**
 * A run that this server has started. `begun` is undefined until its session is recorded, or its process has ended
 * before.
 */
export type GoingRun = Pick<StartedRun, 'hasBegun' | 'interrupt'> &
  Readonly<{ workflow: string }> & { begun?: Result<string> };

/** The runs that a server has started. They go on without it. */
export class GoingRuns {
  readonly #io: Io;
  readonly #key: Buffer;
  readonly #runs = new Map<string, GoingRun>();

  constructor(io: Io, key: Buffer) {
    this.#io = io;
    this.#key = key;
  }

  /** The run with an id, until its end is recorded. */
  find(id: string): GoingRun | undefined {
    return this.#runs.get(id);
  }

  /** Starts a planned run; undefined if too many are going on. */
  start(runs: RecordedRuns, planned: PlannedRun, agent: 'allowed' | 'approved'): GoingRun | undefined {
    if (this.isBusy(runs)) return undefined;
    const started = startRun(this.#io, runs.journal, planned, { program: ownCommand(), key: this.#key, agent });
    const { hasBegun, interrupt } = started;
    const going: GoingRun = { workflow: planned.plan.workflow, hasBegun, interrupt };
    this.#runs.set(planned.run, going);
    void started.begun.then((begun) => (going.begun = begun));
    return going;
  }

  /** Whether another run could start. */
  isBusy(runs: RecordedRuns): boolean {
    this.#forget(runs);
    return [...this.#runs.values()].filter(({ begun }) => begun?.ok !== false).length >= MAX_GOING;
  }

  /** Forgets the runs whose end is recorded, and the oldest that did not begin. */
  #forget(runs: RecordedRuns): void {
    const failed = [...this.#runs].filter(([, { begun }]) => begun?.ok === false).map(([id]) => id);
    for (const id of failed.slice(0, -MAX_FAILED)) this.#runs.delete(id);
    for (const [id, { begun }] of this.#runs) if (begun?.ok === true && runs.isSettled(id)) this.#runs.delete(id);
  }
}
