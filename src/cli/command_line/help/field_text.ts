import { FILE_DOCS, STEP_DOCS, WORKFLOW_DOCS } from '../../../frontend/schema/field_docs.ts';
import { inlineJson, type FieldDoc } from '../../../frontend/schema/field_help.ts';
import {
  HOOK_DOCS,
  INCLUDE_DOCS,
  INPUT_DOCS,
  READY_DOCS,
  RETRY_DOCS,
  SECRET_DOCS,
} from '../../../frontend/schema/object_docs.ts';
import { RULES } from '../../../frontend/schema/rules.ts';
import * as schema from '../../../frontend/schema/schema.ts';
import { StepFields } from '../../../frontend/schema/step_fields.ts';
import { ReadyFields, RetryFields } from '../../../frontend/schema/option_fields.ts';
import { twoColumns, wrap } from './help_layout.ts';

export type Docs = Readonly<Record<string, FieldDoc>>;

/** The objects of a workflow file, the help on their fields, and their shapes. */
export const OBJECTS: readonly (readonly [title: string, docs: Docs, shape: schema.ObjectShape])[] = [
  ['The file', FILE_DOCS, schema.FileFields],
  ['An include', INCLUDE_DOCS, schema.IncludeFields],
  ['A secret', SECRET_DOCS, schema.SecretFields],
  ['A hook: a string (its command), a list of lines, or an object', HOOK_DOCS, schema.HookFields],
  ['A workflow', WORKFLOW_DOCS, schema.WorkflowFields],
  ['An input', INPUT_DOCS, schema.InputFields],
  ['A step: a string (its command), or an object', STEP_DOCS, StepFields],
  ['A retry', RETRY_DOCS, RetryFields],
  ['A test of readiness', READY_DOCS, ReadyFields],
];

/** The names of all fields of a workflow file. */
export const FIELD_NAMES: readonly string[] = [...new Set(OBJECTS.flatMap(([, docs]) => Object.keys(docs)))];

/** The help on a field: its shape, default and an example in each object that has it; undefined if none has. */
export function fieldText(name: string, columns: number): string | undefined {
  const parts = OBJECTS.flatMap(([title, docs, shape]) => {
    const doc = Object.hasOwn(docs, name) ? docs[name] : undefined;
    if (doc === undefined) return [];
    const object = title.replace(/:.*/, '').replace(/^./, (letter) => letter.toLowerCase());
    const lines = wrap(doc.description.replaceAll('`', ''), columns - 2).map((line) => `  ${line}`);
    const rows = [
      ['shape', shapeOf(shape.entries[name])] as const,
      ...(doc.default === undefined ? [] : [['default', inlineJson(doc.default)] as const]),
      ['example', `"${name}": ${inlineJson(doc.examples[0])}`] as const,
    ];
    return [[`'${name}' is a field of ${object}:`, ...lines, ...twoColumns(rows, columns)].join('\n')];
  });
  return parts.length === 0 ? undefined : [...parts, 'All fields: cli help file'].join('\n\n');
}

/** The shape of a field's value: the rule that no value of another kind fulfils. */
function shapeOf(shape: schema.ObjectShape['entries'][string] | undefined): string {
  const rule = shape === undefined ? undefined : schema.brokenRule(shape, null);
  return rule === undefined ? 'any value' : RULES[rule].replace(/^must be /, '').replace(/, \$found$/, '');
}
