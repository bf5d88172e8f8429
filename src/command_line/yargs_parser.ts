import yargs, { type Argv } from 'yargs';
import { CONFIGURATION, FLAG_NAMES, isSwitch, parseCommandLine, type ParsedWords, type Request } from './parse.ts';
import { DEFAULT_FILE } from './default_file.ts';
import { COMMANDS, FLAGS, GLOBAL_FLAGS, type Command, type Flag } from './spec.ts';

/** Reads a command line with yargs, which also renders the help. */
export async function readWithYargs(argv: readonly string[]): Promise<Request> {
  const request = parseCommandLine(argv, parse);
  return request.kind === 'help' ? { kind: 'text', text: `${await help(request.command)}\n` } : request;
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
  for (const flag of flags) {
    const value = { type: 'string', nargs: 1, ...(flag === 'file' && { defaultDescription: DEFAULT_FILE }) } as const;
    parser.option(flag, { describe: FLAGS[flag].describe, ...(isSwitch(flag) ? { type: 'boolean' } : value) });
  }
  return parser;
}

const EPILOGUE = `The default workflow file is .cli/workflow.json.
Results are printed to standard output, everything else to standard error.

Exit codes:
  0   success: the run succeeded, the file is valid, credentials are set
  1   failure: the run failed, the file is invalid, credentials are missing
  2   the command could not start; nothing was run
  70  internal error
  74  the result or the report could not be written
An interrupted run ends with the signal that interrupted it.`;

const usage = ({ words, operands }: Command): string => `${words}${operands?.usage ?? ''}`;

/** A line of the command list; the description of a long command stands below it. */
function entry(command: Command): string {
  const text = `  ${usage(command)}`;
  const columns = 39;
  return `${text.length < columns ? text.padEnd(columns) : `${text}\n${' '.repeat(columns)}`}${command.describe}`;
}

/** The help for one command, or for all. yargs renders only the part below the command list, which it would reindent. */
async function help(command: Command | undefined): Promise<string> {
  const parser = declare([...(command?.flags ?? []), ...GLOBAL_FLAGS]).epilogue(EPILOGUE);
  for (const { words, example } of COMMANDS) {
    if (command === undefined || command.words === words) parser.example(...example);
  }
  const about = 'cli <command>\n\nRuns workflows described in a JSON file.\n\nCommands:';
  const start =
    command === undefined ? [about, ...COMMANDS.map(entry)] : [`cli ${usage(command)}\n\n${command.describe}.`];
  return `${start.join('\n')}\n\n${await parser.getHelp()}`;
}
