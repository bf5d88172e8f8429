import { parseJsonPath } from './json_path.ts';
import { REFERENCE_PROBLEMS } from './shell/found_reference.ts';
import { checkNamedSteps, namedSteps } from './missing_steps.ts';
import { findVariables } from './find_variables.ts';
import { findInValue, findReferences } from './step_references.ts';

/** The reason why a condition cannot consist of a reference. */
const IN_CONDITION = 'would be run as a command: to test that it is not empty, write [ -n "$reference" ]';

/**
 * Parses JSON paths and references to outputs. Loaded only for files that contain some, so that others start faster.
 */
export const REFERENCE_PARSER = {
  parseJsonPath,
  findReferences,
  findInValue,
  findVariables,
  namedSteps,
  checkNamedSteps,
  problemWords: REFERENCE_PROBLEMS,
  inCondition: IN_CONDITION,
};

export type ReferenceParser = typeof REFERENCE_PARSER;
