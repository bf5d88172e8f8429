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
export async function readCommandLine(given: readonly string[]): Promise<Request> {
  const end = given.includes('--') ? given.indexOf('--') : given.length;
  const argv = given.map((word, index) => (word === '-h' && index < end ? '--help' : word));
  const isFlag = (word: string, index: number): boolean => index < end && /^-./.test(word);
  const used = argv.filter(isFlag);
  const badFlags = used.flatMap(flagProblem);
  const asked = COMMANDS.find((each) => each.words === argv.slice(0, 2).join(' '))?.words;
  if (badFlags.length > 0) return usageError(badFlags, asked);
  let valueIsMissing = false;
  const parser = declare(FLAG_NAMES).fail(() => {
    valueIsMissing = true;
  });
  // Switches are spelt out: yargs would take a word `true` after one, perhaps a name, for its value.
  const spelt = argv.map((word, index) => (isFlag(word, index) && isSwitch(word) ? `${word}=true` : word));
  const { _: positional, ...flags } = await parser.parseAsync(spelt);
  if (valueIsMissing || flags['file'] === '') return usageError(["flag '--file' needs a value"], asked);
  if (flags['version'] === true) return { kind: 'text', text: `${version()}\n` };

  const words = positional.map(String);
  const command = COMMANDS.find((each) => each.words === words.slice(0, 2).join(' '));
  if (flags['help'] === true) return { kind: 'text', text: `${await help(command)}\n` };
  if (command === undefined) return usageError([unknownCommand(words)]);
  const rest = words.slice(2);
  const allowed = new Set([...command.flags, ...GLOBAL_FLAGS].map((name) => `--${name}`));
  const foreign = used.map(flagName).filter((name) => !allowed.has(name));
  const problems = [
    ...foreign.map((name) => `'cli ${command.words}' does not take the flag '${name}'`),
    ...(command.operands === undefined ? rest.map((word) => `unexpected argument ${echo(word)}`) : []),
    ...(command.operands !== undefined && rest.length === 0 ? ['the name of the workflow is missing'] : []),
  ];
  if (problems.length > 0) return usageError(problems, command.words);
  const switches = new Set(FLAG_NAMES.filter((flag) => flags[flag] === true));
  const file = typeof flags['file'] === 'string' ? flags['file'] : DEFAULT_FILE;
  return { kind: 'command', command: command.words, options: { file, words: rest, switches } };
}

function flagName(word: string): string {
  return word.replace(/=.*/s, '');
}

function isSwitch(word: string): boolean {
  return FLAG_NAMES.some((name) => FLAGS[name].takes === 'nothing' && word === `--${name}`);
}

/** Flags are checked before yargs sees them: it does surprising things with some names. */
function flagProblem(word: string): string[] {
  const [name, known] = [flagName(word), FLAG_NAMES.map((flag) => `--${flag}`)];
  if (!known.includes(name)) return [`unknown flag ${echo(name)}${didYouMean(name, known)}`];
  return isSwitch(name) && word !== name ? [`flag ${echo(name)} takes no value`] : [];
}

/**
 * yargs with some flags declared, and nothing of it left on that changes what was given. It gets some
 * working directory, because its own choice fails in one that was deleted.
 */
function declare(flags: readonly Flag[]): Argv {
  const parser = yargs([], '/')
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

const usage = ({ words, operands = '' }: Command): string => `cli ${words}${operands}`;

/** The help for one command, or for all. */
function help(command: Command | undefined): Promise<string> {
  const parser = declare([...(command?.flags ?? []), ...GLOBAL_FLAGS]).epilogue(EPILOGUE);
  for (const { words, example } of COMMANDS) {
    if (command === undefined || command.words === words) parser.example(...example);
  }
  const all = COMMANDS.map((each) => usage(each).padEnd(40) + each.describe).join('\n');
  const about = `cli <command>\n\nRuns multi-step automations described in a JSON file.\n\nCommands:\n${all}`;
  return parser.usage(command === undefined ? about : `${usage(command)}\n\n${command.describe}.`).getHelp();
}

function unknownCommand(words: readonly string[]): string {
  const [given, known] = [words.slice(0, 2).join(' '), COMMANDS.map((command) => command.words)];
  const all = `; there are: ${known.join(', ')}`;
  const isGroup = known.some((command) => command.startsWith(`${given} `));
  if (given === '' || isGroup) return `the command is missing${all}`;
  return `unknown command ${echo(given)}${didYouMean(given, known, all)}`;
}

/** `command` is the one that was asked for, as far as that is known. */
function usageError(problems: readonly string[], command?: Command['words']): Request {
  const see = `see '${['cli', command, '--help'].filter(Boolean).join(' ')}'`;
  return { kind: 'usage error', problems: [...problems, see] };
}

function version(): string {
  const text = readFileSync(new URL('../../package.json', import.meta.url), 'utf8');
  return /"version": "([^"]+)"/.exec(text)?.[1] ?? 'unknown';
}
