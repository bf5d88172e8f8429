import type { JsonSchema } from '@valibot/to-json-schema';
import { VERSION } from '../../base/version.ts';
import { FILE_DOCS, FILE_SNIPPETS, STEP_DOCS, STEP_SNIPPETS, WORKFLOW_DOCS } from '../schema/field_docs.ts';
import { HOOK_DOCS, INCLUDE_DOCS, INPUT_DOCS, READY_DOCS, RETRY_DOCS, SECRET_DOCS } from '../schema/object_docs.ts';
import { SCHEMA_MARK } from '../schema/schema_mark.ts';
import { convert, either, EXTENSIONS, fields, refused, scriptOf, textOrList } from './schema_parts.ts';
import type { EditorSchema } from './schema_parts.ts';
import {
  Command,
  FileFields,
  FilePath,
  HookFields,
  IncludeFields,
  IncludeName,
  InputFields,
  Name,
  Path,
  PlainText,
  Question,
  SecretFields,
  VariableName,
  WorkflowFields,
} from '../schema/schema.ts';
import { COMMAND_FIELDS, COPY_FIELDS, GROUP_FIELDS, KIND_FIELDS, StepFields } from '../schema/step_fields.ts';
import { Attempts, ENDING_FIELDS, ReadyFields, RetryFields } from '../schema/option_fields.ts';

/** The kinds of steps: the field that defines the kind, and the fields specific to it. */
const KINDS = {
  run: [...COMMAND_FIELDS, ...COPY_FIELDS, 'output'],
  workflow: COPY_FIELDS,
  parallel: GROUP_FIELDS,
} as const;

/** The steps of a workflow or group. `allOf` is needed because draft 7 ignores a description beside a bare `$ref`. */
const STEPS: JsonSchema = { allOf: [{ $ref: '#/definitions/steps' }] };

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
  const listed: JsonSchema = { type: 'array', items: convert(VariableName) };
  const patterns: JsonSchema = { type: 'array', items: convert(FilePath) };
  const hook = hookSchema(listed);
  const values: JsonSchema = { type: 'array', items: convert(PlainText), minItems: 1, uniqueItems: true };
  const matrix: JsonSchema = { ...variables, additionalProperties: values, minProperties: 1 };
  const retryMessage = 'Must be a number of attempts, or an object with the fields max_attempts and delay.';
  const retry = either(['number', 'object'], convert(Attempts), fields(RetryFields, RETRY_DOCS, {}), retryMessage);
  const port: JsonSchema = { type: ['integer', 'string'], minimum: 1, maximum: 65_535, minLength: 1 };
  const ready = { ...fields(ReadyFields, READY_DOCS, { port }), minProperties: 1, maxProperties: 1 };
  const confirm = either(['string', 'boolean'], convert(Question), {}, 'Must be a question, or true.');
  const step: EditorSchema = {
    type: ['string', 'object'],
    errorMessage: 'Must be a command (a string) or an object.',
    defaultSnippets: STEP_SNIPPETS,
    if: { type: 'string' },
    then: convert(Command),
    else: {
      if: { type: 'object' },
      then: stepObject({
        run: script,
        with: variables,
        matrix,
        secrets: listed,
        sources: patterns,
        generates: patterns,
        outputs,
        retry,
        confirm,
        ready,
        parallel: STEPS,
      }),
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
      secrets: { ...variables, additionalProperties: secretSchema() },
      before_all: hook,
      after_all: hook,
      error: hook,
      finally: hook,
      workflows,
    }),
    definitions: { steps: { type: 'array', items: step } },
  };
}

/** The schema of a hook: a command, or an object with it. `secrets` is that of a list of secrets. */
function hookSchema(secrets: JsonSchema): EditorSchema {
  const script = scriptOf(PlainText);
  return {
    type: ['string', 'array', 'object'],
    errorMessage:
      'Must be a command (a string or an array with its lines), or an object with the fields run and secrets.',
    if: { type: 'object' },
    then: fields(HookFields, HOOK_DOCS, { run: script, secrets }),
    else: script,
  };
}

/** The schema of a secret. */
function secretSchema(): EditorSchema {
  const program: JsonSchema = { ...convert(PlainText), minLength: 1 };
  const command: JsonSchema = { type: 'array', minItems: 1, items: [program], additionalItems: convert(PlainText) };
  return fields(SecretFields, SECRET_DOCS, { command });
}

/** The schema of included files. */
function includeSchema(): EditorSchema {
  const message = 'Must be the path of a file, or an object with the fields file and dir.';
  const entry = either(['string', 'object'], convert(FilePath), fields(IncludeFields, INCLUDE_DOCS, {}), message);
  return { type: 'object', propertyNames: convert(IncludeName), additionalProperties: entry };
}

const NOT_IN_BACKGROUND = 'Does not apply to a step with "background": true, which runs until its workflow ends.';

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
        then: {
          ...kind('run', ['workflow', 'parallel']),
          dependencies: { outputs: ['name'], generates: ['sources'] },
          // A pattern, because editors would offer a field among the properties first.
          if: { required: ['background'], patternProperties: { '^background$': { const: true } } },
          then: { properties: Object.fromEntries(ENDING_FIELDS.map((field) => [field, refused(NOT_IN_BACKGROUND)])) },
        },
        else: { properties: { run, workflow, parallel }, ...refused("Missing 'run' or 'workflow'.") },
      },
    },
  };
}

/** Whether a field is limited to some kinds of steps. */
function isOfOneKind(field: string): boolean {
  return [...KIND_FIELDS, ...COMMAND_FIELDS, ...COPY_FIELDS, ...GROUP_FIELDS].includes(field);
}

/** The message for a field that does not apply to a kind of step. */
function refusalOf(field: string, kind: keyof typeof KINDS): string {
  if (KIND_FIELDS.includes(field)) return `'${field}' and '${kind}' are mutually exclusive.`;
  if (COPY_FIELDS.includes(field)) return "Applies only to steps with 'run' or 'workflow'.";
  return `Applies only to steps with '${COMMAND_FIELDS.includes(field) ? 'run' : 'parallel'}'.`;
}
