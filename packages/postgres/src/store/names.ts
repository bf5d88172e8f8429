/** The queue of runs with the given tag; `null` means runs without a tag. */
export function queueOf(tag: string | null): string {
  return tag === null ? 'runs' : `tag ${tag}`;
}

/** The version by which the engine matches runs to workers: the format of plans that they read. */
export function versionOf(format: number): string {
  return `plan-${format}`;
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

/** The signals that a client forwards. */
export const CLIENT_SIGNALS: readonly NodeJS.Signals[] = ['SIGINT', 'SIGTERM', 'SIGHUP'];

/** The id of a run's signal. The second signal forces the run to stop. */
export function signalId(run: string, signal: NodeJS.Signals, isSecond: boolean): string {
  return `${run}!${signal}${isSecond ? '!again' : ''}`;
}

/** The ids of all signals that a run may receive. */
export function signalIds(run: string): readonly string[] {
  return CLIENT_SIGNALS.flatMap((signal) => [signalId(run, signal, false), signalId(run, signal, true)]);
}

/** The signal that an id stands for. */
export function signalOf(id: string): NodeJS.Signals | undefined {
  const name = id.split('!')[1];
  return CLIENT_SIGNALS.find((signal) => signal === name);
}

/** A run that has been taken over this many times becomes broken at the next one. */
export const MAX_TAKEOVERS = 50;

/** The takeovers of a run since it was submitted or resumed. The engine also counts its start and a refused takeover. */
export function takeoversOf(attempts: number): number {
  return Math.min(MAX_TAKEOVERS, Math.max(0, attempts - 1));
}
