import type { Event, Outcome } from '../backend/execute.ts';

/** Somebody who tells people what happens in a run, while it does. */
export type Teller = Readonly<{ tell: (event: Event) => void; end: (outcome: Outcome) => void }>;
