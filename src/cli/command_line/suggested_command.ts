import { shellWord } from '../../base/shell_word.ts';
import { DEFAULT_FILE } from './default_file.ts';
import { createHiding } from './redact.ts';

/** A command of the tool to type next, quoted for a shell. `file` is the path of the workflow file. */
export function suggestedCommand(file: string, ...words: readonly string[]): string {
  const flag = file === DEFAULT_FILE ? [] : ['--file', file];
  return ['cli', ...words, ...flag].map(shellWord).join(' ');
}

/**
 * Words of a command line, quoted for a shell. From the first word on that may be a secret, `…` stands for the rest.
 * `line` contains all words of the line, and `known` a word that is no secret.
 */
export function repeatWords(words: readonly string[], line: readonly string[], known?: string): string {
  const isHidden = createHiding(line);
  const end = words.findIndex((word) => word !== known && isHidden(word));
  return end === -1 ? words.map(shellWord).join(' ') : [...words.slice(0, end).map(shellWord), '…'].join(' ');
}

/**
 * A hint for a line such as `run NAME --fix`, whose words from `first` on, an unknown flag, are probably meant for the
 * commands of the workflow. `length` is the number of words of the command.
 */
export function argumentsHint(line: readonly string[], first: number, length: number): string[] {
  const [own, args] = [line.slice(0, first), line.slice(first).filter((word) => word !== '--')];
  const isNamed = own.filter((word) => !word.startsWith('-')).length > length;
  return isNamed ? [`to pass them on: cli ${repeatWords([...own, '--', ...args], line)}`] : [];
}
