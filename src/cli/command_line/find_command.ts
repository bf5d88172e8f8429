import { COMMANDS, type Command } from './command_table.ts';

/** Other names of commands. */
const ALIASES: ReadonlyMap<string, string> = new Map([['page', 'ui']]);

/** The callback of the completion scripts. It is not in the help. */
const COMPLETION_CALLBACK: Command = {
  words: 'completion words',
  operands: { usage: ' -- <shell> <word> ...', missing: 'the shell is missing' },
  describe: 'Print the completions of a word',
  flags: [],
  example: ["cli completion words -- fish cli ''", 'Complete a word'],
};

/** The process of a run, which workers, pages and agents start. It is not in the help. */
const RUN_PROCESS: Command = {
  words: 'workflow process',
  describe: 'Carry out one run of a worker',
  operands: { usage: ' [-- <word> ...]' },
  flags: [],
  example: ['cli workflow process', 'Carry out one run of a worker'],
};

/** The form of a command: `cli run` prints for people, `cli workflow run` prints documents for scripts. */
export type Form = 'short' | 'long';

/** A command, its form, and the number of its words on the command line. */
export type FoundCommand = Readonly<{ command: Command; form: Form; length: number }>;

/** The command at the beginning of a command line. */
export function findCommand(line: readonly string[]): FoundCommand | undefined {
  for (const command of [...COMMANDS, COMPLETION_CALLBACK, RUN_PROCESS]) {
    if (ALIASES.get(line[0] ?? '') === command.words) return { command, form: 'short', length: 1 };
    // In the short form, it would be the name of a workflow.
    for (const form of command === RUN_PROCESS ? (['long'] as const) : (['long', 'short'] as const)) {
      const words = wordsIn(form, command).split(' ');
      if (words.every((word, index) => word === line[index])) return { command, form, length: words.length };
    }
  }
  return undefined;
}

/** The command of a whole command line. Nothing lists the workflows, and `runs` alone lists the runs. */
export function commandOfLine(line: readonly string[]): FoundCommand | undefined {
  const found = findCommand(line);
  if (found !== undefined || line.length > 1) return found;
  const command = COMMANDS.find((each) => shortWords(each) === [...line, 'list'].join(' '));
  return command === undefined ? undefined : { command, form: 'short', length: line.length };
}

/** The words of a command's short form. */
export function shortWords({ words }: Command): string {
  return words.replace(/^workflow /, '');
}

/** The words of a command in one of its forms. */
export function wordsIn(form: Form, command: Command): string {
  return form === 'short' ? shortWords(command) : command.words;
}

/** The commands, in either form, that begin with the given words and have more. */
export function groupOf(line: readonly string[]): string[] {
  const start = `${line.join(' ')} `;
  const all = COMMANDS.flatMap((command) => [command.words, shortWords(command)]);
  return [...new Set(all)].filter((words) => words.startsWith(start));
}

/** The first words of a line that name no command: a group of commands and one word more, or one word. */
export function unknownWords(line: readonly string[]): readonly string[] {
  const length = [2, 1].find((each) => line.length >= each && groupOf(line.slice(0, each)).length > 0) ?? 0;
  return line.slice(0, length + 1);
}
