import { FLAG_NAMES, FLAGS, isSwitch, type Flag } from './flags.ts';
import { keysOf } from '../../base/keys.ts';

type Camel<Name extends string> = Name extends `${infer First}-${infer Rest}`
  ? `${First}${Capitalize<Camel<Rest>>}`
  : Name;

type ValueOf<Spec> = Spec extends { takes: 'nothing' }
  ? boolean
  : Spec extends { repeatable: true }
    ? readonly string[]
    : (Spec extends { values: readonly (infer Value)[] } ? Value : string) | undefined;

type FlagOf<Property> = { [Name in Flag]: Property extends Camel<Name> ? Name : never }[Flag];

/** The values of all flags but `--file`, which has a default. Of a flag that may be repeated, all values. */
export type FlagValues = Readonly<{
  [Property in Camel<Exclude<Flag, 'file'>>]: ValueOf<(typeof FLAGS)[FlagOf<Property>]>;
}>;

/** The name of a flag as a property. */
export type FlagProperty = keyof FlagValues;

const VALUE_NAMES = FLAG_NAMES.filter((name) => name !== 'file');

/** The values of flags by their names on the command line. */
export function flagValues(given: Readonly<Record<string, unknown>>): FlagValues {
  const values = Object.fromEntries(VALUE_NAMES.map((name) => [camel(name), given[name] ?? absent(name)] as const));
  if (!areFlagValues(values)) throw new Error('a flag has a value of another type');
  return values;
}

function absent(name: Flag): false | readonly string[] | undefined {
  if (isSwitch(name)) return false;
  return 'repeatable' in FLAGS[name] ? [] : undefined;
}

function areFlagValues(values: Readonly<Record<string, unknown>>): values is FlagValues {
  return VALUE_NAMES.every((name) => {
    const [spec, value] = [FLAGS[name], values[camel(name)]];
    if (spec.takes === 'nothing') return typeof value === 'boolean';
    if ('repeatable' in spec) return Array.isArray(value) && value.every((each) => typeof each === 'string');
    return (
      value === undefined ||
      ('values' in spec ? spec.values.some((known) => known === value) : typeof value === 'string')
    );
  });
}

function camel(name: string): string {
  return name.replaceAll(/-./g, (text) => text.slice(1).toUpperCase());
}

/** No flags. */
export const NO_FLAGS = flagValues({});

const PROPERTIES = keysOf(NO_FLAGS);

/** The given ones of some flags, as on the command line. */
export function givenFlags(values: FlagValues, properties: readonly FlagProperty[]): readonly string[] {
  return properties.filter((property) => wordsOf(values, property).length > 0).map(flagOf);
}

/** The given flags as on the command line, each with its value if it takes one. Those without a value come last. */
export function flagWords(
  options: FlagValues & Readonly<{ file: string; isFileNamed: boolean }>,
  ...except: readonly FlagProperty[]
): readonly (readonly string[])[] {
  const shown = PROPERTIES.filter((property) => !except.includes(property));
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
