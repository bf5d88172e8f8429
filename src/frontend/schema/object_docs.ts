import type { FieldDocs } from './field_help.ts';
import type { HookFields, IncludeFields, InputFields, SecretFields } from './schema.ts';
import type { ReadyFields, RetryFields } from './option_fields.ts';

/* The help on the fields of objects inside of files, workflows and steps. */

export const INCLUDE_DOCS: FieldDocs<typeof IncludeFields> = {
  file: { description: 'The path of the file, relative to this file.', examples: ['ios/workflow.json'] },
  dir: {
    description: 'The working directory of the included workflows, unless they set their own.',
    examples: ['ios'],
  },
};

export const HOOK_DOCS: FieldDocs<typeof HookFields> = {
  run: { description: 'The command, or a list with the lines of a script.', examples: ['npm test'] },
  secrets: {
    description: 'The secrets of the file that the command gets in its environment.',
    examples: [['NPM_TOKEN']],
  },
};

export const SECRET_DOCS: FieldDocs<typeof SecretFields> = {
  command: {
    description: 'The program that prints the secret, and its arguments. No shell interprets them.',
    examples: [['pass', 'slack']],
  },
  value: {
    description: 'The path of the value in JSON output. With `text`, the default, the value is the whole output.',
    examples: ['$.password'],
    default: 'text',
  },
  timeout: { description: 'The time limit of the program.', examples: ['20s'], default: '1m' },
};

export const INPUT_DOCS: FieldDocs<typeof InputFields> = {
  description: {
    description: 'A short description, shown by lists, help and usage errors.',
    examples: ['The version'],
  },
  required: {
    description:
      'Whether a value is required. If no parameter, `with`, `env` or process environment sets one, nothing runs.',
    examples: [true],
    default: false,
  },
  default: { description: 'The value if no other source sets the variable.', examples: ['beta', true] },
  type: {
    description:
      '`boolean`: `true`, `yes`, `y`, `on` and `1` become `true`; `false`, `no`, `n`, `off`, `0` and empty become empty. `choice`: one of `options`.',
    examples: ['boolean', 'choice'],
    default: 'string',
  },
  options: {
    description: 'The permitted values, for the type `choice`. The field `type` can be left out.',
    examples: [['beta', 'production']],
  },
  secret: { description: 'Whether the value is masked, regardless of its name.', examples: [true], default: false },
};

export const RETRY_DOCS: FieldDocs<typeof RetryFields> = {
  max_attempts: { description: 'The maximum number of attempts, including the first.', examples: [3] },
  delay: { description: 'The delay after a failed attempt.', examples: ['500ms', '10s'], default: '1s' },
};

export const READY_DOCS: FieldDocs<typeof ReadyFields> = {
  port: { description: 'A port of this machine on which connections are accepted.', examples: [8000, '${vars.PORT}'] },
  url: { description: 'A URL that answers with a status below 500.', examples: ['http://localhost:8000/health'] },
  output: { description: 'A text in a line of the output of the step.', examples: ['listening'] },
  run: { description: 'A command that exits with 0.', examples: ['pg_isready'] },
};
