import type { RunEvent, Outcome } from '../backend/execute.ts';

/** Somebody who tells people what happens in a run, while it does. */
export type Reporter = Readonly<{ onEvent: (event: RunEvent) => void; onEnd: (outcome: Outcome) => void }>;
