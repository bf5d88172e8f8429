import type { Random } from './random.ts';
import type {
  Duration,
  HowToRun,
  Matrix,
  MatrixValue,
  RandomInclude,
  RandomInput,
  Variables,
} from './random_file_types.ts';

const DURATIONS: readonly Duration[] = [
  { text: '1s', milliseconds: 1000, shown: '1s' },
  { text: '90s', milliseconds: 90_000, shown: '1m30s' },
  { text: '0h60m', milliseconds: 3_600_000, shown: '1h' },
  { text: '1h1ms', milliseconds: 3_600_001, shown: '1h1ms' },
];
export const DIRS = ['sub', '/abs/olute', '..', '$A', 'ž "b"', '${vars.P:-here}/d'];
export const OUTPUTS = ['X', 'Y', 'MY_TOKEN'];
export const PATHS = ['$', '$.a[0]', '$["odd name"][-1]', 'text'];

export const VARIABLE_NAMES = ['A', 'B', '_c', 'D9', '__proto__', 'constructor', 'MY_TOKEN', 'P', 'Q'];

/** The variables that values refer to. Their values contain no outputs. */
export const REFERRED: readonly string[] = ['P', 'Q', 'M'];
const VALUES = ['', '0', 'false', 'Yes', 'x', ' y ', '$A', 'a=b:c', 'ž\n🐎', '\u202e', '"q"', '\\'];
export const NAMES = [
  'w',
  '10',
  '2',
  '__proto__',
  'toString',
  'a b',
  '-x',
  '--dry-run',
  'ž✓',
  '::error::',
  '\u202e',
  '"',
  'true',
  'x-y',
];

export const FALLBACKS = ['', 'none', 'two words', '$A'];

/** Steps with these names are in most workflows with references. */
export const GIVERS = ['giver', '__proto__', 'a.b c'];

/** The values of a matrix, and their form in the names of copies. */
const MATRIX_VALUES: readonly MatrixValue[] = [
  ['20', '20'],
  ['1.2 b', '1.2 b'],
  ['', '""'],
  ['a,b', '"a,b"'],
  ['$A', '$A'],
  ['(x)', '"(x)"'],
];

/** Patterns of files. The first of a list excludes none. */
const PATTERNS = ['src', './a b/**/*.c', '../x', '/abs/{a,b}', '${vars.P:-here}/*.[ch]', 'ž\\*?'];

const QUESTIONS = ['Publish?', "It's $A"];

/** The inputs of workflows. Parameters set some of them to invalid values. */
const INPUTS: readonly RandomInput[] = [
  { name: 'A', type: 'boolean' },
  { name: 'A', type: 'boolean', default: 'true', written: '"on"' },
  { name: 'B', type: 'string', default: 'x y', written: '"x y"' },
  { name: 'P', type: 'boolean', default: '', written: 'false' },
  { name: 'Q', type: 'string', default: 'the "default"', written: String.raw`"the \"default\""` },
  { name: '_c', type: 'choice', options: ['x', '$A', 'a=b:c', ''] },
  { name: 'D9', type: 'string', required: true },
  { name: 'MY_TOKEN', type: 'choice', options: ['x', ''], default: 'x', written: '"x"' },
];

export function variables(random: Random): Variables {
  const names = VARIABLE_NAMES.filter(() => random.chance(0.25));
  return names.map((name) => [name, random.pick(VALUES)]);
}

/** Variables whose values may refer to other variables. */
export function referringVariables(random: Random): Variables {
  return variables(random).map(([name, value]) => {
    const reference = `\${vars.${random.pick(REFERRED)}:-${random.pick(FALLBACKS)}}`;
    return [
      name,
      random.chance(0.3) ? random.pick([`${value}${reference}`, `${reference}-${reference}${value}`]) : value,
    ];
  });
}

export function outputs(random: Random): Variables {
  return OUTPUTS.filter(() => random.chance(0.8)).map((name) => [name, random.pick(PATHS)]);
}

export function howToRun(random: Random): HowToRun {
  const retry = { max_attempts: 2 + random.below(3), delay: random.pick(DURATIONS) };
  return {
    ...(random.chance(0.2) ? { retry } : {}),
    ...(random.chance(0.2) ? { timeout: random.pick(DURATIONS) } : {}),
    ...(random.chance(0.2) ? { allow_failure: random.chance(0.7) } : {}),
    ...(random.chance(0.1) ? { confirm: random.pick(QUESTIONS) } : {}),
    ...(random.chance(0.15) ? checkedFiles(random) : {}),
  };
}

/** The files that a step reads and makes. */
function checkedFiles(random: Random): HowToRun {
  const pattern = (): string => random.pick(PATTERNS);
  const excluded = random.chance(0.3) ? [`!${pattern()}`] : [];
  const sources = random.chance(0.8) ? [pattern(), ...excluded] : [];
  if (sources.length > 0 && random.chance(0.4)) return { sources };
  return { sources, generates: [pattern(), ...(random.chance(0.3) ? [pattern()] : [])] };
}

/** A matrix, in few cases. A copy of a call is a call, so they must be rare. */
export function matrix(random: Random): { matrix?: Matrix } {
  if (!random.chance(0.15)) return {};
  const names = ['M', 'M_TOKEN'].filter(() => random.chance(0.6));
  const values = (name: string): MatrixValue[] => {
    const chosen = MATRIX_VALUES.filter(() => random.chance(0.3)).slice(0, 2);
    const some = chosen.length === 0 ? MATRIX_VALUES.slice(0, 1) : chosen;
    return name === 'M' ? some : some.map(([value], index) => [value, `#${index + 1}`]);
  };
  return { matrix: (names.length === 0 ? ['M'] : names).map((name) => [name, values(name)]) };
}

/** Inputs with different names, in few cases. */
export function inputs(random: Random): readonly RandomInput[] {
  if (!random.chance(0.2)) return [];
  const some = INPUTS.filter(() => random.chance(0.3));
  return some.filter(({ name }, index) => some.findIndex((other) => other.name === name) === index);
}

/** The files that a file includes, one inside the other, if it has `count` workflows. Some files have none. */
export function randomIncludes(random: Random, count: number): readonly RandomInclude[] {
  if (!random.chance(0.4)) return [];
  const firsts = [random.below(count + 1), random.below(count + 1)].toSorted((one, other) => one - other);
  return ['lib', 'd e']
    .slice(0, 1 + random.below(2))
    .map((name, index) => ({
      name,
      first: firsts[index] ?? count,
      env: referringVariables(random),
      dir: random.chance(0.3) ? random.pick(['sub', '/abs/olute', '$A', 'ž "b"']) : undefined,
    }));
}
