import type { Command } from './spec.ts';

/** Called by the completion scripts; not in the help. */
export const COMPLETION_CALLBACK: Command = {
  words: 'completion words',
  operands: { usage: ' -- <shell> <word> ...', missing: 'the shell' },
  describe: 'Print the completions of a word',
  flags: [],
  example: ["cli completion words -- fish cli run ''", 'Complete the name of a workflow'],
};
