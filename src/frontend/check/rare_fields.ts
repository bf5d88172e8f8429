import { IncludeChecker } from './include_checker.ts';
import { InputChecker } from './input_checker.ts';
import { MatrixChecker } from './matrix_checker.ts';
import { PatternChecker } from './pattern_checker.ts';

/** The checkers of fields that most files do not have. Loaded only for files that may have one of them. */
export const RARE_FIELDS = { IncludeChecker, InputChecker, MatrixChecker, PatternChecker } as const;

export type RareFields = typeof RARE_FIELDS;
