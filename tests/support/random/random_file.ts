import type { Random } from './random.ts';

export type Variables = readonly (readonly [name: string, value: string])[];

/** A workflow file as a test makes it: everything in order, nothing resolved. */
export interface RandomFile {
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
  return { env: referringVariables(random), ...hooks, workflows };
}

type Members = readonly (readonly [key: string, value: string])[];

/** The file as JSON text, with whatever may stand in one and means nothing. */
export function fileText(file: RandomFile, random: Random): string {
  const space = (): string => random.pick(['', '', '', ' ', '\n', '\t', '\r\n', '/* , } " */', '// "x": {\n']);
  const string = (text: string): string => {
    const json = JSON.stringify(text);
    return random.chance(0.1) ? json.replace(/^"[a-z]/, (start) => `"\\u00${start.charCodeAt(1).toString(16)}`) : json;
  };
  const list = (open: string, items: readonly string[], close: string): string => {
    const inner = items.map((item) => `${space()}${item}${space()}`).join(',');
    return `${open}${inner}${items.length > 0 && random.chance(0.2) ? ',' : ''}${space()}${close}`;
  };
  /** In a map every key is a name; the keys of any other object may be extensions. */
  const map = (members: Members): string =>
    list(
      '{',
      members.map(([key, value]) => `${string(key)}${space()}:${space()}${value}`),
      '}',
    );
  const object = (members: Members): string =>
    map(random.chance(0.1) ? [...members, ['x-ignored', '{"run": [1, {"a": 1e400}]}']] : members);
  const texts = (pairs: Variables): string => object(pairs.map(([name, value]) => [name, string(value)]));
  const optional = (key: string, text: string | undefined): [string, string][] =>
    text === undefined ? [] : [[key, string(text)]];
  /** A command of several lines is written as a list. */
  const script = (key: string, text: string | undefined): [string, string][] => {
    if (text === undefined || !text.includes('\n')) return optional(key, text);
    return [[key, list('[', text.split('\n').map(string), ']')]];
  };
  const env = (key: string, pairs: Variables): [string, string][] =>
    pairs.length === 0 && random.chance(0.8) ? [] : [[key, texts(pairs)]];

  const howText = ({ outputs: given, retry, timeout, allow_failure: isAllowed }: HowToRun): [string, string][] => [
    ...(given === undefined ? [] : [['outputs', texts(given)] satisfies [string, string]]),
    ...(retry === undefined ? [] : [['retry', retryText(retry)] satisfies [string, string]]),
    ...optional('timeout', timeout?.text),
    ...(isAllowed === undefined ? [] : [['allow_failure', String(isAllowed)] satisfies [string, string]]),
  ];
  const retryText = ({ max_attempts: attempts, delay }: NonNullable<HowToRun['retry']>): string =>
    object([
      ['max_attempts', random.pick([String(attempts), `${attempts}e0`, `${attempts}.0`])],
      ['delay', string(delay.text)],
    ]);
  const stepText = (step: RandomStep): string => {
    if (step.kind === 'short') return string(step.run);
    const shared = [...optional('if', step.if), ...env('with', step.with), ...optional('dir', step.dir)];
    if (step.kind === 'run') {
      return object([...shared, ...script('run', step.run), ...optional('name', step.name), ...howText(step)]);
    }
    const target = file.workflows[step.target]?.name;
    return object([...optional('workflow', target), ...shared]);
  };
  const workflows = file.workflows.map(
    ({ name, env: own, dir, steps }) =>
      [
        name,
        object([
          ...env('env', own),
          ...optional('dir', dir),
          ...(random.chance(0.2) ? [['private', 'true'] as const] : []),
          ['steps', list('[', steps.map(stepText), ']')],
        ]),
      ] as const,
  );
  const { before_all, after_all, error, finally: last } = file;
  const text = object([
    ...script('finally', last),
    ...script('before_all', before_all),
    ['workflows', map(workflows)],
    ...script('error', error),
    ...env('env', file.env),
    ...script('after_all', after_all),
  ]);
  return `${random.chance(0.1) ? '\uFEFF' : ''}${space()}${text}${space()}`;
}
