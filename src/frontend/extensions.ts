import { parseJsonPath } from './json_path.ts';
import { REFERENCE_PROBLEMS } from './shell/reference_problems.ts';
import { findInValue, findReferences } from './step_references.ts';

/**
 * What reads paths and references to outputs. It is loaded for files that have either and for no others, whose start
 * would wait for it.
 */
export const EXTENSIONS = { parseJsonPath, findReferences, findInValue, problemWords: REFERENCE_PROBLEMS };

export type Extensions = typeof EXTENSIONS;
