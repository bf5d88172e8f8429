import { didYouMean, suggestionText } from '../../frontend/diagnostics/suggest.ts';
import { commandOfLine, shortWords, wordsIn, type FoundCommand } from './find_command.ts';
import { FLAG_NAMES, flagsOf, flagSpec, isSwitch, type Flag } from './flags.ts';
import { HIDDEN, type Redact } from './redact.ts';

/** The flags that a command does not have. */
export function foreignFlags({ command, form }: FoundCommand, used: readonly string[]): string[] {
  const allowed = new Set(flagsOf(command).map((name) => `--${name}`));
  const foreign = used.map(flagName).filter((name) => !allowed.has(name));
  return foreign.map((name) => `'cli ${wordsIn(form, command)}' has no flag '${name}'`);
}

/** An error for each flag that can be given only once, and is given more often. */
export function repeatedFlags(used: readonly string[]): string[] {
  const names = used.map(flagName);
  const once = FLAG_NAMES.filter((flag) => flagSpec(flag, undefined).once === true).map((flag) => `--${flag}`);
  const repeated = once.filter((name) => names.indexOf(name) !== names.lastIndexOf(name));
  return repeated.map((name) => `flag '${name}' can be given only once`);
}

/**
 * A hint for a line such as `run NAME --version 1.2` or `NAME --VERSION 1.2`, which probably means a parameter. Shows no
 * secret.
 */
export function inputHint(argv: readonly string[], found: FoundCommand | undefined, redact: Redact): string[] {
  if (found !== undefined && found.command.operands?.usage.includes('KEY:VALUE') !== true) return [];
  const index = argv.findIndex((word) => isLikeInput(flagName(word)));
  const word = argv[index] ?? '';
  const value = word.includes('=') ? word.replace(/^.*?=/s, '') : argv[index + 1];
  if (index <= (found?.length ?? 0) || !value || value.startsWith('-')) return [];
  const name = flagName(word) === '--version' ? 'VERSION' : flagName(word).slice(2);
  if (found === undefined && name === 'VERSION' && word.startsWith('--version')) return [];
  const isShown = /^[\w@%+,./-]+$/.test(value) && redact(value) === `'${value}'` && redact(name) === `'${name}'`;
  return redact(name) === HIDDEN ? [] : [`to set ${name}: ${name}:${isShown ? value : '…'}`];
}

/** Whether an unknown flag is written like a variable. */
function isLikeInput(name: string): boolean {
  return name === '--version' || /^--[A-Z][A-Z0-9_]*$/.test(name);
}

export function badValue(flag: Flag, value: unknown): readonly string[] {
  const { values } = flagSpec(flag, undefined);
  if (values === undefined || value === undefined || values.some((known) => known === value)) return [];
  return [`flag '--${flag}' must be one of: ${values.join(', ')}`];
}

export function flagName(word: string): string {
  return word.replace(/=.*/s, '');
}

export function isBareSwitch(word: string, found: FoundCommand | undefined): boolean {
  return FLAG_NAMES.some((name) => word === `--${name}` && isSwitch(name, found?.command));
}

const AFTER_DASHES = '; flags for the commands of a workflow come after --';

/** Whether a problem is that of a flag that is probably meant for the commands of a workflow. */
export function isForCommands(problem: string): boolean {
  return problem.endsWith(AFTER_DASHES);
}

/** Whether a word is a flag of any command. */
export function isKnownFlag(word: string): boolean {
  const name = flagName(word);
  return FLAG_NAMES.some((flag) => name === `--${flag}`);
}

/** Checks a flag before parsing, because the parser treats names such as `--file.a` and `--__proto__` specially. */
export function flagProblem(word: string, redact: Redact, found: FoundCommand | undefined): string[] {
  const name = flagName(word);
  if (!isKnownFlag(word)) {
    const quoted = redact(word) === HIDDEN ? HIDDEN : redact(name);
    const command = found === undefined ? commandOfLine([name.slice(2)]) : undefined;
    if (command !== undefined) return [`unknown flag '${name}'; did you mean 'cli ${shortWords(command.command)}'?`];
    const own = found === undefined ? FLAG_NAMES : flagsOf(found.command);
    const long = own.map((flag) => `--${flag}`).filter((flag) => flag.length > '--on'.length);
    const [only, ...others] = /^-[a-z]$/.test(name) ? long.filter((flag) => flag.startsWith(`-${name}`)) : [];
    if (only !== undefined && others.length === 0) return [`unknown flag '${name}'${suggestionText([only])}`];
    const hint = found?.command.hasArguments === true ? AFTER_DASHES : '';
    return [`unknown flag ${quoted}${quoted === HIDDEN ? '' : didYouMean(name, long, hint)}`];
  }
  return isBareSwitch(name, found) && word !== name ? [`flag '${name}' takes no value`] : [];
}

/** The errors about the operands of a command. `used` contains its flags. */
export function operandProblems(
  found: FoundCommand,
  words: readonly string[],
  used: readonly string[],
  redact: Redact,
): string[] {
  const { operands, flags } = found.command;
  if (operands !== undefined) {
    const isGiven =
      words.length > 0 ||
      (found.form === 'short' && operands.isOptional === true) ||
      operands.unless?.some((flag) => used.includes(`--${flag}`)) === true;
    return operands.missing === undefined || isGiven ? [] : [operands.missing];
  }
  const [first] = words;
  const isPath =
    flags.includes('file') &&
    !used.includes('--file') &&
    words.length === 1 &&
    first !== undefined &&
    redact(first) === `'${first}'`;
  const hint = isPath ? `; did you mean '--file ${first}'?` : '';
  return words.map((word) => `unexpected argument ${redact(word)}${hint}`);
}
