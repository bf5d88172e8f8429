import type { Outcome } from '../../backend/run_event.ts';
import type { Prepared } from '../driver/prepare_run.ts';
import type { UsualTimesOf } from './times/usual_text.ts';
import type { FailureText } from './failure_text.ts';
import type { Titles } from './step_titles.ts';
import type { BegunRun, Change, OpResult, OpResults } from './op_results.ts';

/**
 * Reports a run. It is opened when the plan is known to be good, and begins with the journal. `hide` receives the values
 * of secrets. At the end, `unreached`
 * contains the results of the ops that the run did not reach. `onEnd` returns false if its file could not be written,
 * after an error message.
 */
export type Reporter = Readonly<{
  begin?: (id: BegunRun['id']) => void;
  hide?: (value: string) => void;
  onEvent?: (change: Change) => void;
  onEnd: (outcome: Outcome, unreached: readonly OpResult[]) => false | void;
}>;

/** A run, for its reporters. */
export type ReportedRun = Readonly<{ prepared: Prepared; titles: Titles; text: FailureText; results: OpResults }> &
  Readonly<{ usual: UsualTimesOf }>;
