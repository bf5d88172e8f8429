/** The fields here, each with the equivalent fields of other tools. Dashes count as underscores. */
const NAMES_ELSEWHERE = {
  run: ['command', 'cmd', 'script'],
  description: ['desc'],
  with: ['env'],
  dir: ['cwd', 'working_directory'],
  allow_failure: ['continue_on_error', 'ignore_errors'],
  inputs: ['parameters', 'args', 'params'],
  workflows: ['tasks', 'jobs'],
  dotenv: ['env_file'],
  finally: ['always'],
  error: ['on_failure', 'on_error'],
  retry: ['retries'],
  if: ['when'],
  background: ['daemon', 'service', 'detach', 'persistent', 'continuous'],
  ready: ['readywhen', 'ready_when', 'ready_port', 'wait_for', 'wait_on'],
};

/** Fields of other tools, and the equivalent fields here. */
export const EQUIVALENTS: ReadonlyMap<string, string> = new Map(
  Object.entries(NAMES_ELSEWHERE).flatMap(([field, names]) => names.map((name) => [name, field] as const)),
);

/** The name of a field as in tables of other tools. */
export function comparable(field: string): string {
  return field.toLowerCase().replaceAll('-', '_');
}

/** Whether two words have the same letters in another order. */
export function hasSameLetters(one: string, other: string): boolean {
  return one.length === other.length && lettersOf(one) === lettersOf(other);
}

/** Whether an unknown field probably stands for a known one: a quick test without suggestions. */
export function isMeantAs(word: string, field: string): boolean {
  return resembles(word, field) || EQUIVALENTS.get(comparable(word)) === field;
}

/** Whether a word is probably another one with a typing error. */
export function resembles(word: string, other: string): boolean {
  const [short, long] = word.length < other.length ? [word, other] : [other, word];
  if (short.length > 3 && long.includes(short)) return true;
  return long.length - short.length <= 1 && isWithin(lettersOf(short), lettersOf(long));
}

function lettersOf(word: string): string {
  return Array.from(word.toLowerCase()).toSorted().join('');
}

/** Whether all letters but one are in a longer text in the same order. */
function isWithin(short: string, long: string): boolean {
  let at = -1;
  let missing = 0;
  for (const letter of short) {
    const next = long.indexOf(letter, at + 1);
    if (next === -1) missing += 1;
    else at = next;
  }
  return missing <= (short.length < 4 || short.length < long.length ? 0 : 1);
}
