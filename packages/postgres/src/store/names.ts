import { SCHEMA } from '../database/dbos.ts';

/** The engine's tables of workflows, of their steps, and of streams. */
export const [ROWS, STEPS, STREAMS] = [
  `${SCHEMA}.workflow_status`,
  `${SCHEMA}.operation_outputs`,
  `${SCHEMA}.streams`,
] as const;

/** The queue of runs with the given tag; `null` means runs without a tag. */
export function queueOf(tag: string | null): string {
  return tag === null ? 'runs' : `tag ${tag}`;
}

/** The names of the engine's workflows in the database. */
export const WORKFLOWS = { run: 'run', lock: 'lock', signal: 'signal' } as const;

/** The engine's stream for a run's output. */
export const LOG = 'log';

/** The queue of runs waiting for a lock, and that of signals. No worker takes from the latter. */
export const [LOCKS, SIGNALS] = ['locks', 'signals'] as const;

/** The id of the workflow that acquires the lock of a run, initially or for a resume. */
export function lockId(run: string, resumes: number): string {
  return resumes === 0 ? `${run}/lock` : `${run}/lock/${resumes}`;
}

/** A run that has been taken over this many times becomes broken at the next one. */
export const MAX_TAKEOVERS = 50;

/** The takeovers of a run since it was submitted or resumed. The engine also counts its start and a refused takeover. */
export function takeoversOf(attempts: number): number {
  return Math.min(MAX_TAKEOVERS, Math.max(0, attempts - 1));
}
