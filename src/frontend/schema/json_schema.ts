import { toJsonSchema, type JsonSchema } from '@valibot/to-json-schema';
import type * as v from 'valibot';
import { VERSION } from '../../version.ts';
import { foreignFields } from '../diagnostics/foreign_fields.ts';
import {
  FILE_DOCS,
  FILE_SNIPPETS,
  INCLUDE_DOCS,
  INPUT_DOCS,
  RETRY_DOCS,
  STEP_DOCS,
  STEP_SNIPPETS,
  WORKFLOW_DOCS,
} from './field_docs.ts';
import type { FieldDoc, Snippet } from './field_docs.ts';
import { isRule, RULES, type Rule } from './rules.ts';
import { isOfOneKind, KINDS, refusalOf } from './step_kinds.ts';
import { SCHEMA_MARK } from './schema_mark.ts';
import {
  Attempts,
  Command,
  FileFields,
  FilePath,
  IncludeFields,
  IncludeName,
  InputFields,
  Name,
  Path,
  PlainText,
  Question,
  RetryFields,
  SHELL_OPTION_VARIABLES,
  ScriptLine,
  StepFields,
  VariableName,
  WorkflowFields,
} from './schema.ts';

/** A JSON Schema with the keywords of VS Code, which other validators ignore. */
type EditorSchema = JsonSchema &
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
  'no shell option': { pattern: `^(?!${SHELL_OPTION_VARIABLES.source.slice(1)})` },
};

/** The steps of a workflow or group. `allOf` is needed because draft 7 ignores a description beside a bare `$ref`. */
const STEPS: JsonSchema = { allOf: [{ $ref: '#/definitions/steps' }] };

/** Extension keys, with any value. */
const EXTENSIONS = { '^x-': true } as const;

/**
 * The JSON Schema (draft 7) of a workflow file, generated from the shapes that files are checked with. It covers shapes
 * only, not calls of unknown workflows or cyclic calls.
 *
 * Alternatives are `if` and `then`, because an editor then reports the mistake itself. For `oneOf` and `not` it reports
 * only that nothing matches.
 */
export function jsonSchema(): JsonSchema {
  const variables: JsonSchema = {
    type: 'object',
    propertyNames: { if: { pattern: '^x-' }, then: true, else: convert(VariableName) },
    patternProperties: EXTENSIONS,
    additionalProperties: convert(PlainText),
  };
  const outputs: JsonSchema = { ...variables, additionalProperties: convert(Path) };
  const script = scriptOf(Command);
  const hook = scriptOf(PlainText);
  const values: JsonSchema = { type: 'array', items: convert(PlainText), minItems: 1, uniqueItems: true };
  const matrix: JsonSchema = { ...variables, additionalProperties: values, minProperties: 1 };
  const retryMessage = 'Must be a number of attempts, or an object with the fields max_attempts and delay.';
  const retry = either(['number', 'object'], convert(Attempts), fields(RetryFields, RETRY_DOCS, {}), retryMessage);
  const confirm = either(['string', 'boolean'], convert(Question), {}, 'Must be a question, or true.');
  const step: EditorSchema = {
    type: ['string', 'object'],
    errorMessage: 'Must be a command (a string) or an object.',
    defaultSnippets: STEP_SNIPPETS,
    if: { type: 'string' },
    then: convert(Command),
    else: {
      if: { type: 'object' },
      then: stepObject({ run: script, with: variables, matrix, outputs, retry, confirm, parallel: STEPS }),
    },
  };
  const options: JsonSchema = { type: 'array', items: convert(PlainText) };
  const inputs: JsonSchema = { ...variables, additionalProperties: fields(InputFields, INPUT_DOCS, { options }) };
  const aliases: JsonSchema = { type: 'array', items: convert(Name) };
  const dotenv = textOrList(FilePath, FilePath, 'Must be a path, or an array of paths.');
  const own = { aliases, inputs, env: variables, dotenv, error: hook, finally: hook, steps: STEPS };
  const workflow = fields(WorkflowFields, WORKFLOW_DOCS, own);
  const workflows: JsonSchema = { type: 'object', propertyNames: convert(Name), additionalProperties: workflow };
  const editor = { allowComments: true, allowTrailingCommas: true, defaultSnippets: FILE_SNIPPETS };
  return {
    $schema: 'http://json-schema.org/draft-07/schema#',
    $comment: `${SCHEMA_MARK}${VERSION}`,
    title: 'Workflow file of cli',
    ...editor,
    ...fields(FileFields, FILE_DOCS, {
      env: variables,
      dotenv,
      include: includeSchema(),
      before_all: hook,
      after_all: hook,
      error: hook,
      finally: hook,
      workflows,
    }),
    definitions: { steps: { type: 'array', items: step } },
  };
}

