import { ownCommand, startRun, type RecordedRuns, type Result, type StartedRun } from '../../../../src/internal.ts';
import type { Project } from './project.ts';
import type { Proposal } from './proposal.ts';

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
  readonly #project: Project;
  readonly #runs = new Map<string, GoingRun>();

  constructor(project: Project) {
    this.#project = project;
  }

  /** The run with an id, until its end is recorded. */
  find(id: string): GoingRun | undefined {
    return this.#runs.get(id);
  }

  /** Starts a proposed run; undefined if too many are going on. */
  start(runs: RecordedRuns, { planned, agents }: Proposal): GoingRun | undefined {
    this.#forget(runs);
    const { io, key } = this.#project;
    if (this.#count() >= MAX_GOING) return undefined;
    const agent = agents === 'allow' ? 'allowed' : 'approved';
    const program = ownCommand();
    const started = startRun(io, runs.journal, planned, { program, key, agent });
    const { hasBegun, interrupt } = started;
    const going: GoingRun = { workflow: planned.plan.workflow, hasBegun, interrupt };
    this.#runs.set(planned.run, going);
    void started.begun.then((begun) => (going.begun = begun));
    return going;
  }

  /** Whether another run could start. */
  isBusy(runs: RecordedRuns): boolean {
    this.#forget(runs);
    return this.#count() >= MAX_GOING;
  }

  #count(): number {
    return [...this.#runs.values()].filter(({ begun }) => begun?.ok !== false).length;
  }

  /** Forgets the runs whose end is recorded, and the oldest that did not begin. */
  #forget(runs: RecordedRuns): void {
    const failed = [...this.#runs].filter(([, { begun }]) => begun?.ok === false).map(([id]) => id);
    for (const id of failed.slice(0, -MAX_FAILED)) this.#runs.delete(id);
    for (const [id, { begun }] of this.#runs) if (begun?.ok === true && runs.isSettled(id)) this.#runs.delete(id);
  }
}
