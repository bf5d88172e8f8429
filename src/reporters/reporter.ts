import type { RunEvent, Outcome } from '../backend/run_event.ts';
import type { RunJournal } from '../backend/run_journal.ts';
import type { Prepared } from '../driver/prepare.ts';
import type { FailureText } from './failure_text.ts';

/** Reports the events of a run as they happen, and its outcome. */
export type Reporter = Readonly<{ onEvent: (event: RunEvent) => void; onEnd: (outcome: Outcome) => void }>;

/** A run, for its reporters. `id` is that of a new run with a record. `known` is the function of the journal. */
export type ReportedRun = Readonly<{
  id: string | null;
  prepared: Prepared;
  text: FailureText;
  isInterrupted: () => boolean;
  known: RunJournal['known'];
}>;