/** The schema of a command: a string, or the lines of a script. */
function scriptOf(command: v.GenericSchema): EditorSchema {
  return textOrList(command, ScriptLine, 'Must be a command: a string, or an array with its lines.');
}

/** The schema of a text, or of an array of texts. */
function textOrList(text: v.GenericSchema, item: v.GenericSchema, errorMessage: string): EditorSchema {
  return either(['string', 'array'], convert(text), { items: convert(item) }, errorMessage);
}

/** The schema of a value of one of two types. */
function either(
  [type, other]: readonly ['string' | 'number', 'array' | 'boolean' | 'object'],
  then: JsonSchema,
  otherwise: JsonSchema,
  errorMessage: string,
): EditorSchema {
  return { type: [type, other], errorMessage, if: { type }, then, else: otherwise };
}

/** The schema of included files. */
function includeSchema(): EditorSchema {
  const message = 'Must be the path of a file, or an object with the fields file and dir.';
  const entry = either(['string', 'object'], convert(FilePath), fields(IncludeFields, INCLUDE_DOCS, {}), message);
  return { type: 'object', propertyNames: convert(IncludeName), additionalProperties: entry };
}

/** The schema of a step that is an object. Once the step has the field of a kind, editors offer the kind's fields. */
function stepObject(nested: Readonly<Record<string, JsonSchema>>): EditorSchema {
  const { properties = {}, ...all } = fields(StepFields, STEP_DOCS, nested);
  /** The fields of one kind, and messages for the fields of other kinds, except those in `allowed`. */
  const kind = (name: keyof typeof KINDS, allowed: readonly string[] = []): EditorSchema => {
    const own: readonly string[] = [name, ...KINDS[name]];
    const others = Object.keys(properties).filter((field) => isOfOneKind(field) && !own.includes(field));
    const refusals = others
      .filter((field) => !allowed.includes(field))
      .map((field) => [field, refused(refusalOf(field, name))] as const);
    return {
      properties: Object.fromEntries([...own.map((field) => [field, properties[field] ?? true] as const), ...refusals]),
    };
  };
  const { run = true, workflow = true, parallel = true } = properties;
  return {
    ...all,
    properties: Object.fromEntries(
      Object.entries(properties).map(([name, schema]) => [name, isOfOneKind(name) ? true : schema]),
    ),
    if: { required: ['parallel'] },
    then: kind('parallel'),
    else: {
      if: { required: ['workflow'] },
      then: kind('workflow', ['parallel']),
      else: {
        if: { required: ['run'] },
        then: { ...kind('run', ['workflow', 'parallel']), dependencies: { outputs: ['name'] } },
        else: { properties: { run, workflow, parallel }, ...refused("Missing 'run' or 'workflow'.") },
      },
    },
  };
}

/** A schema that rejects every value, with a message for editors. */
function refused(errorMessage: string): EditorSchema {
  return { not: {}, errorMessage, doNotSuggest: true };
}

/** The schema of an object. `nested` holds the schemas of fields whose values valibot treats as opaque nodes. */
function fields(
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
  const { description, examples } = doc;
  const example = `"${name}": ${JSON.stringify(examples[0], undefined, 2)}`;
  return { ...doc, markdownDescription: `${description}\n\n\`\`\`json\n${example}\n\`\`\`` };
}

function convert(shape: v.GenericSchema): EditorSchema {
  const converted: EditorSchema = toJsonSchema(shape, {
    overrideSchema: ({ valibotSchema }) => (valibotSchema.type === 'custom' ? {} : undefined),
    overrideAction: ({ valibotAction, jsonSchema }) => {
      if (!('message' in valibotAction) || typeof valibotAction.message !== 'string') return undefined;
      if (valibotAction.type === 'regex') return { ...jsonSchema, ...withMessage(jsonSchema, valibotAction.message) };
      if (valibotAction.type !== 'check') return undefined;
      const rule = isRule(valibotAction.message) ? PATTERNS[valibotAction.message] : undefined;
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
  if (!isRule(rule) || schema.pattern === undefined) return schema;
  const [first = '', ...rest] = RULES[rule];
  return { ...schema, patternErrorMessage: `${first.toUpperCase()}${rest.join('')}.` };
}
