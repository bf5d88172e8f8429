/** The topics of the help, and what they are about. */
export const TOPICS = {
  file: 'The workflow file: every field, with an example',
  variables: 'Where variables get their values, and which are secret',
  conditions: 'When a step runs, and how to preview it',
  outputs: 'Values that a step passes on to later steps',
  inputs: 'The parameters of a workflow, and arguments for its commands',
  parallel: 'Steps that run at the same time',
  resuming: 'What to do after a failed run, and how to run a part',
  machines: 'Runs on other machines',
  ci: 'Reports, annotations and checks for CI services and scripts',
  'exit-codes': 'The exit codes of cli',
} as const;

export type Topic = keyof typeof TOPICS;
