import { statSync } from 'node:fs';
import { CALLER_DIRECTORY } from '../../base/caller_reference.ts';
import { trySystemCall } from '../system/try_system_call.ts';

/**
 * Variables that make bash run a start-up file or change how it runs every command. `ENV` is not included: it names the
 * start-up file of interactive shells.
 */
const STARTUP_VARIABLES = new Set(['BASH_ENV', 'BASHOPTS', 'SHELLOPTS']);

/** The name of the variable that marks all processes of a run. It contains the runner's pid and the time. */
export function markerName(pid: number, time: bigint): string {
  return `CLI_RUN_${pid}_${time}`;
}

/** Whether a variable is the marker of any run. */
export function isMarkerName(name: string): boolean {
  return /^CLI_RUN_\d+_\d+$/.test(name);
}

/** The pid of the runner that set a marker. */
export function markerPid(name: string): number {
  return Number(name.split('_')[2]);
}

/**
 * The environment that commands inherit from this process, with the run's marker. If this run is itself a command of a
 * step, the variables for that step's references are left out.
 */
export function baseEnvironment(
  own: Readonly<Record<string, string | undefined>>,
  marker: string,
): Map<string, string> {
  const base = new Map<string, string>();
  for (const [name, value] of Object.entries(own)) {
    if (value !== undefined && isInherited(name)) base.set(name, value);
  }
  return base.set(marker, '1');
}

/** Whether the programs of a run inherit a variable of this process. */
export function isInherited(name: string): boolean {
  return !STARTUP_VARIABLES.has(name) && !/^CLI_OUTPUT_\d/.test(name);
}

/** `PWD` as a shell sets it: the inherited path if it leads to the working directory, otherwise that directory's own. */
export function directoryVariable(inherited = ''): string {
  const here = statSync('.');
  const found = inherited.startsWith('/') ? trySystemCall(() => statSync(inherited)) : '';
  const isHere = typeof found !== 'string' && found.dev === here.dev && found.ino === here.ino;
  return isHere ? inherited : process.cwd();
}

/** Sets the variable with the directory in which the tool is started. A deleted directory has no path. */
export function setCallerDirectory(env: Record<string, string | undefined>): void {
  const found = trySystemCall(() => ({ path: directoryVariable(env['PWD']) }));
  if (typeof found === 'string') delete env[CALLER_DIRECTORY];
  else env[CALLER_DIRECTORY] = found.path;
}
