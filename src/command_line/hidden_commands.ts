import type { Command } from './commands.ts';

/** The callback of the completion scripts. It is not in the help. */
export const COMPLETION_CALLBACK: Command = {
  words: 'completion words',
  operands: { usage: ' -- <shell> <word> ...', missing: 'the shell is missing' },
  describe: 'Print the completions of a word',
  flags: [],
  example: ["cli completion words -- fish cli run ''", 'Complete the name of a workflow'],
};

/** The process of a run, which workers start. It is not in the help. */
export const RUN_PROCESS: Command = {
  words: 'workflow process',
  describe: 'Carry out one run of a worker',
  flags: [],
  example: ['cli workflow process', 'Carry out one run of a worker'],
};
