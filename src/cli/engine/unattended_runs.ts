import { isMarkerName, markerPid } from '../../backend/process/base_environment.ts';
import { endByVariables, findByVariables, type IsLeft } from '../../backend/process/leftovers.ts';

/** The time for processes to end after SIGTERM, in milliseconds: a takeover waits for them. */
const PATIENCE = 500;

/** A run on this machine, and the number of its takeovers at that time. */
export type UnattendedRun = Readonly<{ run: string; fence: number }>;

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * The runs whose process was killed, and whose commands go on. The processes that a run has left on purpose are among
 * them. `own` is the environment of this process.
 */
export async function findUnattended(own: Environment): Promise<readonly UnattendedRun[]> {
  const found = new Map<string, UnattendedRun>();
  await findByVariables((variables, isThere) => {
    const each = unattendedRun(variables, own, isThere);
    if (each !== undefined) found.set(`${each.run} ${each.fence}`, each);
    return false;
  });
  return [...found.values()];
}

/** Ends the commands of runs whose process was killed. */
export function endUnattended(own: Environment, isLost: (run: UnattendedRun) => boolean): Promise<void> {
  const isLeft: IsLeft = (variables, isThere) => {
    const run = unattendedRun(variables, own, isThere);
    return run !== undefined && isLost(run);
  };
  return endByVariables(isLeft, Object.keys(own), PATIENCE);
}

/** The run of a command with these variables, if no runner of the command is alive. */
function unattendedRun(
  variables: readonly string[],
  own: Environment,
  isThere: (pid: number) => boolean,
): UnattendedRun | undefined {
  const valueOf = (name: string): string | undefined =>
    variables.find((variable) => variable.startsWith(`${name}=`))?.slice(name.length + 1);
  const run = valueOf('CLI_REMOTE_RUN');
  if (run === undefined) return undefined;
  const names = variables.map((variable) => variable.split('=', 1)[0] ?? '');
  // The runner of this process itself, if there is one, tells nothing about others.
  const markers = names.filter((name) => isMarkerName(name) && own[name] === undefined);
  const isAttended = markers.length === 0 || markers.some((name) => isThere(markerPid(name)));
  return isAttended ? undefined : { run, fence: Number(valueOf('CLI_REMOTE_FENCE') ?? 0) };
}
