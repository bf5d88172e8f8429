import * as v from 'valibot';
import { ArrayValue, FilePath, Name, ObjectValue, PlainText, rule, Script, WorkflowName } from './schema.ts';
import { OptionFields } from './option_fields.ts';

/** The fields that every step can have. */
export const SharedFields = v.object({
  name: v.optional(Name),
  if: v.optional(PlainText),
  with: v.optional(ObjectValue),
  matrix: v.optional(ObjectValue),
  dir: v.optional(FilePath),
});

/** The fields of steps with a command, which calls cannot have. */
const CommandFields = v.object({
  secrets: v.optional(ArrayValue),
  sources: v.optional(ArrayValue),
  generates: v.optional(ArrayValue),
  ...OptionFields.entries,
});

/** The fields that say how the members of a group run. */
export const GroupFields = v.object({
  max_parallel: v.optional(
    v.pipe(
      v.number(rule('a number of members')),
      v.check((count) => Number.isInteger(count) && count >= 1 && count <= 1000, rule('a number of members')),
    ),
  ),
  fail_fast: v.optional(v.boolean(rule('a boolean'))),
  output: v.optional(v.picklist(['lines', 'grouped'], rule('an output mode'))),
});

export const GROUP_FIELDS: readonly string[] = Object.keys(GroupFields.entries);

/** The fields that groups cannot have, although other steps can. */
export const COPY_FIELDS: readonly string[] = ['matrix'];

/** The fields of which a step has exactly one. */
export const KIND_FIELDS: readonly string[] = ['run', 'workflow', 'parallel'];

export const COMMAND_FIELDS: readonly string[] = Object.keys(CommandFields.entries);

export const StepFields = v.object({
  run: v.optional(Script),
  workflow: v.optional(WorkflowName),
  parallel: v.optional(ArrayValue),
  ...SharedFields.entries,
  ...CommandFields.entries,
  ...GroupFields.entries,
});
