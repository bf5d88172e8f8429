import yargs, { type Argv } from 'yargs';
import { CONFIGURATION, parseCommandLine, type ParsedWords, type Request } from './parse.ts';
import { DEFAULT_FILE } from './default_file.ts';
import { wordsIn, type FoundCommand } from './find_command.ts';
import { entry, EXIT_CODES, OTHER_ENTRIES, formatsOf, INTRODUCTION, letterOf, usage } from './help_text.ts';
import { FLAG_NAMES, flagsOf, flagSpec, isSwitch, type Flag } from './flags.ts';
import { COMMANDS } from './commands.ts';

/** Reads a command line with yargs, which also renders the help. */
export async function readWithYargs(argv: readonly string[]): Promise<Request> {
  const request = parseCommandLine(argv, parse);
  if (request.kind !== 'help') return request;
  return { kind: 'text', text: `${await help(request.found)}\n`, about: request.about };
}

function parse(words: string[]): ParsedWords {
  let valueIsMissing = false;
  const parser = declare(FLAG_NAMES).fail(() => {
    valueIsMissing = true;
  });
  const { _: positional, ...flags } = parser.parseSync(words);
  return valueIsMissing ? undefined : { positional: positional.map(String), flags };
}

/** A yargs parser for some flags. Its working directory is `/`, because its default fails in a deleted directory. */
function declare(flags: readonly Flag[]): Argv {
  const parser = yargs([], '/')
    .scriptName('cli')
    .parserConfiguration(CONFIGURATION)
    .detectLocale(false)
    .exitProcess(false)
    .help(false)
    .version(false)
    .wrap(80);
  for (const flag of flags) parser.option(flag, isSwitch(flag) ? { type: 'boolean' } : { type: 'string', nargs: 1 });
  return parser;
}

/** The help for one command, or for all. yargs renders only the part below the command list, which it would reindent. */
async function help(found: FoundCommand | undefined): Promise<string> {
  const flags = flagsOf(found?.command);
  const parser = declare(flags).epilogue(`${INTRODUCTION}\n\n${EXIT_CODES}`);
  for (const flag of flags) {
    const isFormat = flag === 'format' && found !== undefined;
    parser.describe(flag, isFormat ? formatsOf(found) : flagSpec(flag, found?.command).describe);
    if (flag === 'file') parser.option(flag, { defaultDescription: DEFAULT_FILE });
    const letter = letterOf(flag);
    if (letter !== undefined) parser.alias(flag, letter);
  }
  for (const { words, example } of COMMANDS) {
    if (found === undefined || found.command.words === words) parser.example(...example);
  }
  const about = 'cli <command>\n\nRuns workflows described in a JSON file.\n\nCommands:';
  const start =
    found === undefined
      ? [about, ...COMMANDS.map(entry), ...OTHER_ENTRIES]
      : [`cli ${wordsIn(found.form, found.command)}${usage(found.command)}\n\n${found.command.describe}.`];
  return `${start.join('\n')}\n\n${await parser.getHelp()}`;
}
