/** Through these, a shell would run a start-up file or change how it runs every command. */
const STARTUP_VARIABLES = new Set(['BASH_ENV', 'BASHOPTS', 'ENV', 'SHELLOPTS']);

/** The name of the variable that marks every process of one run, by the runner's pid and the time. */
export function markerName(pid: number, time: bigint): string {
  return `CLI_RUN_${pid}_${time}`;
}

/** Whether a variable marks the processes of a run, ours or another. */
export function isMarkerName(name: string): boolean {
  return /^CLI_RUN_\d+_\d+$/.test(name);
}

/** The runner that a marker belongs to. */
export function markerPid(name: string): number {
  return Number(name.split('_')[2]);
}

/** What every command of a run inherits from the runner's own process: not what a step of a run around it reads. */
export function baseEnvironment(
  own: Readonly<Record<string, string | undefined>>,
  marker: string,
): Map<string, string> {
  const base = new Map<string, string>();
  for (const [name, value] of Object.entries(own)) {
    if (value !== undefined && !STARTUP_VARIABLES.has(name) && !/^CLI_OUTPUT_\d/.test(name)) base.set(name, value);
  }
  return base.set(marker, '1');
}
