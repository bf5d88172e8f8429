import type { FileFields, WorkflowFields } from './schema.ts';
import type { FieldDocs, Snippet } from './field_help.ts';
import { OPTION_DOCS } from './option_fields.ts';
import type { StepFields } from './step_fields.ts';

const COMMAND_BODY = { name: '${1:name}', run: '${2:command}' } as const;

const WORKFLOW_SNIPPET: Snippet = {
  label: 'workflow',
  description: 'A workflow with one step',
  body: { '${1:name}': { description: '${2:description}', steps: ['${3:command}'] } },
};

/** Whole files, offered in an empty file. */
export const FILE_SNIPPETS: readonly Snippet[] = [
  { label: 'workflow file', description: 'A file with one workflow', body: { workflows: WORKFLOW_SNIPPET.body } },
];

/** Steps, offered in `steps`. */
export const STEP_SNIPPETS: readonly Snippet[] = [
  { label: 'step', description: 'A command with a name', body: COMMAND_BODY },
  {
    label: 'step with a condition',
    description: 'A command that runs if a variable is set and not empty',
    body: { ...COMMAND_BODY, if: '${3:VARIABLE}' },
  },
  {
    label: 'step with retry',
    description: 'A command with several attempts',
    body: { ...COMMAND_BODY, retry: { max_attempts: 3, delay: '10s' } },
  },
  {
    label: 'step with outputs',
    description: 'A command that prints JSON, and a value for later steps',
    body: { ...COMMAND_BODY, outputs: { '${3:KEY}': '$.${4:path}' } },
  },
  {
    label: 'step with a time limit',
    description: 'A command with a time limit',
    body: { ...COMMAND_BODY, timeout: '${3:5m}' },
  },
  { label: 'call', description: 'A call of another workflow', body: { workflow: '${1:workflow}' } },
  {
    label: 'call with variables',
    description: 'A call of another workflow, with variables',
    body: { workflow: '${1:workflow}', with: { '${2:KEY}': '${3:value}' } },
  },
];

export const FILE_DOCS: FieldDocs<typeof FileFields> = {
  $schema: {
    description: 'The schema of this file, for editors.',
    examples: ['./schema.json', '../node_modules/workflow-plan/dist/schema.json'],
  },
  default: { description: 'The workflow that `cli run` runs without a name.', examples: ['release'] },
  agents: {
    description:
      'Whether a coding agent may run its workflows. With `allow`, it may; with `ask` (the default), a person approves each run; with `deny`, it may not. A workflow can override this.',
    examples: ['ask'],
    default: 'ask',
  },
  env: {
    description: 'Variables for all workflows and hooks. They override the process environment.',
    examples: [{ TARGET: 'staging' }],
  },
  dotenv: {
    description:
      'Files of KEY=value lines, whose variables every step gets (for one step only: `cli help variables`). The process environment overrides them. Later files override earlier ones.',
    examples: ['.env', ['.env', '.env.local']],
  },
  include: {
    description: 'Workflows of other files, as NAME:WORKFLOW. Paths are relative to this file.',
    examples: [{ ios: 'ios/workflow.json' }, { ios: { file: 'ios/workflow.json', dir: 'ios' } }],
  },
  secrets: {
    description: 'Programs that print secrets, by variable. A variable of the process environment takes precedence.',
    examples: [{ NPM_TOKEN: { command: ['op', 'read', 'op://ci/npm/token'] } }],
    defaultSnippets: [
      {
        label: 'secret',
        description: 'A secret and the program that prints it',
        body: { '${1:NAME}': { command: ['${2:program}', '${3:argument}'] } },
      },
    ],
  },
  before_all: {
    description: 'A command that runs before the first step. If it fails, no step runs.',
    examples: ['npm ci'],
  },
  after_all: { description: 'A command that runs after all steps succeed.', examples: ['echo Done'] },
  error: { description: 'A command that runs after a failure or an interruption.', examples: ['./notify.sh failed'] },
  finally: {
    description: 'A command that runs last, after success, failure or interruption.',
    examples: ['docker rm -f db'],
  },
  workflows: {
    description: 'The workflows, by name.',
    examples: [
      { ci: { steps: ['npm test'] } },
      { release: { steps: ['npm test', { workflow: 'publish', if: 'PUBLISH' }] } },
    ],
    defaultSnippets: [WORKFLOW_SNIPPET],
  },
};

