/** The queue of the runs with a tag, or of those without. */
export function queueOf(tag: string | null): string {
  return tag === null ? 'runs' : `tag ${tag}`;
}

/** The version under which the engine matches runs and workers: that of the plans they read. */
export function versionOf(format: number): string {
  return `plan-${format}`;
}

/** The workflows of the engine, by their names in the database. */
export const WORKFLOWS = { run: 'run', lock: 'lock', signal: 'signal' } as const;

/** The stream with what a run prints. */
export const LOG = 'log';

/** The queues of runs that wait for a lock, and of signals, which nothing takes. */
export const [LOCKS, SIGNALS] = ['locks', 'signals'] as const;

/** The signals that a client passes on. */
export const CLIENT_SIGNALS: readonly NodeJS.Signals[] = ['SIGINT', 'SIGTERM', 'SIGHUP'];

/** The id of a signal for a run. The second one ends the run at once. */
export function signalId(run: string, signal: NodeJS.Signals, isSecond: boolean): string {
  return `${run}!${signal}${isSecond ? '!again' : ''}`;
}

/** The ids of all signals that a run may have. */
export function signalIds(run: string): readonly string[] {
  return CLIENT_SIGNALS.flatMap((signal) => [signalId(run, signal, false), signalId(run, signal, true)]);
}

/** The signal that an id means. */
export function signalOf(id: string): NodeJS.Signals | undefined {
  const name = id.split('!')[1];
  return CLIENT_SIGNALS.find((signal) => signal === name);
}
