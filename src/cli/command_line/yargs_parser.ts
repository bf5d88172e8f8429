import yargs from 'yargs';
import { FLAG_NAMES, isSwitch } from './flags.ts';
import { CONFIGURATION, parseCommandLine } from './parse_command_line.ts';
import type { FlagHint, ParsedWords, Request } from './parse_command_line.ts';
import { argumentsHint } from './suggested_command.ts';

/** Reads a command line with yargs. */
export function readWithYargs(argv: readonly string[], hintAbout: FlagHint = argumentsHint): Request {
  return parseCommandLine(argv, parse, hintAbout);
}

/** The working directory of yargs is `/`, because its default fails in a deleted directory. */
function parse(words: string[]): ParsedWords {
  let valueIsMissing = false;
  const parser = yargs([], '/')
    .parserConfiguration(CONFIGURATION)
    .detectLocale(false)
    .exitProcess(false)
    .help(false)
    .version(false)
    .fail(() => {
      valueIsMissing = true;
    });
  for (const flag of FLAG_NAMES)
    parser.option(flag, isSwitch(flag) ? { type: 'boolean' } : { type: 'string', nargs: 1 });
  const { _: positional, ...flags } = parser.parseSync(words);
  return valueIsMissing ? undefined : { positional: positional.map(String), flags };
}
