import { parseJsonPath } from './json_path.ts';
import { REFERENCE_PROBLEMS } from './shell/found_reference.ts';
import { checkNamedSteps, namedSteps } from './missing_steps.ts';
import { findVariables } from './find_variables.ts';
import { EXIT_CODE } from '../../base/exit_code.ts';
import { findInValue, findReferences, type StepReference } from './step_references.ts';

/** The reason why a condition cannot consist of a reference. */
const inCondition = ({ step, key }: StepReference): string =>
  `would be run as a command: to test that it ${
    key === EXIT_CODE ? `is not 0, write [ \${steps.${step}.${key}} -ne 0 ]` : 'is not empty, write [ -n "$reference" ]'
  }`;

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
  inCondition,
};

export type ReferenceParser = typeof REFERENCE_PARSER;
