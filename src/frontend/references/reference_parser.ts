import { parseJsonPath } from './json_path.ts';
import { REFERENCE_PROBLEMS } from './shell/reference_problems.ts';
import { findInValue, findReferences } from './step_references.ts';

/** Why a reference cannot be all of a condition. */
const IN_CONDITION = 'would be run as a command: to test that it is not empty, write [ -n "${steps.NAME.KEY}" ]';

/**
 * What reads paths and references to outputs. It is loaded for files that have either and for no others, whose start
 * would wait for it.
 */
export const REFERENCE_PARSER = {
  parseJsonPath,
  findReferences,
  findInValue,
  problemWords: REFERENCE_PROBLEMS,
  inCondition: IN_CONDITION,
};

export type ReferenceParser = typeof REFERENCE_PARSER;
