import type { ReferenceProblem } from './reference_problems.ts';

/** The quotes that a place is in, as they decide how a variable is written there. */
export type Quotes = 'none' | 'double' | 'single' | 'ansi';

/** What has the form of a reference, or tries to; offsets in UTF-16 units. */
export interface FoundReference {
  readonly step: string;
  readonly key: string;
  readonly fallback: string | null;
  readonly start: number;
  readonly end: number;
  readonly quotes: Quotes;
  problem: ReferenceProblem | undefined;
}
