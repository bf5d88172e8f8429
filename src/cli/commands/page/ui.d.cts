import type { Result } from '../../../base/result.ts';
import type { RecordedRuns } from '../../run_data/recorded_runs.ts';
import type { RemoteRuns } from '../../run_data/remote/remote_runs.ts';

/** A server of the page. `key` gives access to it. `quietTime`: the milliseconds for which no page has been open. */
export type PageServer = Readonly<{ port: number; key: string; close: () => void; quietTime: () => number }>;

/** The bundle of packages/ui, which is beside the bundle of the tool. */
export declare function serve(
  surroundings: Readonly<{
    runs: RecordedRuns | RemoteRuns;
    /** Null for the runs of all workers. */
    directory: string | null;
    port: number;
    readOnly: boolean;
    /** The run to show first; undefined for the list. */
    runShown?: () => string | undefined;
  }>,
): Promise<Result<PageServer>>;
