import type { RemoteEntry } from '../../engine/engine.ts';
import type { RunEntry } from '../run_entry.ts';

/** A remote run in a list of runs: the fields of every run, those of remote ones, and their former names. */
export type RemoteRunEntry = Omit<RunEntry, 'state' | 'foreign'> & RemoteEntry;

/** The entry of a remote run. Its step is not known: the records of runs are not read for a list. */
export function remoteRunEntry(entry: RemoteEntry): RemoteRunEntry {
  const { run, workflow, state, sessions, started, ended, ...more } = entry;
  return {
    id: run,
    workflow,
    state,
    sessions,
    start: started ?? null,
    end: ended ?? null,
    duration_ms: started === undefined || ended === undefined ? null : Date.parse(ended) - Date.parse(started),
    step: null,
    ...more,
    run,
    ...(started !== undefined && { started }),
    ...(ended !== undefined && { ended }),
  };
}

/** The fields of a remote run by itself. A local one has more about its sessions. */
export function remoteFields(entry: RemoteEntry): object {
  const { run, workflow, state, sessions: _, ...more } = entry;
  return { id: run, workflow, state, ...more, run };
}
