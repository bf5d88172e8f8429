import { GRACE_PERIOD } from '../../../backend/process/wait_for_exit.ts';
import { endByVariables, findByVariables } from '../../../backend/process/leftovers.ts';
import { delay } from '../../../backend/system/sleep.ts';
import { trySystemCall } from '../../../backend/system/try_system_call.ts';
import type { RecordedRun } from '../../../records/journal/journal.ts';
import { commandsInFlight } from './recorded_commands.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** Processes, and the paths of their steps. `problem` is the reason why they cannot be known. */
type Orphans = Awaited<ReturnType<typeof findByVariables>> & Readonly<{ steps: ReadonlySet<string> }>;

/**
 * The processes left by commands of a run whose end was not recorded, and their descendants. Processes left by finished
 * steps are intended, such as servers, and not included. They are found by an environment variable. `isOfBackground`: only
 * those of steps in the background.
 */
export function findOrphans(run: RecordedRun, isOfBackground = false): Promise<Orphans> {
  return findMarked(commandsInFlight(run, isOfBackground));
}

/** The processes with one of the given variables, by which their steps are known, and their descendants. */
export async function findMarked(marks: ReadonlyMap<string, string>): Promise<Orphans> {
  const steps = new Set<string>();
  if (marks.size === 0) return { pids: [], problem: undefined, steps };
  const found = await findByVariables((variables) => {
    const step = variables.map((variable) => marks.get(variable)).find((each) => each !== undefined);
    if (step !== undefined) steps.add(step);
    return step !== undefined;
  });
  return { ...found, steps };
}

/**
 * Waits until a run has no orphans. They are continued first: a run that was killed while it ended its processes leaves
 * them stopped.
 */
export async function waitForOrphans(run: RecordedRun): Promise<void> {
  const first = await findOrphans(run);
  for (const pid of first.pids) trySystemCall(() => process.kill(pid, 'SIGCONT'));
  for (let left = first; left.pids.length > 0; left = await findOrphans(run)) await delay(100);
}

/**
 * Terminates the orphans of a run with SIGTERM, and after the grace period with SIGKILL. `own` is the environment of this
 * process. `isOfBackground`: only those of steps in the background.
 */
export function endOrphans(run: RecordedRun, own: Environment, isOfBackground = false): Promise<void> {
  const marks = commandsInFlight(run, isOfBackground);
  const known = [...Object.keys(own), ...run.sessions.map(({ header }) => header.marker)];
  return endByVariables((variables) => variables.some((variable) => marks.has(variable)), known, GRACE_PERIOD);
}
