import * as v from 'valibot';
import {
  ArrayValue,
  Command,
  Duration,
  FilePath,
  Name,
  noNul,
  notEmpty,
  ObjectValue,
  PlainText,
  Question,
  rule,
  Script,
  ScriptLine,
  whole,
  WorkflowName,
} from './schema.ts';

/** The fields that every step can have. */
export const SharedFields = v.object({
  name: v.optional(Name),
  if: v.optional(PlainText),
  with: v.optional(ObjectValue),
  matrix: v.optional(ObjectValue),
  dir: v.optional(FilePath),
});

/** How a resume treats a step that was running when the run was killed. */
const CRASH_CHOICES = ['ask', 'rerun', 'fail'] as const;

/** Whether a resume runs a finished step again, if a later step of its execution runs. */
const RESUME_CHOICES = ['keep', 'rerun'] as const;

/** The maximum number of attempts. */
export const Attempts = v.pipe(
  v.number(rule('a number of attempts')),
  v.check((count) => Number.isInteger(count) && count >= 2 && count <= 100, rule('a number of attempts')),
);

/** The fields that control how a step's command runs. */
export const OptionFields = v.object({
  outputs: v.optional(ObjectValue),
  retry: v.optional(v.union([Attempts, ObjectValue], rule('a retry'))),
  timeout: v.optional(Duration),
  allow_failure: v.optional(v.boolean(rule('a boolean'))),
  on_crash: v.optional(v.picklist(CRASH_CHOICES, rule('a crash choice'))),
  on_resume: v.optional(v.picklist(RESUME_CHOICES, rule('a resume choice'))),
  confirm: v.optional(v.union([Question, v.boolean()], rule('a question'))),
  background: v.optional(v.boolean(rule('a boolean'))),
  ready: v.optional(ObjectValue),
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

export const OPTION_FIELDS: readonly string[] = Object.keys(OptionFields.entries);

export const COMMAND_FIELDS: readonly string[] = Object.keys(CommandFields.entries);

export const StepFields = v.object({
  run: v.optional(Script),
  workflow: v.optional(WorkflowName),
  parallel: v.optional(ArrayValue),
  ...SharedFields.entries,
  ...CommandFields.entries,
  ...GroupFields.entries,
});

/** The fields that a step in the background cannot have, although other commands can. */
export const ENDING_FIELDS: readonly string[] = [
  'outputs',
  'generates',
  'sources',
  'retry',
  'allow_failure',
  'on_crash',
  'on_resume',
];

/** A port, or a text with references. */
const Port = v.union(
  [
    v.pipe(
      v.number(),
      v.check((port) => isPort(String(port)), rule('a port')),
    ),
    v.pipe(
      v.string(),
      v.check((text) => text.includes('${') || isPort(text), rule('a port')),
    ),
  ],
  rule('a port'),
);

/** Whether a text is the number of a port. */
function isPort(text: string): boolean {
  return /^[1-9]\d{0,4}$/.test(text) && Number(text) <= 65_535;
}

const Url = v.pipe(
  v.string(rule('a url')),
  v.check((text) => text.includes('${') || /^https?:\/\/./.test(text), rule('a url')),
  noNul,
  whole,
);

export const ReadyFields = v.object({
  port: v.optional(Port),
  url: v.optional(Url),
  output: v.optional(v.pipe(ScriptLine, notEmpty)),
  run: v.optional(Command),
});

export const RetryFields = v.object({ max_attempts: Attempts, delay: v.optional(Duration) });
