import type { RunEvent, Outcome } from '../backend/run_event.ts';

/** Reports the events of a run as they happen, and its outcome. */
export type Reporter = Readonly<{ onEvent: (event: RunEvent) => void; onEnd: (outcome: Outcome) => void }>;
