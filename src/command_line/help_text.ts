import { shortWords, type FoundCommand } from './find_command.ts';
import { defaultFormat, isLetter } from './parse.ts';
import { FLAGS, LETTERS, type Flag } from './flags.ts';
import type { Command } from './commands.ts';

/** The text below the flags, before the exit codes. */
export const INTRODUCTION = `The default workflow file is .cli/workflow.json in the current directory, or in
the nearest directory above it in the same repository.
Results are printed to standard output, everything else to standard error.
For scripts, 'cli workflow run' and so on print JSON.`;

export const EXIT_CODES = `Exit codes:
  0   success: the run succeeded, the file is valid, credentials are set
  1   failure: the run failed, the file is invalid, credentials are missing
  2   the command could not start; nothing was run
  70  internal error
  74  the result or the report could not be written
  75  the database is unavailable; the remote run goes on
An interrupted run ends with the signal that interrupted it.`;

/** The usage of a command's operands. It starts with a blank. */
export function usage({ operands }: Command): string {
  return operands?.usage ?? '';
}

/** A line of the command list. */
export function entry(command: Command): string {
  return inColumns(`${shortWords(command)}${usage(command)}`, command.describe);
}

/** Puts the description of a long command on the next line. */
function inColumns(usage: string, describe: string): string {
  const columns = 39;
  const text = `  ${usage}`;
  return `${text.length < columns ? text.padEnd(columns) : `${text}\n${' '.repeat(columns)}`}${describe}`;
}

/** The lines of the command list for words outside the table of commands. */
export const OTHER_ENTRIES = [
  inColumns('help [COMMAND]', FLAGS.help.describe),
  inColumns('version', FLAGS.version.describe),
];

/** The description of `--format` for a command, with its default. */
export function formatsOf(found: FoundCommand): string {
  const { formats = [] } = found.command;
  const usual = defaultFormat(found);
  return `Output format: ${formats.map((each) => (each === usual ? `${each} (default)` : each)).join(', ')}`;
}

/** The one-letter form of a flag. */
export function letterOf(flag: Flag): keyof typeof LETTERS | undefined {
  return Object.keys(LETTERS)
    .filter(isLetter)
    .find((letter) => LETTERS[letter] === flag);
}
