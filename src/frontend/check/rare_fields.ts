import { checkIncludedNames, includesOf } from './include_checker.ts';
import { inputsOf } from './input_checker.ts';
import { matrixOf } from './matrix_checker.ts';
import { checkOf } from './pattern_checker.ts';

/** The checks of fields that most files do not have. Loaded only for files that may have one of them. */
export const RARE_FIELDS = { checkIncludedNames, includesOf, inputsOf, matrixOf, checkOf } as const;

export type RareFields = typeof RARE_FIELDS;
