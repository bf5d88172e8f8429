import type { Random } from './random.ts';
import type { HowToRun, RandomFile, RandomStep, Variables } from './random_file.ts';

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
    ...(file.dotenv.length === 0 ? [] : [['dotenv', list('[', file.dotenv.map(string), ']')] as const]),
    ...script('after_all', after_all),
  ]);
  return `${random.chance(0.1) ? '\uFEFF' : ''}${space()}${text}${space()}`;
}
