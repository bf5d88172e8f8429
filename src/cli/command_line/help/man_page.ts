import { EXIT_CODES, flagRow, INTRODUCTION, usage } from './help_layout.ts';
import { shortWords } from '../find_command.ts';
import { GLOBAL_FLAGS } from '../flags.ts';
import { COMMANDS, type Command } from '../command_table.ts';
import { VERSION } from '../../../base/version.ts';

/** The manual page in roff with the man(7) macros, generated from the same table of commands as the help. */
export function manPage(): string {
  return `${[
    `.TH CLI 1 "" "cli ${VERSION}" "User Commands"`,
    '.SH NAME',
    'cli \\- run workflows described in a JSON file',
    '.SH SYNOPSIS',
    '.B cli',
    '.I command',
    '.SH COMMANDS',
    ...COMMANDS.flatMap(commandLines),
    '.SH OPTIONS OF EVERY COMMAND',
    ...GLOBAL_FLAGS.flatMap((flag) => flagLines(flagRow(flag, undefined))),
    '.SH OPTIONS WITHOUT A COMMAND',
    ...flagLines(flagRow('version', undefined)),
    '.SH FILES AND STREAMS',
    '.nf',
    ...INTRODUCTION.split('\n').map(roff),
    '.fi',
    '.SH EXIT STATUS',
    '.nf',
    ...EXIT_CODES.split('\n').slice(1).map(roff),
    '.fi',
  ].join('\n')}\n`;
}

function commandLines(command: Command): string[] {
  const found = { command, form: 'short', length: 1 } as const;
  const [example, about] = command.example;
  return [
    `.SS ${roff(`cli ${shortWords(command)}${usage(command)}`)}`,
    roff(`${command.describe}.`),
    ...command.flags.flatMap((flag) => flagLines(flagRow(flag, found))),
    '.PP',
    `${roff(about)}:`,
    `.B ${roff(example)}`,
  ];
}

function flagLines([name, about]: readonly [string, string]): string[] {
  return ['.TP', `.B ${roff(name)}`, roff(about)];
}

/** Escapes a text for roff: backslashes, hyphens, and a dot or quote at the start of a line. */
function roff(text: string): string {
  return text
    .replaceAll('\\', '\\e')
    .replaceAll('-', '\\-')
    .replace(/^(?=[.'])/, '\\&');
}