export const WORKFLOW_DOCS: FieldDocs<typeof WorkflowFields> = {
  description: { description: 'A short description, shown by `cli list`.', examples: ['Build and publish VERSION'] },
  private: {
    description: 'Hides the workflow from `cli list`. It can still be called or run by name.',
    examples: [true],
    default: false,
  },
  agents: {
    description:
      'Whether a coding agent may run it. With `allow`, it may; with `ask`, a person approves each run; with `deny`, it may not. Default: the value of its file. Called workflows can only restrict it.',
    examples: ['allow'],
  },
  aliases: { description: 'Other names of the workflow on the command line.', examples: [['b']] },
  inputs: {
    description:
      'The parameters of the workflow, by name: `cli run NAME VERSION:1.2.0`, or only the value. With this field, a parameter that is neither declared nor mentioned by the workflow is an error.',
    examples: [{ VERSION: { required: true } }, { VERSION: { description: 'The version to publish', required: true } }],
    defaultSnippets: [
      {
        label: 'required input',
        description: 'A parameter that the workflow requires',
        body: { '${1:NAME}': { description: '${2:description}', required: true } },
      },
    ],
  },
  env: {
    description:
      'Variables for this workflow and its calls. ${vars.NAME} in a value is the value of a variable of an outer scope.',
    examples: [{ MODE: 'fast' }, { IMAGE: 'app:${vars.VERSION}' }],
  },
  dotenv: {
    description: 'Files of KEY=value lines for this workflow. The process environment overrides them.',
    examples: ['.env.release', '.env.${vars.STAGE}'],
  },
  dir: {
    description: 'The working directory of the commands, relative to that of the project.',
    examples: ['packages/app'],
  },
  error: { description: 'A command that runs if this workflow fails or is interrupted.', examples: ['./alert.sh'] },
  finally: { description: 'A command that runs whenever this workflow ends.', examples: ['./unlock.sh'] },
  once: { description: 'Whether only the first of several equal calls is executed.', examples: [true], default: false },
  logs: {
    description:
      'Whether runs store the output of commands. `cli runs logs` prints it. `--logs` and `--no-logs` override this field. It applies if the workflow itself is run, not if it is called.',
    examples: [true],
  },
  lock: {
    description:
      'At most one run of this project holds a lock of this name at a time; others wait for it, or fail with `--no-wait`. `true`: the name of the workflow. ${vars.NAME} is the value of a variable.',
    examples: [true, 'deploy-${vars.STAGE}'],
  },
  steps: {
    description: 'The steps, in order. Without any, the workflow succeeds.',
    examples: [['npm test', { name: 'tag', run: 'git tag "$VERSION"' }]],
  },
};

export const STEP_DOCS: FieldDocs<typeof StepFields> = {
  run: {
    description:
      'The shell command to run, or a list of lines, which ends at the first failing line (`-e`); "$@" means the arguments of `cli run NAME -- ARGUMENT`. A text with line breaks continues after a failing line. A step has `run`, `workflow` or `parallel`.',
    examples: ['npm test', ['npm ci', 'npm test']],
  },
  workflow: { description: 'The name of the workflow to call, of this file or an included one.', examples: ['build'] },
  name: { description: 'The name of the step in the result. Default: `step_<n>`.', examples: ['upload'] },
  if: {
    description:
      'The condition of the step: the name of a variable (holds if it is set and not empty), or a shell command (holds if it exits with 0).',
    examples: ['PUBLISH', 'test -d dist'],
  },
  with: {
    description:
      'Variables for this step or the called workflow. ${steps.NAME.KEY} refers to an output of an earlier step, ${steps.NAME.KEY:-text} uses the text if there is none.',
    examples: [{ MODE: 'fast' }],
  },
  matrix: {
    description:
      'Variables with lists of texts ("20", not 20): the step runs once for each combination, one after the other, or at once as a member of a group. In each copy, they are set as in `with`.',
    examples: [{ OS: ['linux', 'mac'], NODE: ['20', '22'] }],
  },
  dir: {
    description: 'The working directory of the command or the called workflow, relative to that of the project.',
    examples: ['packages/app'],
  },
  secrets: { description: 'The secrets that the command gets. No other command has them.', examples: [['NPM_TOKEN']] },
  sources: {
    description:
      'Patterns of the files that the step reads. It is skipped if these files, its command, its variables and the generated files have not changed since its last success.',
    examples: [['src/**/*.c']],
  },
  generates: { description: 'Patterns of the files that the step makes.', examples: [['bin/app']] },
  ...OPTION_DOCS,
  parallel: {
    description:
      'Steps that run in parallel. If one fails, the others still finish, and then the run fails. Later steps can refer to their outputs.',
    examples: [['npm run lint', { name: 'test', run: 'npm test' }]],
  },
  max_parallel: { description: 'The maximum number of members at once (1 to 1000). Default: all.', examples: [4] },
  fail_fast: { description: 'Whether the first failure cancels the others.', examples: [true], default: false },
  output: {
    description:
      'With `grouped`, the output of each member, or of a step in the background, is printed as a whole when it ends. Default: line by line, each line with the name of the member or step.',
    examples: ['grouped'],
  },
};
