import { didYouMean } from '../frontend/diagnostics/suggest.ts';
import { HIDDEN } from './redact.ts';
import { COMMANDS, type Command } from './commands.ts';

/** The callback of the completion scripts. It is not in the help. */
const COMPLETION_CALLBACK: Command = {
  words: 'completion words',
  operands: { usage: ' -- <shell> <word> ...', missing: 'the shell is missing' },
  describe: 'Print the completions of a word',
  flags: [],
  example: ["cli completion words -- fish cli run ''", 'Complete the name of a workflow'],
};

/** The process of a run, which workers start. It is not in the help. */
const RUN_PROCESS: Command = {
  words: 'workflow process',
  describe: 'Carry out one run of a worker',
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
    for (const form of ['long', 'short'] as const) {
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

/** The error for a command line that does not begin with a command. */
export function unknownCommand(words: readonly string[], redact: (word: string) => string): string {
  const length = [2, 1].find((each) => words.length >= each && groupOf(words.slice(0, each)).length > 0) ?? 0;
  const group = length === 0 ? [] : groupOf(words.slice(0, length));
  const known = group.length > 0 ? group : [...COMMANDS.map(shortWords), 'help', 'version'];
  const all = `; commands: ${known.join(', ')}`;
  if (length > 0 && words.length === length) return `the command is missing${all}`;
  const given = words.slice(0, length + 1);
  const quoted = given.map(redact);
  if (quoted.includes(HIDDEN)) return `unknown command ${HIDDEN}${all}`;
  const text = quoted.map((word) => word.slice(1, -1)).join(' ');
  return `unknown command '${text}'${didYouMean(given.join(' '), known, all)}`;
}

/** A hint for users of make, just and npm scripts, who may type a workflow in place of a command. */
export function runHint(words: readonly string[]): string[] {
  return groupOf(words.slice(0, 1)).length > 0 ? [] : ['to run a workflow: cli run <name>'];
}
