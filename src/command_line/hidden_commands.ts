import type { Command } from './commands.ts';

/** Called by the completion scripts; not in the help. */
export const COMPLETION_CALLBACK: Command = {
  words: 'completion words',
  operands: { usage: ' -- <shell> <word> ...', missing: 'the shell' },
  describe: 'Print the completions of a word',
  flags: [],
  example: ["cli completion words -- fish cli run ''", 'Complete the name of a workflow'],
};

/** Started by workers for each run; not in the help. */
export const RUN_PROCESS: Command = {
  words: 'workflow process',
  describe: 'Carry out one run of a worker',
  flags: [],
  example: ['cli workflow process', 'Carry out one run of a worker'],
};
