import { shortWords, type FoundCommand } from '../find_command.ts';
import { keysOf } from '../../../base/keys.ts';
import { defaultFormat } from '../parse_command_line.ts';
import { flagSpec, LETTERS, type Flag } from '../flags.ts';
import type { Command } from '../command_table.ts';

/** Where results go, for the manual page. */
export const INTRODUCTION = `The default workflow file is .cli/workflow.json in the current directory or, if
there is none, in the nearest parent directory that has one.
Results are printed to standard output, everything else to standard error.
For scripts, 'cli workflow run' and so on print JSON.`;

export const EXIT_CODES = `Exit codes:
  0   success: the run succeeded, the file is valid, credentials are set
  1   failure: the run failed, the file is invalid, the plan has changed
  2   the command could not start; nothing was run
  70  internal error
  74  the result or the report could not be written
  75  the database is unavailable; the remote run continues
An interrupted run ends with the signal that interrupted it.`;

/** The width of the help, in columns, unless the terminal is narrower. */
export const HELP_WIDTH = 80;

/** The width that the second column of a table has, if need be in lines below the first. */
const LEAST_TEXT = 24;

/** The usage of a command's operands. It starts with a blank. */
export function usage({ operands }: Command): string {
  return operands?.usage ?? '';
}

/** The lines of a table with two columns, the second of which is wrapped. A long name gets a line of its own. */
export function twoColumns(
  rows: readonly (readonly [name: string, text: string])[],
  columns: number,
  most = 30,
): string[] {
  const limit = Math.min(most, columns - LEAST_TEXT - 4);
  const lengths = rows.map(([name]) => name.length).filter((length) => length <= limit);
  const width = Math.max(0, ...lengths) + 4;
  return rows.flatMap(([name, text]) => {
    const [first = '', ...rest] = wrap(text, columns - width);
    const below = rest.map((line) => ' '.repeat(width) + line);
    if (name.length <= limit) return [`  ${name}`.padEnd(width) + first, ...below];
    return [...wrap(name, columns - 2).map((line) => `  ${line}`), ' '.repeat(width) + first, ...below];
  });
}

/** Breaks a text at blanks. A word that is too long gets a line of its own. */
export function wrap(text: string, width: number): string[] {
  const lines: string[] = [];
  for (const word of text.split(' ')) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + 1 + word.length <= width) lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(word);
  }
  return lines;
}

/** A command and its description, for a list. */
export function commandRow(command: Command): readonly [string, string] {
  return [`${shortWords(command)}${usage(command)}`, command.describe];
}

/** A flag as it is typed, with its letter and a placeholder for its value, and its description. */
export function flagRow(flag: Flag, found: FoundCommand | undefined): readonly [string, string] {
  const { takes, values, describe } = flagSpec(flag, found?.command);
  const letter = letterOf(flag);
  const value = takes === 'nothing' ? '' : ` <${values?.join('|') ?? takes}>`;
  const about = flag === 'format' && found?.command.formats !== undefined ? formatsOf(found) : describe;
  return [`${letter === undefined ? '' : `-${letter}, `}--${flag}${value}`, about];
}

/** The description of `--format` for a command, with its default. */
function formatsOf(found: FoundCommand): string {
  const { formats = [], terminalFormat } = found.command;
  const usual = defaultFormat(found);
  const noteOf = (format: string): string =>
    format === usual
      ? ' (default)'
      : usual === undefined && format === terminalFormat
        ? ' (default at a terminal, else json)'
        : '';
  return `Output format: ${formats.map((each) => each + noteOf(each)).join(', ')}`;
}

/** The one-letter form of a flag. */
function letterOf(flag: Flag): keyof typeof LETTERS | undefined {
  return keysOf(LETTERS).find((letter) => LETTERS[letter] === flag);
}
