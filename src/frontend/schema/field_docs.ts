import type { FileFields, RetryFields, StepFields, WorkflowFields } from './schema.ts';

/** What an editor says of a field. */
type FieldDoc = Readonly<{ description: string; examples: readonly unknown[] }>;

/** Every field has its words: the type asks for those that are missing. */
type FieldDocs<Fields extends { entries: object }> = Readonly<Record<keyof Fields['entries'], FieldDoc>>;

export const FILE_DOCS: FieldDocs<typeof FileFields> = {
  $schema: {
    description: 'The schema of this file, for editors.',
    examples: ['../node_modules/workflow-cli/dist/schema.json'],
  },
  env: {
    description: 'Variables for every command. The weakest source: all others lie over them.',
    examples: [{ TARGET: 'staging' }],
  },
  before_all: {
    description: 'A command that runs before the first step; if it fails, no step runs.',
    examples: ['npm ci'],
  },
  after_all: { description: 'A command that runs when all steps have succeeded.', examples: ['echo Done'] },
  error: {
    description: 'A command that runs when a step or hook has failed, or the run was interrupted.',
    examples: ['./notify.sh "release failed"'],
  },
  finally: {
    description: 'A command that runs last, whether the run succeeded, failed or was interrupted.',
    examples: ['docker compose down'],
  },
  workflows: {
    description: 'The workflows, by name.',
    examples: [{ release: { steps: ['npm test', { workflow: 'publish', if: 'PUBLISH' }] } }],
  },
};

export const WORKFLOW_DOCS: FieldDocs<typeof WorkflowFields> = {
  description: {
    description: 'What the workflow does, for `cli workflow list`.',
    examples: ['Build and publish VERSION'],
  },
  private: { description: 'Whether `cli workflow list` leaves it out. It can be run all the same.', examples: [true] },
  env: {
    description: 'Variables for the commands of this workflow and of those that it calls.',
    examples: [{ MODE: 'fast' }],
  },
  dir: {
    description: 'The folder that the commands run in, relative to where the tool was started.',
    examples: ['packages/app'],
  },
  steps: {
    description: 'What runs, in this order.',
    examples: [['npm test', { name: 'tag', run: 'git tag "$VERSION"' }]],
  },
};

export const STEP_DOCS: FieldDocs<typeof StepFields> = {
  run: { description: 'A command for the shell. A step has either this or `workflow`.', examples: ['npm test'] },
  workflow: {
    description: 'The name of a workflow that is called. A step has either this or `run`.',
    examples: ['build'],
  },
  name: { description: 'What the step is called in the result; `step_<n>` if it has no name.', examples: ['upload'] },
  if: {
    description:
      'The step runs only if this holds: the name of a variable (holds if that is not empty), or a command (holds if it exits with 0).',
    examples: ['PUBLISH', 'test -d dist'],
  },
  with: {
    description: 'Variables for this step, or for the called workflow. ${steps.NAME.KEY} gives the output of a step.',
    examples: [{ MODE: 'fast' }],
  },
  dir: {
    description: 'The folder that the command runs in, relative to where the tool was started.',
    examples: ['packages/app'],
  },
  outputs: {
    description:
      'Variables that commands after this one use as ${steps.NAME.KEY}, each with a JSON path (RFC 9535, to one value) into what this step prints: one JSON text.',
    examples: [{ BUILD_ID: '$.data[0].id' }],
  },
  retry: {
    description: 'How many times to try in all (2 to 100), and how long to wait between two attempts.',
    examples: [{ max_attempts: 3, delay: '10s' }],
  },
  timeout: {
    description: 'How long each attempt may take, at most 24h. Then all that it started is ended.',
    examples: ['30s', '1h30m'],
  },
  allow_failure: { description: 'Whether the run goes on if this step fails.', examples: [true] },
};

export const RETRY_DOCS: FieldDocs<typeof RetryFields> = {
  max_attempts: { description: 'How many attempts there are at most, the first one too.', examples: [3] },
  delay: { description: 'How long to wait after an attempt that failed.', examples: ['500ms', '10s'] },
};
