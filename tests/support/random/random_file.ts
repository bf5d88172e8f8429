import type { Random } from './random.ts';

export type Variables = readonly (readonly [name: string, value: string])[];

/** A workflow file as a test makes it: everything in order, nothing resolved. */
export interface RandomFile {
  readonly dotenv: readonly string[];
  readonly env: Variables;
  readonly before_all?: string;
  readonly after_all?: string;
  readonly error?: string;
  readonly finally?: string;
  readonly workflows: readonly RandomWorkflow[];
}

export interface RandomWorkflow {
  readonly name: string;
  readonly env: Variables;
  readonly dir: string | undefined;
  readonly steps: readonly RandomStep[];
}

export type RandomStep =
  | { readonly kind: 'short'; readonly run: string }
  | (Shared & HowToRun & { readonly kind: 'run'; readonly run: string; readonly name?: string })
  | (Shared & { readonly kind: 'call'; readonly target: number });

interface Shared {
  readonly if?: string;
  readonly with: Variables;
  readonly dir: string | undefined;
}

export interface HowToRun {
  readonly outputs?: Variables | undefined;
  readonly retry?: { readonly max_attempts: number; readonly delay: Duration } | undefined;
  readonly timeout?: Duration | undefined;
  readonly allow_failure?: boolean | undefined;
}

/** A duration as the file has it, as a port waits for it, and as a dry run shows it. */
interface Duration {
  readonly text: string;
  readonly milliseconds: number;
  readonly shown: string;
}

const DURATIONS: readonly Duration[] = [
  { text: '1s', milliseconds: 1000, shown: '1s' },
  { text: '90s', milliseconds: 90_000, shown: '1m30s' },
  { text: '0h60m', milliseconds: 3_600_000, shown: '1h' },
  { text: '1h1ms', milliseconds: 3_600_001, shown: '1h1ms' },
];
const DIRS = ['sub', '/abs/olute', '..', '$A', 'ž "b"', '${vars.P:-here}/d'];
const OUTPUTS = ['X', 'Y', 'MY_TOKEN'];
const PATHS = ['$', '$.a[0]', '$["odd name"][-1]'];

export const VARIABLE_NAMES = ['A', 'B', '_c', 'D9', '__proto__', 'constructor', 'MY_TOKEN', 'P', 'Q'];

/** The variables that values refer to. Their values hold no outputs. */
const REFERRED: readonly string[] = ['P', 'Q'];
const VALUES = ['', '0', 'false', 'x', ' y ', '$A', 'a=b:c', 'ž\n🐎', '\u202e', '"q"', '\\'];
const NAMES = [
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

const FALLBACKS = ['', 'none', 'two words', '$A'];

/** Steps of these names are in most workflows with references. */
const GIVERS = ['giver', '__proto__', 'a.b c'];

export function variables(random: Random): Variables {
  const names = VARIABLE_NAMES.filter(() => random.chance(0.25));
  return names.map((name) => [name, random.pick(VALUES)]);
}

/** Variables whose values may refer to others. */
function referringVariables(random: Random): Variables {
  return variables(random).map(([name, value]) => {
    const reference = `\${vars.${random.pick(REFERRED)}:-${random.pick(FALLBACKS)}}`;
    return [
      name,
      random.chance(0.3) ? random.pick([`${value}${reference}`, `${reference}-${reference}${value}`]) : value,
    ];
  });
}

function outputs(random: Random): Variables {
  return OUTPUTS.filter(() => random.chance(0.8)).map((name) => [name, random.pick(PATHS)]);
}

function howToRun(random: Random): HowToRun {
  const retry = { max_attempts: 2 + random.below(3), delay: random.pick(DURATIONS) };
  return {
    ...(random.chance(0.2) ? { retry } : {}),
    ...(random.chance(0.2) ? { timeout: random.pick(DURATIONS) } : {}),
    ...(random.chance(0.2) ? { allow_failure: random.chance(0.7) } : {}),
  };
}

/**
 * A file in which workflows only call later ones, so that there are no cycles. It has references to outputs where
 * that is asked for; they may lead nowhere.
 */
export function randomFile(random: Random, hasReferences = false): RandomFile {
  let commands = 0;
  // Some names are given often, so that most references lead somewhere.
  const reference = (): string => {
    const name = random.chance(0.95) ? random.pick(GIVERS) : random.pick(NAMES);
    const fallback = random.chance(0.3) ? `:-${random.pick(FALLBACKS)}` : '';
    return `\${steps.${name}.${random.pick(OUTPUTS)}${fallback}}`;
  };
  const references = (chance: number): string => {
    if (!hasReferences || !random.chance(chance)) return '';
    const one = reference();
    return ` ${random.pick([one, `"a ${one}"`, `'b ${one}'`, `c${one}${reference()}`, `"\${A}"'${one}' ${one}`])}`;
  };
  const command = (chance = 0.3): string =>
    `command ${(commands += 1)}${references(chance)}${random.pick(['', '', ' $A', '\n', ' #ž'])}`;
  const dir = (): string | undefined => (random.chance(0.2) ? random.pick(DIRS) : undefined);
  const values = (): Variables =>
    referringVariables(random).map(([name, value]) => {
      const mayRefer = hasReferences && !REFERRED.includes(name);
      return [name, mayRefer && random.chance(0.3) ? `${value}${reference()}` : value];
    });
  const condition = (): { if?: string } => {
    if (random.chance(0.5)) return {};
    const blank = random.pick(['', ' \t']);
    const choices = [random.pick(VARIABLE_NAMES), ` ${random.pick(VARIABLE_NAMES)} `, 'true', 'false'];
    return { if: random.pick([...choices, 'NOSUCH', blank, `check ${command()}`]) };
  };
  const hook = (key: string): Record<string, string> =>
    random.chance(0.4) ? { [key]: random.pick([command(key === 'before_all' ? 0.01 : 0.4), command(0), ' ']) } : {};
  const names = NAMES.filter(() => random.chance(0.4));
  if (names.length === 0) names.push('only');
  const step = (workflow: number): RandomStep => {
    const later = names.length - workflow - 1;
    if (later > 0 && random.chance(0.35)) {
      const target = workflow + 1 + random.below(later);
      return { kind: 'call', target, ...condition(), with: values(), dir: dir() };
    }
    if (random.chance(0.4)) return { kind: 'short', run: command() };
    const named = random.chance(0.5) ? { name: random.pick(NAMES) } : {};
    const how = { ...howToRun(random), ...(named.name === undefined ? {} : { outputs: outputs(random) }) };
    return { kind: 'run', run: command(), ...named, ...condition(), with: values(), dir: dir(), ...how };
  };
  const giver = (): RandomStep => {
    const given = OUTPUTS.map((name): [string, string] => [name, random.pick(PATHS)]);
    const shared = { name: random.pick(GIVERS), with: [], dir: undefined, outputs: given };
    return { kind: 'run', run: command(0), ...shared, ...howToRun(random) };
  };
  const workflows = names.map((name, index) => ({
    name,
    env: referringVariables(random),
    dir: dir(),
    steps: [
      ...(hasReferences && random.chance(0.8) ? GIVERS.map(giver) : []),
      ...Array.from({ length: random.below(5) }, () => step(index)),
    ],
  }));
  const hooks = { ...hook('before_all'), ...hook('after_all'), ...hook('error'), ...hook('finally') };
  const dotenv = random.chance(0.3) ? ['a.env'] : [];
  return { dotenv, env: referringVariables(random), ...hooks, workflows };
}
