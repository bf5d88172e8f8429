import { createRedactor, type Redact } from './redact.ts';
import { DEFAULT_FILE } from './default_file.ts';
import { commandOfLine, findCommand, groupOf, wordsIn, type Form, type FoundCommand } from './find_command.ts';
import {
  badValue,
  flagName,
  flagProblem,
  foreignFlags,
  isBareSwitch,
  isForCommands,
  isKnownFlag,
  operandProblems,
  repeatedFlags,
  inputHint,
} from './flag_problems.ts';
import { flagValues, type FlagValues } from './flag_values.ts';
import { FLAG_NAMES, flagSpec, isSwitch, LETTERS, type Flag } from './flags.ts';
import type { Command } from './command_table.ts';
import { VERSION } from '../../base/version.ts';
import { isKeyOf } from '../../base/keys.ts';

/**
 * The parsed arguments of a command. `words` are its operands, unconverted; `args` are the words after `--`. `format`
 * has a default, which depends on the form. `isFound`: no user has typed the file, which is no pipe.
 */
export type Options = FlagValues &
  Readonly<{
    form: Form;
    /** The file of `--file`, or the default one, which is searched for in parent directories. */
    file: string;
    isFileNamed: boolean;
    words: readonly string[];
    args: readonly string[];
    isFound?: boolean;
  }>;

/** A file and the name of a workflow, for the workflow's help. */
export type WorkflowName = Readonly<{ file: string; workflow: string }>;

/** The words of a command in its long form. */
export type CommandWords = Command['words'];

/** A parsed command line. */
export type Request = Readonly<
  | { kind: 'text'; text: string }
  | { kind: 'command'; command: CommandWords; options: Options }
  | { kind: 'usage error'; problems: readonly string[] }
  | HelpRequest
  | ({ kind: 'unknown command' } & UnknownWords)
>;

/** A request for help on a command, and on the workflow that it names. Without a command, for the list of commands. */
export type HelpRequest = Readonly<
  | { kind: 'help'; found: FoundCommand | undefined; about: WorkflowName | undefined }
  | ({ kind: 'help on' } & UnknownWords)
>;

/**
 * Words that are no command. They may name a workflow of `file`, or a topic of the help. `line` contains all words of
 * the command line.
 */
export type UnknownWords = Readonly<{ words: readonly string[]; line: readonly string[]; file: string }>;

/** The result of a parser; undefined if the value of a flag is missing. */
export type ParsedWords =
  | Readonly<{ positional: readonly string[]; flags: Readonly<Record<string, unknown>> }>
  | undefined;

const VALUE_FLAGS = FLAG_NAMES.filter((name) => !isSwitch(name));

/** Settings under which yargs leaves all words as they are. */
export const CONFIGURATION = {
  'boolean-negation': false,
  'camel-case-expansion': false,
  'duplicate-arguments-array': false,
  'parse-numbers': false,
  'parse-positional-numbers': false,
};

/** Returns a hint about a command line with an unknown flag at `first`, after a command of `length` words. */
export type FlagHint = (line: readonly string[], first: number, length: number) => readonly string[];

/** Parses a command line with a given parser. Values remain strings. */
export function parseCommandLine(
  given: readonly string[],
  parse: (words: string[]) => ParsedWords,
  hintAbout: FlagHint = () => [],
): Request {
  const end = given.includes('--') ? given.indexOf('--') : given.length;
  const argv = given.map((word, index) => (index < end ? withFullName(word) : word));
  const isFlag = (word: string, index: number): boolean => index < end && /^-./s.test(word);
  const used = argv.filter(isFlag);
  const redact = createRedactor(argv);
  const asked = findCommand(argv);
  const badFlags = used.flatMap((word) => flagProblem(word, redact, asked));
  if (badFlags.length > 0) {
    const hint = inputHint(argv.slice(0, end), asked, redact);
    const words = argv.slice(0, argv.findIndex(isFlag));
    // A word in place of a command is the first mistake: it may be a workflow, with the flags of `run`.
    if (asked === undefined && hint.length === 0 && isOfNoCommand(words[0])) {
      const file = valuesOf('file', argv.slice(0, end)).at(-1) ?? DEFAULT_FILE;
      return { kind: 'unknown command', file, words, line: given };
    }
    if (hint.length > 0 || asked === undefined || !badFlags.every(isForCommands))
      return usageError([...badFlags, ...hint], asked);
    const first = argv.findIndex((word, index) => isFlag(word, index) && !isKnownFlag(word));
    return usageError([...badFlags, ...hintAbout(given, first, asked.length)], asked);
  }
  // Switches get an explicit value. Otherwise the parser would take the next word as their value if it is `true`.
  const isBare = (word: string, index: number): boolean => isFlag(word, index) && isBareSwitch(word, asked);
  const parsed = parse(argv.map((word, index) => (isBare(word, index) ? `${word}=true` : word)));
  const empty = parsed === undefined ? withoutValue(argv) : emptyFlag(parsed.flags, argv.slice(0, end));
  if (parsed === undefined || empty !== undefined) return usageError([`flag '--${empty}' needs a value`], asked);
  const { positional, flags } = parsed;
  const isVersion = flags['version'] === true;
  if (isVersion && positional.length === 0) return { kind: 'text', text: `${VERSION}\n` };
  if (isVersion && asked === undefined && isBuiltIn(positional[0]))
    return usageError([`'cli ${positional[0]}' has no flag '--version'`]);
  const file = typeof flags['file'] === 'string' ? flags['file'] : DEFAULT_FILE;
  if (flags['help'] === true && !isVersion) return helpRequest(positional, file);
  if (positional[0] === 'help') return { kind: 'help on', words: positional.slice(1), line: given, file };
  if (positional[0] === 'version') return versionOr(positional.slice(1), redact);

  // `cli runs --stats NAME`: the name follows the word that stands for `runs list`.
  const found =
    commandOfLine(positional) ?? (flags['stats'] === true ? commandOfLine(positional.slice(0, 1)) : undefined);
  if (found === undefined) return { kind: 'unknown command', file, words: positional, line: given };
  const { words, args } = splitArguments(found, positional, flags, given.length - end - 1);
  const format = flags['format'] ?? defaultFormat(found);
  const problems = [
    ...foreignFlags(found, used),
    ...inputHint(argv.slice(0, end), found, redact),
    ...repeatedFlags(used),
    ...operandProblems(found, words, used.map(flagName), redact),
    ...VALUE_FLAGS.flatMap((flag) => badValue(flag, flags[flag])),
    ...formatProblem(found.command, format),
  ];
  if (problems.length > 0) return usageError(problems, found);
  const lists = VALUE_FLAGS.filter(isRepeatable).map((flag) => [flag, valuesOf(flag, argv.slice(0, end))] as const);
  const values: Record<string, unknown> = { ...flags, format, ...Object.fromEntries(lists) };
  // The last one applies.
  if (values['logs'] === true && values['no-logs'] === true)
    values[used.lastIndexOf('--logs') > used.lastIndexOf('--no-logs') ? 'no-logs' : 'logs'] = false;
  const isFileNamed = flags['file'] !== undefined;
  const options = { ...flagValues(values), form: found.form, file, isFileNamed, words, args };
  return { kind: 'command', command: found.command.words, options };
}

