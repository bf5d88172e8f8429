import type { ReferenceProblem } from './reference_problems.ts';

/** The quotes around a reference, which decide how a variable is written in its place. */
export type Quotes = 'none' | 'double' | 'single' | 'ansi';

/** A reference in a command, or a text that looks like one. Offsets are in UTF-16 units. */
export interface FoundReference {
  readonly step: string;
  readonly key: string;
  readonly fallback: string | null;
  readonly start: number;
  readonly end: number;
  readonly quotes: Quotes;
  problem: ReferenceProblem | undefined;
}
