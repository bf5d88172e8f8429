import type { Result } from '../../result.ts';
import type { RecordedRuns } from './recorded_runs.ts';

/** A server of the page. `key` gives access to it. */
export type PageServer = Readonly<{ port: number; key: string; close: () => void }>;

/** The bundle of packages/ui, which is beside the bundle of the tool. */
export declare function serve(
  surroundings: Readonly<{ runs: RecordedRuns; directory: string; port: number; readOnly: boolean }>,
): Promise<Result<PageServer>>;