/**
 * Splits words into the operands of a command and the arguments after `--`, which follows the first operand. `after` is
 * the number of words after the first `--` of the line, or -1.
 */
function splitArguments(
  { command, length }: FoundCommand,
  positional: readonly string[],
  flags: Readonly<Record<string, unknown>>,
  after: number,
): Pick<Options, 'words' | 'args'> {
  const words = positional.slice(length);
  if (command.hasArguments !== true || after < 0) return { words, args: [] };
  const before = words.length - after;
  // A flag may replace the first operand.
  const isNamed = command.operands?.unless?.some((flag) => flags[flag] === true) === true;
  if (before > 0 || isNamed) return { words: words.slice(0, before), args: words.slice(before) };
  // If the first `--` precedes the name, arguments begin only after a second one.
  const second = words.indexOf('--', 1);
  return second === -1 ? { words, args: [] } : { words: words.slice(0, second), args: words.slice(second + 1) };
}

/** Whether the first word of a line begins no command. */
function isOfNoCommand(word: string | undefined): boolean {
  return word !== undefined && !isBuiltIn(word) && groupOf([word]).length === 0;
}

/** Whether a word is a command without an entry in the table. */
function isBuiltIn(word: string | undefined): boolean {
  return word === 'help' || word === 'version';
}

/** Expands a one-letter flag, with or without `=VALUE`, to its full name. */
export function withFullName(word: string): string {
  const [, letter = '', rest = ''] = /^-(\w)(=.*)?$/s.exec(word) ?? [];
  return isKeyOf(LETTERS, letter) ? `--${LETTERS[letter]}${rest}` : word;
}

/** `version`, which takes no arguments. */
function versionOr(words: readonly string[], redact: Redact): Request {
  if (words.length > 0) return usageError(words.map((word) => `unexpected argument ${redact(word)}`));
  return { kind: 'text', text: `${VERSION}\n` };
}

/** The request for a line with `--help`. It is about a workflow if the line names one to run. */
function helpRequest(positional: readonly string[], file: string): HelpRequest {
  const found = findCommand(positional);
  const workflow = found?.command.words === 'workflow run' ? positional[found.length] : undefined;
  return { kind: 'help', found, about: workflow === undefined ? undefined : { file, workflow } };
}

/** The default output format of a command. */
export function defaultFormat({
  command: { formats, shortFormat, ...command },
  form,
}: FoundCommand): string | undefined {
  if (form === 'short' && command.terminalFormat !== undefined) return undefined;
  return (form === 'short' ? shortFormat : undefined) ?? formats?.[0];
}

function formatProblem({ formats }: Command, format: unknown): string[] {
  const isKnown = formats === undefined || format === undefined || formats.some((known) => known === format);
  return isKnown ? [] : [`flag '--format' must be one of: ${formats.join(', ')}`];
}

const isRepeatable = (name: Flag): boolean => flagSpec(name, undefined).repeatable === true;

/** All values of a flag. Parsers return only the last one. */
function valuesOf(flag: Flag, argv: readonly string[]): readonly string[] {
  const name = `--${flag}`;
  return argv.flatMap((word, index) => {
    if (word.startsWith(`${name}=`)) return word.slice(name.length + 1);
    return word === name ? (argv[index + 1] ?? []) : [];
  });
}

/** A flag with an empty value. Parsers return only the last one. */
function emptyFlag(flags: Readonly<Record<string, unknown>>, argv: readonly string[]): Flag | undefined {
  return VALUE_FLAGS.find((name) => flags[name] !== undefined && valuesOf(name, argv).includes(''));
}

/** The flag whose value is missing. The parser does not report which one it is. */
function withoutValue(argv: readonly string[]): Flag | undefined {
  const lacking = new Set(argv.filter((_, index) => /^-./s.test(argv[index + 1] ?? '--')));
  return VALUE_FLAGS.find((name) => lacking.has(`--${name}`));
}

/** A usage error that ends with the command for help. `found` is undefined if the command is unknown. */
function usageError(problems: readonly string[], found?: FoundCommand): Request {
  const words = found && wordsIn(found.form, found.command);
  const see = `see '${['cli', words, '--help'].filter(Boolean).join(' ')}'`;
  return { kind: 'usage error', problems: [...problems, see] };
}
