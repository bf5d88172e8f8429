import { didYouMean } from '../frontend/diagnostics/suggest.ts';
import { HIDDEN } from './redact.ts';
import { COMMANDS, COMPLETION_CALLBACK, type Command } from './spec.ts';

/** The form of a command: `cli run` prints for people, `cli workflow run` prints documents for scripts. */
export type Form = 'short' | 'long';

/** A command, its form, and the number of its words on the command line. */
export type FoundCommand = Readonly<{ command: Command; form: Form; length: number }>;

/** The command of a line without words. */
export const BARE = 'list';

/** The command that a command line begins with. */
export function findCommand([first = '', second = '']: readonly string[]): FoundCommand | undefined {
  for (const command of [...COMMANDS, COMPLETION_CALLBACK]) {
    if (command.words === `${first} ${second}`) return { command, form: 'long', length: 2 };
    if (command.words === `workflow ${first}`) return { command, form: 'short', length: 1 };
  }
  return undefined;
}

/** The words of a command as people type it. */
export function shortWords({ words }: Command): string {
  return words.replace(/^workflow /, '');
}

/** The words of a command in one of its forms. */
export function wordsIn(form: Form, command: Command): string {
  return form === 'short' ? shortWords(command) : command.words;
}

/** The commands whose long form begins with a word. */
export function groupOf(word: string): string[] {
  return COMMANDS.map(({ words }): string => words).filter((words) => words.startsWith(`${word} `));
}

/** The error for a command line that begins with no command. */
export function unknownCommand(words: readonly string[], redact: (word: string) => string): string {
  const [first = '', second] = words;
  const group = groupOf(first);
  const known = group.length > 0 ? group : [...COMMANDS.map(shortWords), 'help', 'version'];
  const all = `; commands: ${known.join(', ')}`;
  if (group.length > 0 && second === undefined) return `the command is missing${all}`;
  const given = group.length > 0 ? [first, second ?? ''] : [first];
  const quoted = given.map(redact);
  if (quoted.includes(HIDDEN)) return `unknown command ${HIDDEN}${all}`;
  const text = quoted.map((word) => word.slice(1, -1)).join(' ');
  return `unknown command '${text}'${didYouMean(given.join(' '), known, all)}`;
}
