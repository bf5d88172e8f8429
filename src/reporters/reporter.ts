import type { Outcome } from '../backend/run_event.ts';
import type { Prepared } from '../driver/prepare.ts';
import type { FailureText } from './failure_text.ts';
import type { Change, OpResult, OpResults } from './op_results.ts';

/**
 * Reports the events of a run as they happen, and its outcome. At the end, `unreached` contains the results of the ops
 * that the run did not reach.
 */
export type Reporter = Readonly<{
  onEvent: (change: Change) => void;
  onEnd: (outcome: Outcome, unreached: readonly OpResult[]) => void;
}>;

/** A run, for its reporters. `id` is that of a new run with a record. */
export type ReportedRun = Readonly<{
  id: string | null;
  prepared: Prepared;
  text: FailureText;
  isInterrupted: () => boolean;
  results: OpResults;
}>;
