import type { Random } from './random.ts';
import { depthOf, nameIn } from './random_file_types.ts';
import type { HowToRun, Matrix, RandomFile, RandomInput, RandomStep, Variables } from './random_file_types.ts';

type Members = readonly (readonly [key: string, value: string])[];

/** The path of a random file. */
export const ROOT_FILE = 'w.json';

/** The JSON texts of a random file and of the files that it includes, by path, with random additions without a meaning. */
export function fileTexts(file: RandomFile, random: Random): Readonly<Record<string, string>> {
  const space = (): string => random.pick(['', '', '', ' ', '\n', '\t', '\r\n', '/* , } " */', '// "x": {\n']);
  const string = (text: string): string => {
    const json = JSON.stringify(text);
    return random.chance(0.1) ? json.replace(/^"[a-z]/, (start) => `"\\u00${start.charCodeAt(1).toString(16)}`) : json;
  };
  const list = (open: string, items: readonly string[], close: string): string => {
    const inner = items.map((item) => `${space()}${item}${space()}`).join(',');
    return `${open}${inner}${items.length > 0 && random.chance(0.2) ? ',' : ''}${space()}${close}`;
  };
  /** In a map every key is a name. The keys of any other object may be extensions. */
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
  /** A multi-line command is written as a list. */
  const script = (key: string, text: string | undefined): [string, string][] => {
    if (text === undefined || !text.includes('\n')) return optional(key, text);
    return [[key, list('[', text.split('\n').map(string), ']')]];
  };
  const { secrets = [] } = file;
  /** A list of some of the secrets. */
  const listed = (): [string, string][] => {
    const names = secrets.filter(() => random.chance(0.4)).map(({ name }) => string(name));
    return names.length === 0 ? [] : [['secrets', list('[', names, ']')]];
  };
  const hook = (key: string, text: string | undefined): [string, string][] => {
    const own = text === undefined ? [] : listed();
    return own.length === 0 ? script(key, text) : [[key, object([...script('run', text), ...own])]];
  };
  const secretsText = (): [string, string][] => {
    const members = secrets.map(({ name, command, value: path }): [string, string] => {
      return [name, object([['command', list('[', command.map(string), ']')], ...optional('value', path)])];
    });
    return members.length === 0 ? [] : [['secrets', map(members)]];
  };
  const env = (key: string, pairs: Variables): [string, string][] =>
    pairs.length === 0 && random.chance(0.8) ? [] : [[key, texts(pairs)]];

  /** A field with the same value in JSON. */
  const value = (key: string, given: number | boolean | string | undefined): [string, string][] =>
    given === undefined ? [] : [[key, typeof given === 'string' ? string(given) : String(given)]];
  const strings = (key: string, given: readonly string[] | undefined): [string, string][] =>
    given === undefined ? [] : [[key, list('[', given.map(string), ']')]];
  /** The question of a step, which has a short form for the default one, and for none. */
  const question = (name: string | undefined, confirm: string | undefined): boolean | string | undefined => {
    if (confirm === undefined) return random.chance(0.05) ? false : undefined;
    return confirm === `Run '${name}'?` && random.chance(0.7) ? true : confirm;
  };
  const howText = (
    name: string | undefined,
    { outputs: given, retry, timeout, allow_failure, confirm, sources, generates, background }: HowToRun,
  ): [string, string][] => [
    ...(given === undefined ? [] : [['outputs', texts(given)] satisfies [string, string]]),
    ...(retry === undefined ? [] : [['retry', retryText(retry)] satisfies [string, string]]),
    ...optional('timeout', timeout?.text),
    ...value('allow_failure', allow_failure),
    ...value('confirm', question(name, confirm)),
    ...strings('sources', sources),
    ...strings('generates', generates),
    ...(background === undefined ? [] : backgroundText(background)),
  ];
  const backgroundText = (output: NonNullable<HowToRun['background']>): [string, string][] => [
    ...value('background', true),
    ['ready', object([['output', string('ready')]])],
    ...(output === 'grouped' || random.chance(0.2) ? value('output', output) : []),
  ];
  /** The number of attempts alone, or without a delay, means a delay of a second. */
  const retryText = ({ max_attempts: attempts, delay }: NonNullable<HowToRun['retry']>): string => {
    const number = random.pick([String(attempts), `${attempts}e0`, `${attempts}.0`]);
    if (delay.text === '1s' && random.chance(0.5)) return number;
    const hasDelay = delay.text !== '1s' || random.chance(0.5);
    return object([['max_attempts', number], ...(hasDelay ? [['delay', string(delay.text)] as const] : [])]);
  };
  const matrixText = (matrix: Matrix | undefined): [string, string][] => {
    const columns = (matrix ?? []).map(([name, values]): [string, string] => {
      return [
        name,
        list(
          '[',
          values.map(([each]) => string(each)),
          ']',
        ),
      ];
    });
    return columns.length === 0 ? [] : [['matrix', object(columns)]];
  };
  const inputsText = (inputs: readonly RandomInput[]): [string, string][] => {
    const members = inputs.map(({ name, type, required, written, options }): [string, string] => [
      name,
      object([
        ...(type !== 'boolean' && random.chance(0.5) ? [] : value('type', type)),
        ...value('required', required),
        ...(written === undefined ? [] : [['default', written] as const]),
        ...(options === undefined ? [] : [['options', list('[', options.map(string), ']')] as const]),
      ]),
    ]);
    return members.length === 0 ? [] : [['inputs', object(members)]];
  };
  /** A step in the file that `depth` includes lead to. */
  const stepText = (step: RandomStep, depth: number): string => {
    if (step.kind === 'short') return string(step.run);
    const named = optional('name', step.name);
    const shared = [...optional('if', step.if), ...env('with', step.with), ...optional('dir', step.dir)];
    switch (step.kind) {
      case 'run':
        return object([
          ...shared,
          ...script('run', step.run),
          ...named,
          ...matrixText(step.matrix),
          ...howText(step.name, step),
          ...listed(),
        ]);
      case 'group': {
        const { members, max_parallel, fail_fast, output } = step;
        const how = [
          ...value('max_parallel', max_parallel),
          ...value('fail_fast', fail_fast),
          ...value('output', output),
        ];
        return object([
          ...how,
          [
            'parallel',
            list(
              '[',
              members.map((member) => stepText(member, depth)),
              ']',
            ),
          ],
          ...shared,
          ...named,
        ]);
      }
      case 'call':
        return object([
          ...optional('workflow', nameIn(file, step.target, depth)),
          ...shared,
          ...named,
          ...matrixText(step.matrix),
        ]);
    }
  };
  const workflowsOf = (depth: number): string => {
    const own = file.workflows.flatMap((workflow, index): [string, string][] => {
      if (depthOf(file, index) !== depth) return [];
      const { name, inputs, env: variables, dir, steps } = workflow;
      const fields = object([
        ...hook('error', workflow.error),
        ...hook('finally', workflow.finally),
        ...inputsText(inputs),
        ...value('once', workflow.once),
        ...env('env', variables),
        ...(random.chance(0.2) ? [['aliases', list('[', [string(`other ${index}`)], ']')] as const] : []),
        ...optional('dir', dir),
        ...(random.chance(0.2) ? [['private', 'true'] as const] : []),
        ...(random.chance(0.2) ? [['agents', string(random.pick(['allow', 'ask', 'deny']))] as const] : []),
        [
          'steps',
          list(
            '[',
            steps.map((step) => stepText(step, depth)),
            ']',
          ),
        ],
      ]);
      return [[name, fields]];
    });
    return map(own);
  };
  const includeText = (depth: number): [string, string][] => {
    const include = file.includes[depth];
    if (include === undefined) return [];
    const path = `${random.pick(['', './', 'x/../'])}${include.name}.json`;
    const fields = (): string => object([['file', string(path)], ...optional('dir', include.dir)]);
    const isShort = include.dir === undefined && random.chance(0.5);
    return [['include', map([[include.name, isShort ? string(path) : fields()]])]];
  };
  const whole = (members: Members): string =>
    `${random.chance(0.1) ? '\uFEFF' : ''}${space()}${object(members)}${space()}`;
  const { before_all, after_all, error, finally: last } = file;
  const root = whole([
    ...hook('finally', last),
    ...hook('before_all', before_all),
    ['workflows', workflowsOf(0)],
    ...includeText(0),
    ...(random.chance(0.2) ? optional('default', nameIn(file, 0)) : []),
    ...hook('error', error),
    ...env('env', file.env),
    ...secretsText(),
    ...(file.dotenv.length === 0 ? [] : [['dotenv', list('[', file.dotenv.map(string), ']')] as const]),
    ...hook('after_all', after_all),
  ]);
  const included = file.includes.map(({ name, env: variables }, index): [string, string] => {
    // Hooks of included files do not run.
    const hooks = random.chance(0.2) ? script(random.pick(['before_all', 'error', 'finally']), 'never') : [];
    const members = [
      ...env('env', variables),
      ...secretsText(),
      ...hooks,
      ['workflows', workflowsOf(index + 1)] as const,
    ];
    return [`${name}.json`, whole([...includeText(index + 1), ...members])];
  });
  return { [ROOT_FILE]: root, ...Object.fromEntries(included) };
}

/** A text with another value of one of its tokens, or with another layout. */
export function changedText(text: string, source: Random): string {
  if (source.chance(0.2)) return text.replaceAll(':', ' : ');
  const tokens = [...text.matchAll(/"(?:[^"\\]|\\.)*"|\b\d+\b|\btrue\b|\bfalse\b/g)];
  const { 0: token, index } = source.pick(tokens);
  const others: Readonly<Record<string, string>> = { true: 'false', false: 'true' };
  const other = token.startsWith('"') ? `${token.slice(0, -1)}x"` : (others[token] ?? String(Number(token) + 1));
  return `${text.slice(0, index)}${other}${text.slice(index + token.length)}`;
}
