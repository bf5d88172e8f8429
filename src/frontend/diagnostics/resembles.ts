/** Fields of other tools, and the equivalent fields here. Dashes count as underscores. */
export const EQUIVALENTS: ReadonlyMap<string, string> = new Map([
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
  ['daemon', 'background'],
  ['service', 'background'],
  ['detach', 'background'],
  ['persistent', 'background'],
  ['continuous', 'background'],
  ['readywhen', 'ready'],
  ['ready_when', 'ready'],
  ['ready_port', 'ready'],
  ['wait_for', 'ready'],
  ['wait_on', 'ready'],
]);

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
