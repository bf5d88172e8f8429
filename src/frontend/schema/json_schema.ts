import { toJsonSchema, type JsonSchema } from '@valibot/to-json-schema';
import type * as v from 'valibot';
import { FILE_DOCS, RETRY_DOCS, STEP_DOCS, WORKFLOW_DOCS } from './field_docs.ts';
import { isRule, type Rule } from './rules.ts';
import {
  Command,
  COMMAND_FIELDS,
  FileFields,
  Name,
  Path,
  RetryFields,
  SHELL_OPTION_VARIABLES,
  StepFields,
  PlainText,
  VariableName,
  WorkflowFields,
} from './schema.ts';

/** The rules that are valibot checks, as JSON Schemas. A JSON Schema cannot express the omitted ones. */
const PATTERNS: Partial<Record<Rule, JsonSchema>> = {
  'not empty': { minLength: 1 },
  'not blank': { pattern: '\\S' },
  'no NUL': { not: { pattern: '\\u0000' } },
  'no control characters': { not: { pattern: '[\\u0000-\\u001f\\u007f-\\u009f]' } },
  'a number of attempts': { type: 'integer', minimum: 2, maximum: 100 },
  // The maximum of a day cannot be expressed.
  'a duration': { pattern: '^(?=.*[1-9])(\\d{1,9}h)?(\\d{1,9}m)?(\\d{1,9}s)?(\\d{1,9}ms)?$' },
  'no shell option': { not: { pattern: SHELL_OPTION_VARIABLES.source } },
};

/** Extension keys, with any value. */
const EXTENSIONS = { '^x-': true } as const;

/**
 * The JSON Schema (draft 7) of a workflow file, generated from the shapes that files are checked with. It covers shapes
 * only, not calls of unknown workflows or cyclic calls.
 */
export function jsonSchema(): JsonSchema {
  const variables: JsonSchema = {
    type: 'object',
    propertyNames: { anyOf: [{ pattern: '^x-' }, convert(VariableName)] },
    patternProperties: EXTENSIONS,
    additionalProperties: convert(PlainText),
  };
  const outputs: JsonSchema = { ...variables, additionalProperties: convert(Path) };
  const retry = fields(RetryFields, RETRY_DOCS, {});
  const isCommand: JsonSchema = { required: ['run'], dependencies: { outputs: ['name'] } };
  const isCall: JsonSchema = {
    required: ['workflow'],
    not: { anyOf: COMMAND_FIELDS.map((field) => ({ required: [field] })) },
  };
  const step: JsonSchema = {
    ...fields(StepFields, STEP_DOCS, { with: variables, outputs, retry }),
    oneOf: [isCommand, isCall],
  };
  const steps: JsonSchema = { type: 'array', items: { anyOf: [convert(Command), step] } };
  const workflow = fields(WorkflowFields, WORKFLOW_DOCS, { env: variables, steps });
  const workflows: JsonSchema = { type: 'object', propertyNames: convert(Name), additionalProperties: workflow };
  return {
    $schema: 'http://json-schema.org/draft-07/schema#',
    title: 'Workflow file of cli',
    ...fields(FileFields, FILE_DOCS, { env: variables, workflows }),
  };
}

/** The schema of an object. `nested` holds the schemas of fields that valibot sees only as nodes. */
function fields(
  shape: v.ObjectSchema<v.ObjectEntries, undefined>,
  docs: Readonly<Record<string, object>>,
  nested: Readonly<Record<string, JsonSchema>>,
): JsonSchema {
  const { properties = {}, required = [] } = convert(shape);
  const described = Object.keys(shape.entries).map((name) => {
    const own = nested[name] ?? properties[name];
    return [name, { ...docs[name], ...(typeof own === 'object' ? own : {}) }] as const;
  });
  return {
    type: 'object',
    required,
    properties: Object.fromEntries(described),
    patternProperties: EXTENSIONS,
    additionalProperties: false,
  };
}

function convert(shape: v.GenericSchema): JsonSchema {
  const converted = toJsonSchema(shape, {
    overrideSchema: ({ valibotSchema }) => (valibotSchema.type === 'custom' ? {} : undefined),
    overrideAction: ({ valibotAction, jsonSchema }) => {
      if (!('message' in valibotAction) || typeof valibotAction.message !== 'string') return undefined;
      const rule = isRule(valibotAction.message) ? PATTERNS[valibotAction.message] : undefined;
      if (valibotAction.type !== 'check') return undefined;
      return rule === undefined ? jsonSchema : { ...jsonSchema, allOf: [...(jsonSchema.allOf ?? []), rule] };
    },
  });
  // Only the root names its draft.
  delete converted.$schema;
  return converted;
}
