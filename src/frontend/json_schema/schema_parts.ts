import { toJsonSchema, type JsonSchema } from '@valibot/to-json-schema';
import type * as v from 'valibot';
import { foreignFields } from '../diagnostics/foreign_fields.ts';
import { fieldHelp, type FieldDoc, type Snippet } from '../schema/field_help.ts';
import { isKeyOf } from '../../base/keys.ts';
import { RULES, type Rule } from '../schema/rules.ts';
import { ScriptLine, RESERVED_VARIABLES } from '../schema/schema.ts';

/** A JSON Schema with the keywords of VS Code, which other validators ignore. */
export type EditorSchema = JsonSchema &
  Readonly<{
    errorMessage?: string;
    patternErrorMessage?: string;
    doNotSuggest?: boolean;
    defaultSnippets?: readonly Snippet[];
  }>;

/** JSON Schemas for the rules that are valibot checks. JSON Schema cannot express the omitted rules. */
const PATTERNS: Partial<Record<Rule, JsonSchema>> = {
  'not empty': { pattern: '[\\s\\S]' },
  'not blank': { pattern: '\\S' },
  'one line': { pattern: '^[^\\r\\n]*$' },
  'no colon': { pattern: '^[^:]*$' },
  'no NUL': { pattern: '^[^\\u0000]*$' },
  'no control characters': { pattern: '^[^\\u0000-\\u001f\\u007f-\\u009f]*$' },
  'a number of attempts': { type: 'integer', minimum: 2, maximum: 100 },
  'a number of members': { type: 'integer', minimum: 1, maximum: 1000 },
  // The maximum of a day cannot be expressed.
  'a duration': { pattern: '^(?=.*[1-9])(\\d{1,9}h)?(\\d{1,9}m)?(\\d{1,9}s)?(\\d{1,9}ms)?$' },
  'no reserved variable': { pattern: `^(?!${RESERVED_VARIABLES.source.slice(1)})` },
};

/** Extension keys, with any value. */
export const EXTENSIONS = { '^x-': true } as const;

/** The schema of a command: a string, or the lines of a script. */
export function scriptOf(command: v.GenericSchema): EditorSchema {
  return textOrList(command, ScriptLine, 'Must be a command: a string, or an array with its lines.');
}

/** The schema of a text, or of an array of texts. */
export function textOrList(text: v.GenericSchema, item: v.GenericSchema, errorMessage: string): EditorSchema {
  return either(['string', 'array'], convert(text), { items: convert(item) }, errorMessage);
}

/** The schema of a value of one of two types. */
export function either(
  [type, other]: readonly ['string' | 'number', 'array' | 'boolean' | 'object'],
  then: JsonSchema,
  otherwise: JsonSchema,
  errorMessage: string,
): EditorSchema {
  return { type: [type, other], errorMessage, if: { type }, then, else: otherwise };
}

/** A schema that rejects every value, with a message for editors. */
export function refused(errorMessage: string): EditorSchema {
  return { not: {}, errorMessage, doNotSuggest: true };
}

/** The schema of an object. `nested` holds the schemas of fields whose values valibot treats as opaque nodes. */
export function fields(
  shape: v.ObjectSchema<v.ObjectEntries, undefined>,
  docs: Readonly<Record<string, FieldDoc>>,
  nested: Readonly<Record<string, JsonSchema>>,
): EditorSchema {
  const { properties = {}, required = [] } = convert(shape);
  const known = Object.keys(shape.entries);
  const described = known.map((name) => {
    const own = nested[name] ?? properties[name];
    return [name, { ...help(name, docs[name]), ...(typeof own === 'object' ? own : {}) }] as const;
  });
  const foreign = [...foreignFields(known)].map(([name, hint]) => [name, refused(`Unknown field '${name}'${hint}`)]);
  return {
    type: 'object',
    required,
    properties: { ...Object.fromEntries(described), ...Object.fromEntries(foreign) },
    patternProperties: EXTENSIONS,
    additionalProperties: false,
    errorMessage: `Expected an object with the fields ${known.join(', ')}, or keys that start with x-.`,
  };
}

/** The help on a field, also as Markdown with an example. */
function help(name: string, doc: FieldDoc | undefined): object {
  if (doc === undefined) return {};
  return { ...doc, markdownDescription: fieldHelp(name, doc) };
}

export function convert(shape: v.GenericSchema): EditorSchema {
  const converted: EditorSchema = toJsonSchema(shape, {
    overrideSchema: ({ valibotSchema }) => (valibotSchema.type === 'custom' ? {} : undefined),
    overrideAction: ({ valibotAction, jsonSchema }) => {
      if (!('message' in valibotAction) || typeof valibotAction.message !== 'string') return undefined;
      if (valibotAction.type === 'regex') return { ...jsonSchema, ...withMessage(jsonSchema, valibotAction.message) };
      if (valibotAction.type !== 'check') return undefined;
      const rule = isKeyOf(RULES, valibotAction.message) ? PATTERNS[valibotAction.message] : undefined;
      if (rule === undefined) return jsonSchema;
      return { ...jsonSchema, allOf: [...(jsonSchema.allOf ?? []), withMessage(rule, valibotAction.message)] };
    },
  });
  // Only the root names its draft.
  delete converted.$schema;
  return converted.type === 'string'
    ? { ...converted, errorMessage: 'Must be a string, in double quotes.' }
    : converted;
}

/** A pattern with the message of its rule. */
function withMessage(schema: JsonSchema, rule: string): EditorSchema {
  if (!isKeyOf(RULES, rule) || schema.pattern === undefined) return schema;
  const [first = '', ...rest] = RULES[rule];
  return { ...schema, patternErrorMessage: `${first.toUpperCase()}${rest.join('')}.` };
}
