import { readFileSync } from 'node:fs';
import yargs, { type Argv } from 'yargs';
import { echo } from './commands/echo.ts';
import type { Options } from './commands/io.ts';
import { COMMANDS, DEFAULT_FILE, FLAGS, GLOBAL_FLAGS } from './commands/table.ts';
import type { Command, Flag } from './commands/table.ts';
import { didYouMean } from './frontend/nearest.ts';

/** What a command line asks for. */
export type Request = Readonly<
  | { kind: 'text'; text: string }
  | { kind: 'command'; command: Command['words']; options: Options }
  | { kind: 'usage error'; problems: readonly string[] }
>;

const FLAG_NAMES = Object.keys(FLAGS).filter((name): name is Flag => name in FLAGS);

/** Reads a command line. Nothing in it is converted: values stay the text they were given as. */
export async function readCommandLine(argv: readonly string[]): Promise<Request> {
  const own = argv.slice(0, argv.includes('--') ? argv.indexOf('--') : argv.length);
  const overfull = own.find((word) => isSwitch(word.split('=')[0]) && word.includes('='));
  if (overfull !== undefined) return usageError([`flag ${echo(overfull)} takes no value`]);

  let valueIsMissing = false;
  const parser = declare(FLAG_NAMES).fail(() => {
    valueIsMissing = true;
  });
  // Switches are spelt out: yargs would take a word `true` after one, perhaps a name, for its value.
  const spelt = argv.map((word, index) => (index < own.length && isSwitch(word) ? `${word}=true` : word));
  const { _: positional, $0: _name, ...flags } = await parser.parseAsync(spelt);
  if (valueIsMissing || flags['file'] === '') return usageError(["flag '--file' needs a value"]);
  if (flags['version'] === true) return { kind: 'text', text: `${version()}\n` };

  const words = positional.map(String);
  const name = words.slice(0, 2).join(' ');
  const command = COMMANDS.find((each) => each.words === name);
  if (flags['help'] === true || flags['h'] === true) {
    return { kind: 'text', text: `${await help(command)}\n` };
  }
  if (command === undefined) return usageError([unknownCommand(words)]);
  const rest = words.slice(2);
  const problems = [
    ...unknownFlags(Object.keys(flags), command),
    ...(command.operands === undefined ? rest.map((word) => `unexpected argument ${echo(word)}`) : []),
    ...(command.operands !== undefined && rest.length === 0 ? ['the name of the workflow is missing'] : []),
  ];
  if (problems.length > 0) return usageError(problems, `cli ${command.words}`);
  const switches = new Set(FLAG_NAMES.filter((flag) => flags[flag] === true));
  const file = typeof flags['file'] === 'string' ? flags['file'] : DEFAULT_FILE;
  return { kind: 'command', command: command.words, options: { file, words: rest, switches } };
}

function isSwitch(word: string | undefined): boolean {
  return FLAG_NAMES.some((name) => FLAGS[name].takes === 'nothing' && word === `--${name}`);
}

/** yargs with some flags declared, and nothing of it left on that changes what was given. */
function declare(flags: readonly Flag[]): Argv {
  const parser = yargs()
    .scriptName('cli')
    .parserConfiguration({
      'boolean-negation': false,
      'camel-case-expansion': false,
      'duplicate-arguments-array': false,
      'parse-numbers': false,
      'parse-positional-numbers': false,
    })
    .detectLocale(false)
    .exitProcess(false)
    .help(false)
    .version(false)
    .wrap(88);
  for (const flag of flags) {
    const { takes, describe } = FLAGS[flag];
    const value = { type: 'string', nargs: 1, defaultDescription: DEFAULT_FILE } as const;
    parser.option(flag, { describe, ...(takes === 'value' ? value : { type: 'boolean' }) });
  }
  return parser;
}

const EPILOGUE = `The workflow file is .cli/workflow.json in the current directory, or what --file names.
Standard output gets one JSON document or nothing; all else goes to standard error.

Exit codes:
  0   done: the run succeeded, the file is valid, the credentials are there
  1   the answer is no: the run failed, the file is invalid, credentials are missing
  2   could not start; nothing has run
  70  a bug in the tool
  74  the result could not be written
An interrupted run ends by the signal that interrupted it.`;

/** The help for one command, or for all. */
function help(command: Command | undefined): Promise<string> {
  const parser = declare([...(command?.flags ?? []), ...GLOBAL_FLAGS]).epilogue(EPILOGUE);
  const usages = COMMANDS.map((each) => `cli ${each.words}${each.operands ?? ''}`.padEnd(40) + each.describe);
  const about = 'cli <command>\n\nRuns multi-step automations described in a JSON file.';
  for (const { words, example } of COMMANDS) {
    if (command === undefined || command.words === words) parser.example(...example);
  }
  return parser
    .usage(
      command === undefined
        ? `${about}\n\nCommands:\n${usages.join('\n')}`
        : `cli ${command.words}${command.operands ?? ''}\n\n${command.describe}.`,
    )
    .getHelp();
}

function unknownFlags(given: readonly string[], { flags }: Command): string[] {
  const known: string[] = [...flags, ...GLOBAL_FLAGS];
  const unknown = given.filter((name) => !known.includes(name));
  const dashed = known.map((name) => `--${name}`);
  return unknown.map((name) => {
    const flag = name.length === 1 ? `-${name}` : `--${name}`;
    return `unknown flag ${echo(flag)}${didYouMean(flag, dashed)}`;
  });
}

function unknownCommand(words: readonly string[]): string {
  const known = COMMANDS.map((command) => command.words);
  const all = `; there are: ${known.join(', ')}`;
  const given = words.slice(0, 2).join(' ');
  return given === ''
    ? `the command is missing${all}`
    : `unknown command ${echo(given)}${didYouMean(given, known, all)}`;
}

function usageError(problems: readonly string[], command = 'cli'): Request {
  return { kind: 'usage error', problems: [...problems, `see '${command} --help'`] };
}

function version(): string {
  const text = readFileSync(new URL('../../package.json', import.meta.url), 'utf8');
  return /"version": "([^"]+)"/.exec(text)?.[1] ?? 'unknown';
}
