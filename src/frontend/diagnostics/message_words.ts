/* The ends of messages, by the kind of mistake. Each follows the name of the offending field. */
import { PATTERN_LIMIT } from '../../base/pattern_limit.ts';

const SHELL_CONDITION = 'is not shell syntax; write the name of a variable, or a command such as [ "$NAME" = "value" ]';

export const BAD_INPUT = {
  'required with default': "has both 'required' and 'default': with a default, no value is required",
  'options without choice': 'has \'options\', which apply only to "type": "choice"',
  'choice without options': "is a choice and needs 'options' with at least one value",
  'boolean default': 'has true or false as its default, which needs "type": "boolean"',
  'default is no boolean': 'is a boolean, so its default must be true or false',
  'default is no option': "has a default that is not one of its 'options'",
} as const;

export const BAD_MATRIX = {
  'no variables': 'needs at least one variable',
  'no values': 'needs at least one value',
  'equal values': 'has this value twice',
  'in with': "is also in 'with'; a variable can be in one of them",
} as const;

export const BAD_PATTERN = {
  output:
    'refers to an output, which is not known before the run: a pattern can refer to variables only, as ${vars.NAME}',
  'excludes first': "excludes files before a pattern includes any: begin with one without '!'",
  'too long': `has more than ${PATTERN_LIMIT} characters, the limit of a path; write several patterns`,
  'no files': "is empty, so 'generates' must name at least one file",
  'without sources': 'needs \'sources\'; for a step that reads no files, add "sources": []',
} as const;

export const BAD_CONDITION = {
  expression: `contains \${{ … }}, which ${SHELL_CONDITION}`,
  template: `contains {{ … }}, which ${SHELL_CONDITION}`,
  'double quote': 'has an unterminated double quote',
  'single quote': 'has an unterminated single quote',
  backquote: 'has an unterminated backquote',
} as const;

export const NOT_EXPANDED = {
  value: 'contains a $NAME, which is not expanded: to refer to a variable of an outer scope, write ${vars.NAME}',
  expression: 'contains ${{ … }}, which is not expanded: to refer to a variable of an outer scope, write ${vars.NAME}',
  directory: 'contains a $NAME, which is not expanded: write ${vars.NAME}, or use cd in the command',
  home: 'begins with ~, which is not expanded: write ${vars.HOME}, or use cd in the command',
  question: 'contains a $NAME, which is not expanded: write ${vars.NAME}',
  path: 'contains a $NAME or ~, which is not expanded: the path is used as written',
  reference: "contains a reference to an output, which is not expanded here: use it in the 'with' of a step",
  argument: 'contains a reference to an output, which is not expanded: the program gets it as written',
} as const;

export const MISPLACED = {
  command: "applies only to steps with 'run'; set it on the steps of the called workflow",
  'command or call': "applies only to steps with 'run' or 'workflow'; set it on the members of the group",
  group: "applies only to steps with 'parallel'",
  'no sources': "cannot be used with 'sources', which decide whether the step runs; remove one of them",
  'no once':
    'cannot be used in a workflow with "once": true, which runs once in a run; set it on a step of the calling workflow',
  background: 'applies only to steps with "background": true',
  'no background':
    'cannot be used with "background": true: such a step runs until its workflow ends; set it on a step that ends, or remove it',
  'no member':
    'cannot be used on a member of a group: put the step before the group, or into a workflow that the member calls',
  ready: "limits the time until a step in the background is ready: add 'ready', or remove it",
  'one kind of ready': "needs one of 'port', 'url', 'output' and 'run'",
  'no other kind of ready': "must have only one of 'port', 'url', 'output' and 'run'",
  name: "requires the step to have a 'name', which ${steps.NAME.KEY} refers to",
} as const;

/** See `plan_size.ts`. */
export const TEXT_LIMIT = '67108864 characters (64 MiB)';

/** What is wrong with the value of a variable in the place of a reference. */
export const UNUSABLE_VALUE = {
  'too long': 'with its value, the variable would have more than 131071 bytes (NAME=value), the limit of the system',
  'long pattern': `with its value, the pattern has more than ${PATTERN_LIMIT} characters, the limit of a path`,
  'too much text': `with its value, the values of the plan have more than ${TEXT_LIMIT}`,
  'empty directory': 'the directory is empty',
  'empty lock': 'the name of the lock is empty',
  'secret lock': 'the value is secret, and the name of a lock is shown',
  'empty path': 'the path is empty',
  'secret path': 'the value is secret, and the path of a dotenv file is shown',
} as const;

export const OVERRIDDEN = {
  scopes: 'an inner scope always overrides it',
  parameter: 'a parameter overrides it',
} as const;
