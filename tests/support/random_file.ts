import type { Random } from './random.ts';

export type Variables = readonly (readonly [name: string, value: string])[];

/** A workflow file as a test makes it: everything in order, nothing resolved. */
export interface RandomFile {
  readonly env: Variables;
  readonly before_all?: string;
  readonly after_all?: string;
  readonly error?: string;
  readonly workflows: readonly RandomWorkflow[];
}

export interface RandomWorkflow {
  readonly name: string;
  readonly env: Variables;
  readonly steps: readonly RandomStep[];
}

export type RandomStep =
  | { readonly kind: 'short'; readonly run: string }
  | {
      readonly kind: 'run';
      readonly run: string;
      readonly name?: string;
      readonly if?: string;
      readonly with: Variables;
    }
  | { readonly kind: 'call'; readonly target: number; readonly if?: string; readonly with: Variables };

export const VARIABLE_NAMES = ['A', 'B', '_c', 'D9', '__proto__', 'constructor', 'MY_TOKEN'];
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

export function variables(random: Random): Variables {
  const names = VARIABLE_NAMES.filter(() => random.chance(0.25));
  return names.map((name) => [name, random.pick(VALUES)]);
}

/** A file in which workflows only call later ones, so that there are no cycles. */
export function randomFile(random: Random): RandomFile {
  let commands = 0;
  const command = (): string => `command ${(commands += 1)}${random.pick(['', '', ' $A', '\n', ' #ž'])}`;
  const condition = (): { if?: string } => {
    if (random.chance(0.5)) return {};
    const blank = random.pick(['', ' \t']);
    const choices = [random.pick(VARIABLE_NAMES), ` ${random.pick(VARIABLE_NAMES)} `, 'true', 'false'];
    return { if: random.pick([...choices, 'NOSUCH', blank, `test ${command()}`]) };
  };
  const hook = (key: string): Record<string, string> =>
    random.chance(0.4) ? { [key]: random.pick([command(), command(), ' ']) } : {};
  const names = NAMES.filter(() => random.chance(0.4));
  if (names.length === 0) names.push('only');
  const step = (workflow: number): RandomStep => {
    const later = names.length - workflow - 1;
    if (later > 0 && random.chance(0.35)) {
      const target = workflow + 1 + random.below(later);
      return { kind: 'call', target, ...condition(), with: variables(random) };
    }
    if (random.chance(0.4)) return { kind: 'short', run: command() };
    const named = random.chance(0.5) ? { name: random.pick(NAMES) } : {};
    return { kind: 'run', run: command(), ...named, ...condition(), with: variables(random) };
  };
  const workflows = names.map((name, index) => ({
    name,
    env: variables(random),
    steps: Array.from({ length: random.below(5) }, () => step(index)),
  }));
  const hooks = { ...hook('before_all'), ...hook('after_all'), ...hook('error') };
  return { env: variables(random), ...hooks, workflows };
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
  const env = (key: string, pairs: Variables): [string, string][] =>
    pairs.length === 0 && random.chance(0.8) ? [] : [[key, texts(pairs)]];

  const stepText = (step: RandomStep): string => {
    if (step.kind === 'short') return string(step.run);
    const shared = [...optional('if', step.if), ...env('with', step.with)];
    if (step.kind === 'run') {
      return object([...shared, ['run', string(step.run)], ...optional('name', step.name)]);
    }
    const target = file.workflows[step.target]?.name;
    return object([...optional('workflow', target), ...shared]);
  };
  const workflows = file.workflows.map(
    ({ name, env: own, steps }) =>
      [
        name,
        object([
          ...env('env', own),
          ...(random.chance(0.2) ? [['private', 'true'] as const] : []),
          ['steps', list('[', steps.map(stepText), ']')],
        ]),
      ] as const,
  );
  const { before_all, after_all, error } = file;
  const text = object([
    ...optional('before_all', before_all),
    ['workflows', map(workflows)],
    ...optional('error', error),
    ...env('env', file.env),
    ...optional('after_all', after_all),
  ]);
  return `${random.chance(0.1) ? '\uFEFF' : ''}${space()}${text}${space()}`;
}
