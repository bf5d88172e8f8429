import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { cli } from '../cli.ts';
import { until } from '../until.ts';
import type { Called } from './agent.ts';

/** A recorded run, and who has started its sessions. */
export type Recorded = Readonly<{ run: string; agents: readonly (string | undefined)[] }>;

/** The runs that are recorded in a directory, oldest first. */
export function recordedRuns(cwd: string): readonly Recorded[] {
  const runs = join(cwd, '.cli/runs');
  const names = listed(runs).filter((name) => /^\d{8}-/.test(name));
  return names.map((run) => {
    const sessions = listed(join(runs, run)).filter((name) => name.startsWith('session-'));
    const agents = sessions.map((name) => {
      const [first = ''] = readFileSync(join(runs, run, name), 'utf8').split('\n');
      const { agent }: { agent?: string } = JSON.parse(first);
      return agent;
    });
    return { run, agents };
  });
}

function listed(path: string): readonly string[] {
  try {
    return readdirSync(path).toSorted();
  } catch {
    // Nothing was recorded.
    return [];
  }
}

/** The id of the run in a result. */
export function runOf({ content }: Called): string {
  const { run }: { run?: unknown } = Object(content);
  if (typeof run !== 'string') throw new Error(`no run in ${JSON.stringify(content)}`);
  return run;
}

/** Waits for the end of a run, and returns its state. */
export async function endedRun(cwd: string, run: string): Promise<string> {
  const state = async (): Promise<string> => {
    const { stdout } = await cli(['runs', 'show', run, '--format', 'json'], {
      cwd,
      env: { CLI_NO_JOURNAL: undefined },
    });
    const { state: found }: { state: string } = JSON.parse(stdout);
    return found;
  };
  await until(
    async () => (await state()) !== 'running',
    () => `the end of ${run}`,
    50,
  );
  return state();
}

/** Whether a process is gone. */
export function isGone(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return false;
  } catch {
    // There is no such process.
    return true;
  }
}
