import { FILE_DOCS, STEP_DOCS, WORKFLOW_DOCS } from '../../../frontend/schema/field_docs.ts';
import type { FieldDoc } from '../../../frontend/schema/field_help.ts';
import {
  HOOK_DOCS,
  INCLUDE_DOCS,
  INPUT_DOCS,
  READY_DOCS,
  RETRY_DOCS,
  SECRET_DOCS,
} from '../../../frontend/schema/object_docs.ts';

export type Docs = Readonly<Record<string, FieldDoc>>;

/** The objects of a workflow file, and the help on their fields. */
export const OBJECTS: readonly (readonly [title: string, docs: Docs])[] = [
  ['The file', FILE_DOCS],
  ['An include', INCLUDE_DOCS],
  ['A secret', SECRET_DOCS],
  ['A hook: a string (its command), a list of lines, or an object', HOOK_DOCS],
  ['A workflow', WORKFLOW_DOCS],
  ['An input', INPUT_DOCS],
  ['A step: a string (its command), or an object', STEP_DOCS],
  ['A retry', RETRY_DOCS],
  ['A test of readiness', READY_DOCS],
];
