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

/** The rules that valibot has no words for, as patterns. What is left out cannot be said in a JSON Schema. */
const PATTERNS: Partial<Record<Rule, JsonSchema>> = {
  'not empty': { minLength: 1 },
  'not blank': { pattern: '\\S' },
  'no NUL': { not: { pattern: '\\u0000' } },
  'no control characters': { not: { pattern: '[\\u0000-\\u001f\\u007f-\\u009f]' } },
  'a number of attempts': { type: 'integer', minimum: 2, maximum: 100 },
  // That it is at most a day is left out.
  'a duration': { pattern: '^(?=.*[1-9])(\\d{1,9}h)?(\\d{1,9}m)?(\\d{1,9}s)?(\\d{1,9}ms)?$' },
  'no shell option': { not: { pattern: SHELL_OPTION_VARIABLES.source } },
};

/** Fields that begin so are for people and other tools. */
const OWN = { '^x-': true } as const;

/**
 * The JSON Schema (draft 7) of a workflow file, made of the shapes that files are checked with. It
 * knows shapes only: not whether a called workflow exists, or calls lead in a circle.
 */
export function jsonSchema(): JsonSchema {
  const variables: JsonSchema = {
    type: 'object',
    propertyNames: { anyOf: [{ pattern: '^x-' }, convert(VariableName)] },
    patternProperties: OWN,
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

/** An object's shape; `nested` has those of the fields that valibot sees only as nodes. */
function fields(
  shape: v.ObjectSchema<v.ObjectEntries, undefined>,
  words: Readonly<Record<string, object>>,
  nested: Readonly<Record<string, JsonSchema>>,
): JsonSchema {
  const { properties = {}, required = [] } = convert(shape);
  const described = Object.keys(shape.entries).map((name) => {
    const own = nested[name] ?? properties[name];
    return [name, { ...words[name], ...(typeof own === 'object' ? own : {}) }] as const;
  });
  return {
    type: 'object',
    required,
    properties: Object.fromEntries(described),
    patternProperties: OWN,
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
  // Only the whole names the draft that it is written in.
  delete converted.$schema;
  return converted;
}
