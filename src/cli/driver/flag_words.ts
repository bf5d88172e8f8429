import { keysOf } from '../../base/keys.ts';
import { DEFAULT_FILE } from '../command_line/default_file.ts';
import { NO_FLAGS, type FlagProperty, type FlagValues } from '../command_line/flag_values.ts';
import type { Options } from '../command_line/parse_command_line.ts';
import { repeatWords } from '../command_line/suggested_command.ts';

/** The given ones of some flags, as on the command line. */
export function givenFlags(values: FlagValues, properties: readonly FlagProperty[]): readonly string[] {
  return properties.filter((property) => wordsOf(values, property).length > 0).map(flagOf);
}

/** The given flags as on the command line, each with its value if it takes one. Those without a value come last. */
export function flagWords(
  options: FlagValues & Pick<Options, 'file' | 'isFileNamed'>,
  ...except: readonly FlagProperty[]
): readonly (readonly string[])[] {
  const shown = keysOf(NO_FLAGS).filter((property) => !except.includes(property));
  const words = shown.flatMap((property) => wordsOf(options, property));
  const all = options.isFileNamed ? [['--file', options.file], ...words] : words;
  return all.toSorted((one, other) => other.length - one.length);
}

function wordsOf(values: FlagValues, property: FlagProperty): readonly (readonly string[])[] {
  const [flag, value] = [flagOf(property), values[property]];
  if (typeof value === 'boolean') return value ? [[flag]] : [];
  return [value ?? []].flat().map((each) => [flag, each]);
}

function flagOf(property: FlagProperty): string {
  return `--${property.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
}

/** The command line of a run, to type again, without its output format and redacted by `repeatWords`. */
export function sameCommand(options: Options): string {
  const { form, words, args } = options;
  const own = ['run', ...words, ...flagWords(options, 'format').flat()];
  const all = [...(form === 'long' ? ['workflow'] : []), ...own, ...(args.length > 0 ? ['--', ...args] : [])];
  return `cli ${repeatWords(all, all)}`;
}

/** A command line without flags, operands and arguments. */
export const NO_OPTIONS: Options = {
  ...NO_FLAGS,
  form: 'long',
  file: DEFAULT_FILE,
  isFileNamed: false,
  words: [],
  args: [],
};
