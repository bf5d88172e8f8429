import yargs, { type Argv } from 'yargs';
import { CONFIGURATION, FLAG_NAMES, isSwitch, parseCommandLine, type ParsedWords, type Request } from './parse.ts';
import { DEFAULT_FILE } from './default_file.ts';
import { COMMANDS, FLAGS, GLOBAL_FLAGS, type Command, type Flag } from './spec.ts';

/** Reads a command line with all of yargs, which can tell help. */
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

/**
 * yargs with some flags declared, and nothing of it left on that changes what was given. It gets some
 * working directory, because its own choice fails in one that was deleted.
 */
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

const EPILOGUE = `The workflow file is .cli/workflow.json, unless --file names another.
Standard output gets one JSON document or nothing; standard error gets the rest.

Exit codes:
  0   done: the run succeeded, the file is valid, the credentials are there
  1   the answer is no: the run failed, the file is invalid, credentials missing
  2   could not start; nothing has run
  70  a bug in the tool
  74  the result, or the report of a run, could not be written
An interrupted run ends by the signal that interrupted it.`;

const usage = ({ words, operands }: Command): string => `${words}${operands?.usage ?? ''}`;

/** A command among others, with what it does beside it, or below it where it is long. */
function entry(command: Command): string {
  const text = `  ${usage(command)}`;
  const columns = 39;
  return `${text.length < columns ? text.padEnd(columns) : `${text}\n${' '.repeat(columns)}`}${command.describe}`;
}

/** The help for one command, or for all. yargs would move what stands further in, so it gets only the rest. */
async function help(command: Command | undefined): Promise<string> {
  const parser = declare([...(command?.flags ?? []), ...GLOBAL_FLAGS]).epilogue(EPILOGUE);
  for (const { words, example } of COMMANDS) {
    if (command === undefined || command.words === words) parser.example(...example);
  }
  const about = 'cli <command>\n\nRuns multi-step automations described in a JSON file.\n\nCommands:';
  const start =
    command === undefined ? [about, ...COMMANDS.map(entry)] : [`cli ${usage(command)}\n\n${command.describe}.`];
  return `${start.join('\n')}\n\n${await parser.getHelp()}`;
}
