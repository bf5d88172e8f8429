import { redactWord } from './redact.ts';
import { DEFAULT_FILE } from './default_file.ts';
import { COMPLETION_CALLBACK, COMMANDS, FLAGS, GLOBAL_FLAGS, type Command, type Flag } from './spec.ts';
import { didYouMean } from '../frontend/diagnostics/suggest.ts';
import { VERSION } from '../version.ts';

/** The arguments of a command: `words` are the operands after its name, as they were typed. */
export type Options = Readonly<{
  file: string;
  words: readonly string[];
  switches: ReadonlySet<Flag>;
  values: ReadonlyMap<Flag, string>;
}>;

/** What a command line asks for. */
export type Request = Readonly<
  | { kind: 'text'; text: string }
  | { kind: 'command'; command: Command['words']; options: Options }
  | { kind: 'usage error'; problems: readonly string[] }
>;

/** A command line that asks for help: with one command, or with all. */
export type HelpRequest = Readonly<{ kind: 'help'; command: Command | undefined }>;

/** What a parser made of a command line; undefined if a flag that needs a value has none. */
export type ParsedWords =
  Readonly<{ positional: readonly string[]; flags: Readonly<Record<string, unknown>> }> | undefined;

/** The flags, and whether each is a switch, as a parser of the family of yargs has to be told. */
export const FLAG_NAMES = Object.keys(FLAGS).filter((name): name is Flag => name in FLAGS);
export const isSwitch = (name: Flag): boolean => FLAGS[name].takes === 'nothing';
const VALUE_FLAGS = FLAG_NAMES.filter((name) => !isSwitch(name));

/** Such a parser with nothing left on that changes what was given. */
export const CONFIGURATION = {
  'boolean-negation': false,
  'camel-case-expansion': false,
  'duplicate-arguments-array': false,
  'parse-numbers': false,
  'parse-positional-numbers': false,
};

/** Reads a command line with a parser. Nothing in it is converted: values stay the text they were given as. */
export function parseCommandLine(
  given: readonly string[],
  parse: (words: string[]) => ParsedWords,
): Request | HelpRequest {
  const end = given.includes('--') ? given.indexOf('--') : given.length;
  const argv = given.map((word, index) => (word === '-h' && index < end ? '--help' : word));
  const isFlag = (word: string, index: number): boolean => index < end && /^-./.test(word);
  const used = argv.filter(isFlag);
  const badFlags = used.flatMap(flagProblem);
  const asked = commandOf(argv)?.words;
  if (badFlags.length > 0) return usageError(badFlags, asked);
  // Switches are spelt out: the parser would take a word `true` after one, perhaps a name, for its value.
  const parsed = parse(argv.map((word, index) => (isFlag(word, index) && isBareSwitch(word) ? `${word}=true` : word)));
  const empty = parsed === undefined ? withoutValue(argv) : VALUE_FLAGS.find((name) => parsed.flags[name] === '');
  if (parsed === undefined || empty !== undefined) return usageError([`flag '--${empty}' needs a value`], asked);
  const { positional, flags } = parsed;
  if (flags['version'] === true) return { kind: 'text', text: `${VERSION}\n` };

  const command = commandOf(positional);
  if (flags['help'] === true) return { kind: 'help', command };
  if (command === undefined) return usageError([unknownCommand(positional)]);
  const rest = positional.slice(2);
  const allowed = new Set([...command.flags, ...GLOBAL_FLAGS].map((name) => `--${name}`));
  const foreign = used.map(flagName).filter((name) => !allowed.has(name));
  const problems = [
    ...foreign.map((name) => `'cli ${command.words}' does not take the flag '${name}'`),
    ...(command.operands === undefined ? rest.map((word) => `unexpected argument ${redactWord(word)}`) : []),
    ...(command.operands !== undefined && rest.length === 0 ? [`${command.operands.missing} is missing`] : []),
  ];
  const { formats } = command;
  const format = flags['format'] ?? formats?.[0];
  if (formats?.every((known) => known !== format)) {
    problems.push(`flag '--format' takes one of: ${formats.join(', ')}`);
  }
  if (problems.length > 0) return usageError(problems, command.words);
  const switches = new Set(FLAG_NAMES.filter((flag) => flags[flag] === true));
  const values = new Map(VALUE_FLAGS.flatMap((flag) => valueOf(flag, flags[flag])));
  const file = values.get('file') ?? DEFAULT_FILE;
  return { kind: 'command', command: command.words, options: { file, words: rest, switches, values } };
}

function commandOf(words: readonly string[]): Command | undefined {
  return [...COMMANDS, COMPLETION_CALLBACK].find((each) => each.words === words.slice(0, 2).join(' '));
}

function valueOf(flag: Flag, value: unknown): [Flag, string][] {
  return typeof value === 'string' ? [[flag, value]] : [];
}

function flagName(word: string): string {
  return word.replace(/=.*/s, '');
}

/** The flag that lacks its value: a parser does not say which it is. */
function withoutValue(argv: readonly string[]): Flag | undefined {
  const lacking = new Set(argv.filter((_, index) => /^-./.test(argv[index + 1] ?? '--')));
  return VALUE_FLAGS.find((name) => lacking.has(`--${name}`));
}

function isBareSwitch(word: string): boolean {
  return FLAG_NAMES.some((name) => isSwitch(name) && word === `--${name}`);
}

/** Flags are checked before the parser sees them: it does surprising things with some names. */
function flagProblem(word: string): string[] {
  const [name, known] = [flagName(word), FLAG_NAMES.map((flag) => `--${flag}`)];
  if (!known.includes(name)) return [`unknown flag ${redactWord(name)}${didYouMean(name, known)}`];
  return isBareSwitch(name) && word !== name ? [`flag ${redactWord(name)} takes no value`] : [];
}

function unknownCommand(words: readonly string[]): string {
  const [given, known] = [words.slice(0, 2).join(' '), COMMANDS.map((command) => command.words)];
  const all = `; there are: ${known.join(', ')}`;
  const isGroup = known.some((command) => command.startsWith(`${given} `));
  if (given === '' || isGroup) return `the command is missing${all}`;
  return `unknown command ${redactWord(given)}${didYouMean(given, known, all)}`;
}

/** `command` is the one that was asked for, as far as that is known. */
function usageError(problems: readonly string[], command?: Command['words']): Request {
  const see = `see '${['cli', command, '--help'].filter(Boolean).join(' ')}'`;
  return { kind: 'usage error', problems: [...problems, see] };
}
