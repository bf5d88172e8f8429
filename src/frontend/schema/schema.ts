import * as v from 'valibot';
import { millisecondsOf } from './duration.ts';
import { isKeyOf } from '../../base/keys.ts';
import { RULES, type Rule } from './rules.ts';
import type { ArrayNode, JsonNode, ObjectNode } from '../syntax/json_tree.ts';

/*
 * The shapes of a workflow file, one level each: a schema sees the fields of one object, in which nested objects and
 * arrays are still syntax nodes. Keyed data (workflows, variables) never becomes a plain object, which would lose keys
 * such as `__proto__`. The message of each schema is the name of a rule.
 */

export const rule = (name: Rule): Rule => name;
const isNode = (value: unknown, kind: JsonNode['kind']): boolean =>
  typeof value === 'object' && value !== null && 'kind' in value && value.kind === kind;

export const ObjectValue = v.custom<ObjectNode>((value) => isNode(value, 'object'), rule('an object'));
export const ArrayValue = v.custom<ArrayNode>((value) => isNode(value, 'array'), rule('an array'));
export const noNul = v.check((text: string) => !text.includes('\0'), rule('no NUL'));
const noControls = v.check(
  (text: string) => /^[ -~]*$/.test(text) || !hasControls(text),
  rule('no control characters'),
);
export const whole = v.check((text: string) => text.isWellFormed(), rule('whole characters'));
const notBlank = v.check((text: string) => text.trim() !== '', rule('not blank'));
export const notEmpty = v.check((text: string) => text !== '', rule('not empty'));

/** A separate function, called for few names: V8 reads Unicode tables when it compiles the pattern. */
function hasControls(text: string): boolean {
  return /\p{Cc}/u.test(text);
}

export const PlainText = v.pipe(v.string(rule('a string')), noNul, whole);
export const Command = v.pipe(PlainText, notBlank);
/** One line of a script. */
export const ScriptLine = v.pipe(
  PlainText,
  v.check((text: string) => !/[\r\n]/.test(text), rule('one line')),
);
/** The name of a workflow or step. */
export const Name = v.pipe(v.string(rule('a string')), notEmpty, noControls, whole);

/** The name of an existing workflow. No number is one, even in quotes. */
export const WorkflowName = v.pipe(v.string(rule('a name')), notEmpty, noControls, whole);

/** A one-line question. */
export const Question = v.pipe(Name, notBlank);

/** A command, or the lines of a script. */
export const Script = v.union([Command, ArrayValue], rule('a command'));
/** The command of a hook, which may be blank. */
const HookScript = v.union([PlainText, ArrayValue], rule('a command'));
/** A hook: its command, or an object. */
const Hook = v.union([PlainText, ArrayValue, ObjectValue], rule('a hook'));

/** The path of a file or directory, relative to the current directory. */
export const FilePath = v.pipe(PlainText, notEmpty);
export const Path = v.string(rule('a JSON path'));
/** A duration such as `1h30m`. */
export const Duration = v.pipe(
  v.string(rule('a duration')),
  v.check((text) => millisecondsOf(text) !== undefined, rule('a duration')),
);

/**
 * Variables that neither a file nor a parameter may set. Some change how the shell runs a command: `SHELLOPTS=noexec`
 * turns every step into a silent success. Others are set by bash itself: the value would be lost, or another one in a
 * script. `CLI_CALLER_DIR` is set by this tool. A POSIX extended regular expression, for scripts.
 */
export const RESERVED_VARIABLES =
  /^(_|SHLVL|SHELLOPTS|BASHOPTS|BASH_(ARGC|ARGV|ENV|LINENO|SOURCE)|CLI_CALLER_DIR|CLI_(RUN|OUTPUT)_[0-9].*)$/s;

export const VariableName = v.pipe(
  v.string(rule('a name')),
  v.regex(/^[A-Za-z_][A-Za-z0-9_]*$/, rule('a variable name')),
  v.check((name) => !RESERVED_VARIABLES.test(name), rule('no reserved variable')),
);

