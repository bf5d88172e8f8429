import type { Event, Outcome } from '../backend/execute.ts';

/** Somebody who tells people what happens in a run, while it does. */
export type Teller = Readonly<{ tell: (event: Event) => void; end: (outcome: Outcome) => void }>;

/** The CI service whose log standard error goes to. */
export type Service = 'github' | 'gitlab';

/** How to show things: in colour, with signs beyond ASCII, for a service, in the columns of a terminal if there is one. */
export type Look = Readonly<{
  colour: boolean;
  signs: boolean;
  service: Service | undefined;
  room: number | undefined;
}>;
