/** Fields of other tools, and the equivalent fields here. Dashes count as underscores. */
const EQUIVALENTS: ReadonlyMap<string, string> = new Map([
  ['command', 'run'],
  ['cmd', 'run'],
  ['script', 'run'],
  ['desc', 'description'],
  ['env', 'with'],
  ['cwd', 'dir'],
  ['working_directory', 'dir'],
  ['continue_on_error', 'allow_failure'],
  ['ignore_errors', 'allow_failure'],
  ['parameters', 'inputs'],
  ['args', 'inputs'],
  ['params', 'inputs'],
  ['tasks', 'workflows'],
  ['jobs', 'workflows'],
  ['env_file', 'dotenv'],
  ['always', 'finally'],
  ['on_failure', 'error'],
  ['on_error', 'error'],
  ['retries', 'retry'],
  ['when', 'if'],
]);

/** Fields of another object, each with a field that only the object has in which it is misplaced, and its place. */
const ELSEWHERE: ReadonlyMap<string, readonly [sibling: string, hint: string]> = new Map([
  ['sources', ['steps', "; it belongs to a step with 'run'"]],
  ['generates', ['steps', "; it belongs to a step with 'run'"]],
  ['once', ['run', '; it belongs to the workflow that is called']],
]);

/** Fields of other tools that correspond to a call. */
const CALLS: ReadonlySet<string> = new Set(['needs', 'deps', 'depends_on', 'uses']);

/** The end of a message about an unknown field, if other tools have that field; otherwise undefined. */
export function foreignFieldHint(field: string, known: readonly string[]): string | undefined {
  const name = field.toLowerCase().replaceAll('-', '_');
  if (CALLS.has(name)) return `; to call another workflow, add a step such as { "workflow": "NAME" }`;
  const [sibling = '', place] = ELSEWHERE.get(name) ?? [];
  if (place !== undefined && known.includes(sibling) && !known.includes(name)) return place;
  const equivalent = EQUIVALENTS.get(name);
  return equivalent !== undefined && known.includes(equivalent) ? `; did you mean '${equivalent}'?` : undefined;
}

const CLEAN_UP = "; a command that always runs is 'finally' of the workflow";

/** Fields of other tools, with longer hints for people, each by a field that only the object has in which it is true. */
const FOR_PEOPLE: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  run: {
    when: "; a condition is 'if', and a step that asks a person first has 'confirm'",
    prompt: "; did you mean 'confirm'?",
    secret: "; did you mean 'secrets'?",
    ...Object.fromEntries(['after_script', 'ensure', 'defer', 'always'].map((name) => [name, CLEAN_UP])),
  },
  steps: {
    ...Object.fromEntries(
      [...CALLS].map((name) => [
        name,
        '; to call other workflows first, begin with steps such as { "workflow": "NAME" }, side by side in { "parallel": [...] }',
      ]),
    ),
    ...Object.fromEntries(
      ['after_all', 'after_script', 'ensure', 'defer'].map((name) => [name, "; did you mean 'finally'?"]),
    ),
  },
};

/** The end of a message for people about an unknown field; undefined if that of documents suffices. */
export function hintForPeople(field: string, known: readonly string[]): string | undefined {
  const name = field.toLowerCase().replaceAll('-', '_');
  const [, hints] = Object.entries(FOR_PEOPLE).find(([sibling]) => known.includes(sibling)) ?? [];
  return hints !== undefined && Object.hasOwn(hints, name) ? hints[name] : undefined;
}

/** The fields of other tools that are unknown here, each with the end of a message about it. */
export function foreignFields(known: readonly string[]): ReadonlyMap<string, string> {
  const names = [...EQUIVALENTS.keys(), ...CALLS, ...ELSEWHERE.keys()].flatMap((name) => [
    name,
    name.replaceAll('_', '-'),
  ]);
  return new Map(
    names.flatMap((name) => {
      const hint = known.includes(name) ? undefined : foreignFieldHint(name, known);
      return hint === undefined ? [] : [[name, hint] as const];
    }),
  );
}
