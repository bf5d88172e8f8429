import * as v from 'valibot';
import { FLAWS, type Expected, type Flaw } from './diagnostic.ts';
import type { ArrayNode, Node, ObjectNode } from './syntax.ts';

/**
 * The shapes of a workflow file, a level at a time: a schema sees the fields of one object, where a
 * nested object or array is still its syntax node. Keyed data (workflows, variables) never becomes
 * a plain object, which would lose keys such as `__proto__`.
 *
 * Each rule's message is a code of `diagnostic.ts`, never words.
 */

const expected = (code: Expected): Expected => code;
const flaw = (code: Flaw): Flaw => code;

const isObject = (value: unknown): value is ObjectNode => isNode(value, 'object');
const isArray = (value: unknown): value is ArrayNode => isNode(value, 'array');

function isNode(value: unknown, kind: Node['kind']): boolean {
  return typeof value === 'object' && value !== null && 'kind' in value && value.kind === kind;
}

const ObjectValue = v.custom<ObjectNode>(isObject, expected('object'));
const ArrayValue = v.custom<ArrayNode>(isArray, expected('array'));

const Text = v.pipe(
  v.string(expected('string')),
  v.check((text) => !text.includes('\0'), flaw('nul')),
  v.check((text) => text.isWellFormed(), flaw('lone surrogate')),
);

const Command = v.pipe(
  Text,
  v.check((text) => text.trim() !== '', flaw('blank')),
);

export const NameSchema = v.pipe(
  v.string(expected('string')),
  v.minLength(1, flaw('empty')),
  v.check((text) => !/\p{Cc}/u.test(text), flaw('control character')),
  v.check((text) => text.isWellFormed(), flaw('lone surrogate')),
);

/**
 * These change how the shell itself runs a command (`SHELLOPTS=noexec` turns every step into a
 * silent success), so neither a file nor a parameter may set them.
 */
const SHELL_OPTION_VARIABLES = new Set(['BASH_ENV', 'BASHOPTS', 'SHELLOPTS']);

export const VariableNameSchema = v.pipe(
  v.string(expected('string')),
  v.regex(/^[A-Za-z_][A-Za-z0-9_]*$/, flaw('not a variable name')),
  v.check((name) => !SHELL_OPTION_VARIABLES.has(name), flaw('shell option variable')),
);

export const VariableValueSchema = Text;

export const FileSchema = v.object({
  $schema: v.optional(v.unknown()),
  env: v.optional(ObjectValue),
  before_all: v.optional(Text),
  after_all: v.optional(Text),
  error: v.optional(Text),
  workflows: ObjectValue,
});

export const WorkflowSchema = v.object({
  description: v.optional(Text),
  private: v.optional(v.boolean(expected('boolean'))),
  env: v.optional(ObjectValue),
  steps: ArrayValue,
});

export const StepSchema = v.object({
  run: v.optional(Command),
  workflow: v.optional(NameSchema),
  name: v.optional(NameSchema),
  if: v.optional(Text),
  with: v.optional(ObjectValue),
});

export const ShortStepSchema = Command;

/** What is wrong with a variable's name, if anything is: for names that are not in the file. */
export function variableNameFlaw(name: string): Flaw | undefined {
  const { issues } = v.safeParse(VariableNameSchema, name);
  return FLAWS.find((code) => code === issues?.[0].message);
}
