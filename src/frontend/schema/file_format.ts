import { FILE_DOCS, STEP_DOCS, WORKFLOW_DOCS } from './field_docs.ts';
import type { FieldDoc } from './field_help.ts';
import { HOOK_DOCS, INCLUDE_DOCS, INPUT_DOCS, READY_DOCS, RETRY_DOCS, SECRET_DOCS } from './object_docs.ts';
import { FileFields, HookFields, IncludeFields, InputFields, SecretFields, WorkflowFields } from './schema.ts';
import type { ObjectShape } from './schema.ts';
import { StepFields } from './step_fields.ts';
import { ReadyFields, RetryFields } from './option_fields.ts';

/*
 * The kind of each value of a workflow file, for editors: how the shapes of `schema.ts` are nested, and the meaning
 * of keys and texts. It says nothing about what is valid.
 */

/** The kind of a text. A `value` may refer to variables, and to outputs in `with`. */
export type TextMeaning =
  | 'command'
  | 'condition'
  | 'value'
  | 'workflow'
  | 'default workflow'
  | 'step name'
  | 'secret'
  | 'included file';

/** The kind of the keys of an object, if they are no fields. `secrets`, `inputs` and the others define variables. */
export type KeyMeaning = 'workflow' | 'variable' | 'input' | 'secret' | 'output' | 'include';

/** An object with fields, and the help on them. */
export type FieldsFormat = Readonly<{
  shape: ObjectShape;
  docs: Readonly<Record<string, FieldDoc>>;
  values: Readonly<Record<string, Format>>;
}>;

/** The kind of a value that is a string, an object or an array. */
export type Format = Readonly<{
  text?: TextMeaning;
  fields?: FieldsFormat;
  entries?: Readonly<{ keys: KeyMeaning; value: Format }>;
  /** The items of an array. Items of a script are the lines of one text. */
  items?: Format | 'lines' | 'steps';
}>;

/** Without a meaning for editors. */
const PLAIN: Format = {};

const VALUE: Format = { text: 'value' };
const VARIABLES: Format = { entries: { keys: 'variable', value: VALUE } };
const SECRETS: Format = { items: { text: 'secret' } };
const LINE: Format = { text: 'command' };
const SCRIPT: Format = { text: 'command', items: 'lines' };
const STEPS: Format = { items: 'steps' };

/** The fields of a shape. The fields that are not in `values` have no meaning. */
function fields<Shape extends ObjectShape>(
  shape: Shape,
  docs: Readonly<Record<keyof Shape['entries'] & string, FieldDoc>>,
  values: Readonly<Partial<Record<keyof Shape['entries'] & string, Format>>>,
): FieldsFormat {
  const known = Object.keys(shape.entries);
  const given = new Map<string, Format | undefined>(Object.entries(values));
  return { shape, docs, values: Object.fromEntries(known.map((name) => [name, given.get(name) ?? PLAIN])) };
}

const HOOK: Format = { ...SCRIPT, fields: fields(HookFields, HOOK_DOCS, { run: SCRIPT, secrets: SECRETS }) };

const STEP: Format = {
  text: 'command',
  fields: fields(StepFields, STEP_DOCS, {
    run: SCRIPT,
    workflow: { text: 'workflow' },
    parallel: STEPS,
    name: { text: 'step name' },
    if: { text: 'condition' },
    with: VARIABLES,
    matrix: { entries: { keys: 'variable', value: { items: VALUE } } },
    dir: VALUE,
    confirm: VALUE,
    secrets: SECRETS,
    outputs: { entries: { keys: 'output', value: PLAIN } },
    retry: { fields: fields(RetryFields, RETRY_DOCS, {}) },
    ready: { fields: fields(ReadyFields, READY_DOCS, { port: VALUE, url: VALUE, output: VALUE, run: LINE }) },
  }),
};

const INPUT: Format = { fields: fields(InputFields, INPUT_DOCS, {}) };

const WORKFLOW: Format = {
  fields: fields(WorkflowFields, WORKFLOW_DOCS, {
    inputs: { entries: { keys: 'input', value: INPUT } },
    env: VARIABLES,
    dir: VALUE,
    error: HOOK,
    finally: HOOK,
    steps: STEPS,
  }),
};

const INCLUDE: Format = {
  text: 'included file',
  fields: fields(IncludeFields, INCLUDE_DOCS, { file: { text: 'included file' } }),
};

const SECRET: Format = { fields: fields(SecretFields, SECRET_DOCS, { command: { items: VALUE } }) };

/** A whole file. */
export const FILE_FORMAT: Format = {
  fields: fields(FileFields, FILE_DOCS, {
    default: { text: 'default workflow' },
    env: VARIABLES,
    include: { entries: { keys: 'include', value: INCLUDE } },
    secrets: { entries: { keys: 'secret', value: SECRET } },
    before_all: HOOK,
    after_all: HOOK,
    error: HOOK,
    finally: HOOK,
    workflows: { entries: { keys: 'workflow', value: WORKFLOW } },
  }),
};

/** The format of the value of a key. */
export function valueFormat({ fields: own, entries }: Format, key: string): Format {
  if (entries !== undefined) return entries.value;
  return own !== undefined && Object.hasOwn(own.values, key) ? (own.values[key] ?? PLAIN) : PLAIN;
}

/** The format of the items of an array. */
export function itemFormat({ items }: Format): Format {
  if (items === 'steps') return STEP;
  if (items === 'lines') return LINE;
  return items ?? PLAIN;
}
