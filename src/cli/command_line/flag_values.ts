import { FLAG_NAMES, FLAGS, isSwitch, type Flag } from './flags.ts';

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