/** One path, or several. */
const Paths = v.union([FilePath, ArrayValue], rule('paths'));

/** Whether agents may start a run, from the loosest to the strictest. */
const AGENT_POLICIES = ['allow', 'ask', 'deny'] as const;
const AgentPolicy = v.picklist(AGENT_POLICIES, rule('an agent policy'));

export const FileFields = v.object({
  $schema: v.optional(v.unknown()),
  default: v.optional(WorkflowName),
  agents: v.optional(AgentPolicy),
  env: v.optional(ObjectValue),
  dotenv: v.optional(Paths),
  include: v.optional(ObjectValue),
  secrets: v.optional(ObjectValue),
  before_all: v.optional(Hook),
  after_all: v.optional(Hook),
  error: v.optional(Hook),
  finally: v.optional(Hook),
  workflows: ObjectValue,
});

export const HookFields = v.object({ run: HookScript, secrets: v.optional(ArrayValue) });

/** A secret: the program that prints it. */
export const SecretFields = v.object({ command: ArrayValue, value: v.optional(Path), timeout: v.optional(Duration) });

/** The name of an include. A colon separates it from the name of a workflow. */
export const IncludeName = v.pipe(
  Name,
  v.check((name: string) => !name.includes(':'), rule('no colon')),
);

/** An include is the path of a file, or an object. */
export const IncludeEntry = v.union([FilePath, ObjectValue], rule('an include'));

export const IncludeFields = v.object({ file: FilePath, dir: v.optional(FilePath) });

export const WorkflowFields = v.object({
  description: v.optional(PlainText),
  private: v.optional(v.boolean(rule('a boolean'))),
  agents: v.optional(AgentPolicy),
  aliases: v.optional(ArrayValue),
  inputs: v.optional(ObjectValue),
  env: v.optional(ObjectValue),
  dotenv: v.optional(Paths),
  dir: v.optional(FilePath),
  error: v.optional(Hook),
  finally: v.optional(Hook),
  once: v.optional(v.boolean(rule('a boolean'))),
  logs: v.optional(v.boolean(rule('a boolean'))),
  lock: v.optional(v.union([Name, v.literal(true)], rule('a lock'))),
  steps: ArrayValue,
});

/** The types of inputs. */
const INPUT_TYPES = ['string', 'boolean', 'choice'] as const;

export const InputFields = v.object({
  description: v.optional(PlainText),
  required: v.optional(v.boolean(rule('a boolean'))),
  default: v.optional(v.union([PlainText, v.boolean()], rule('a string or boolean'))),
  type: v.optional(v.picklist(INPUT_TYPES, rule('an input type'))),
  options: v.optional(ArrayValue),
  secret: v.optional(v.boolean(rule('a boolean'))),
});

/** The shape of one kind of object in a file. */
export type ObjectShape = v.ObjectSchema<v.ObjectEntries, undefined>;

type CamelCase<Name extends string> = Name extends `${infer Head}_${infer Tail}`
  ? `${Head}${Capitalize<CamelCase<Tail>>}`
  : Name;

/**
 * A property for each field of a shape, with the field's type in `Result`. If a field is missing from either, the code
 * does not compile.
 */
export type EveryField<Shape extends ObjectShape, Result> = {
  readonly [Field in keyof Shape['entries']]: Result[CamelCase<Field & string> & keyof Result];
};

/** The first rule that a value breaks; undefined if it is valid. */
export function brokenRule(schema: v.GenericSchema, value: unknown): Rule | undefined {
  const { issues } = v.safeParse(schema, value);
  return issues === undefined ? undefined : ruleOf(issues[0]);
}

/** The rule of a valibot issue. */
export function ruleOf(issue: v.BaseIssue<unknown>): Rule {
  if (isKeyOf(RULES, issue.message)) return issue.message;
  throw new Error(`not a rule: ${issue.message}`);
}
