import { formatsOf, EXIT_CODES, INTRODUCTION, letterOf, usage } from './help_text.ts';
import { shortWords } from './find_command.ts';
import { FLAGS, flagSpec, GLOBAL_FLAGS, type Flag } from './flags.ts';
import { COMMANDS, type Command } from './commands.ts';
import { VERSION } from '../version.ts';

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
    ...GLOBAL_FLAGS.flatMap((flag) => flagLines(flag, FLAGS[flag].describe)),
    '.SH OPTIONS WITHOUT A COMMAND',
    ...flagLines('version', FLAGS.version.describe),
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
  const describe = (flag: Flag): string =>
    flag === 'format' ? formatsOf({ command, form: 'short', length: 1 }) : flagSpec(flag, command).describe;
  const [example, about] = command.example;
  return [
    `.SS ${roff(`cli ${shortWords(command)}${usage(command)}`)}`,
    roff(`${command.describe}.`),
    ...command.flags.flatMap((flag) => flagLines(flag, describe(flag))),
    '.PP',
    `${roff(about)}:`,
    `.B ${roff(example)}`,
  ];
}

function flagLines(flag: Flag, describe: string): string[] {
  const letter = letterOf(flag);
  return ['.TP', `.B ${roff(`${letter === undefined ? '' : `-${letter}, `}--${flag}`)}`, roff(describe)];
}

/** Escapes a text for roff: backslashes, hyphens, and a dot or quote at the start of a line. */
function roff(text: string): string {
  return text
    .replaceAll('\\', '\\e')
    .replaceAll('-', '\\-')
    .replace(/^(?=[.'])/, '\\&');
}
