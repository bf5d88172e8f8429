import { createRedactor, HIDDEN } from './redact.ts';
import { DEFAULT_FILE } from './default_file.ts';
import { COMPLETION_CALLBACK, COMMANDS, FLAGS, GLOBAL_FLAGS, type Command, type Flag } from './spec.ts';
import { didYouMean } from '../frontend/diagnostics/suggest.ts';
import { VERSION } from '../version.ts';

/** The arguments of a command; `words` are its operands, unconverted. */
export type Options = Readonly<{
  file: string;
  words: readonly string[];
  switches: ReadonlySet<Flag>;
  values: ReadonlyMap<Flag, string>;
}>;

/** The meaning of a command line. */
export type Request = Readonly<
  | { kind: 'text'; text: string }
  | { kind: 'command'; command: Command['words']; options: Options }
  | { kind: 'usage error'; problems: readonly string[] }
>;

/** A command line with `--help`: for one command, or for all. */
export type HelpRequest = Readonly<{ kind: 'help'; command: Command | undefined }>;

/** The result of a parser; undefined if a flag lacks its value. */
export type ParsedWords =
  Readonly<{ positional: readonly string[]; flags: Readonly<Record<string, unknown>> }> | undefined;

export const isFlagName = (name: string): name is Flag => Object.hasOwn(FLAGS, name);
export const FLAG_NAMES = Object.keys(FLAGS).filter(isFlagName);
export const isSwitch = (name: Flag): boolean => FLAGS[name].takes === 'nothing';
const VALUE_FLAGS = FLAG_NAMES.filter((name) => !isSwitch(name));

/** The settings of yargs: no conversion of any word. */
export const CONFIGURATION = {
  'boolean-negation': false,
  'camel-case-expansion': false,
  'duplicate-arguments-array': false,
  'parse-numbers': false,
  'parse-positional-numbers': false,
};

/** Reads a command line with a parser. Values stay text. */
export function parseCommandLine(
  given: readonly string[],
  parse: (words: string[]) => ParsedWords,
): Request | HelpRequest {
  const end = given.includes('--') ? given.indexOf('--') : given.length;
  const argv = given.map((word, index) => (word === '-h' && index < end ? '--help' : word));
  const isFlag = (word: string, index: number): boolean => index < end && /^-./s.test(word);
  const used = argv.filter(isFlag);
  const redact = createRedactor(argv);
  const badFlags = used.flatMap((word) => flagProblem(word, redact));
  const asked = commandOf(argv)?.words;
  if (badFlags.length > 0) return usageError(badFlags, asked);
  // Switches get an explicit value: the parser would take a following word `true`, perhaps a name, as theirs.
  const parsed = parse(argv.map((word, index) => (isFlag(word, index) && isBareSwitch(word) ? `${word}=true` : word)));
  const empty = parsed === undefined ? withoutValue(argv) : VALUE_FLAGS.find((name) => parsed.flags[name] === '');
  if (parsed === undefined || empty !== undefined) return usageError([`flag '--${empty}' needs a value`], asked);
  const { positional, flags } = parsed;
  if (flags['version'] === true) return { kind: 'text', text: `${VERSION}\n` };

  const command = commandOf(positional);
  if (flags['help'] === true) return { kind: 'help', command };
  if (command === undefined) return usageError([unknownCommand(positional, redact)]);
  const rest = positional.slice(2);
  const allowed = new Set([...command.flags, ...GLOBAL_FLAGS].map((name) => `--${name}`));
  const foreign = used.map(flagName).filter((name) => !allowed.has(name));
  const problems = [
    ...foreign.map((name) => `'cli ${command.words}' has no flag '${name}'`),
    ...(command.operands === undefined ? rest.map((word) => `unexpected argument ${redact(word)}`) : []),
    ...(command.operands !== undefined && rest.length === 0 ? [`${command.operands.missing} is missing`] : []),
  ];
  const { formats } = command;
  const format = flags['format'] ?? formats?.[0];
  if (formats?.every((known) => known !== format)) {
    problems.push(`flag '--format' must be one of: ${formats.join(', ')}`);
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

/** The flag without a value, which the parser does not name. */
function withoutValue(argv: readonly string[]): Flag | undefined {
  const lacking = new Set(argv.filter((_, index) => /^-./s.test(argv[index + 1] ?? '--')));
  return VALUE_FLAGS.find((name) => lacking.has(`--${name}`));
}

function isBareSwitch(word: string): boolean {
  return FLAG_NAMES.some((name) => isSwitch(name) && word === `--${name}`);
}

/** Checks a flag before the parser, which treats names such as `--file.a` and `--__proto__` specially. */
function flagProblem(word: string, redact: (word: string) => string): string[] {
  const [name, known] = [flagName(word), FLAG_NAMES.map((flag) => `--${flag}`)];
  if (!known.includes(name)) {
    const quoted = redact(word) === HIDDEN ? HIDDEN : redact(name);
    return [`unknown flag ${quoted}${quoted === HIDDEN ? '' : didYouMean(name, known)}`];
  }
  return isBareSwitch(name) && word !== name ? [`flag '${name}' takes no value`] : [];
}

function unknownCommand(words: readonly string[], redact: (word: string) => string): string {
  const [given, known] = [words.slice(0, 2).join(' '), COMMANDS.map((command) => command.words)];
  const all = `; commands: ${known.join(', ')}`;
  const isGroup = known.some((command) => command.startsWith(`${given} `));
  if (given === '' || isGroup) return `the command is missing${all}`;
  const quoted = words.slice(0, 2).map(redact);
  if (quoted.includes(HIDDEN)) return `unknown command ${HIDDEN}${all}`;
  return `unknown command '${quoted.map((word) => word.slice(1, -1)).join(' ')}'${didYouMean(given, known, all)}`;
}

/** Adds the command that prints help; `command` is undefined if it is not known. */
function usageError(problems: readonly string[], command?: Command['words']): Request {
  const see = `see '${['cli', command, '--help'].filter(Boolean).join(' ')}'`;
  return { kind: 'usage error', problems: [...problems, see] };
}
