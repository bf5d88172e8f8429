/**
 * The rules that a value or a key can break, each with the words to stand after what breaks it;
 * `$found` is what was found instead.
 */
export const RULES = {
  'an object': 'must be an object, $found',
  'an array': 'must be an array, $found',
  'a string': 'must be a string, $found',
  'a boolean': 'must be true or false, $found',
  'a step': 'must be a command (a string) or an object, $found',
  'not empty': 'must not be empty',
  'not blank': 'must be a command, found a blank string',
  'no NUL': 'must not contain a NUL character',
  'no control characters': 'must not contain control characters',
  'whole characters': 'must be valid Unicode, found half of a surrogate pair',
  'a variable name': 'is not a variable name: letters, digits and underscores, not beginning with a digit',
  'a duration': 'must be a duration such as 500ms, 30s, 2m or 1h30m, more than nothing and at most 24h',
  'a number of attempts': 'must be a whole number from 2 to 100',
  'no shell option': 'cannot be set: the shell or this tool itself goes by it',
} as const;

export type Rule = keyof typeof RULES;

/** Whether a text is the name of a rule. */
export function isRule(text: string): text is Rule {
  return Object.hasOwn(RULES, text);
}

/** That a rule is broken, to stand after what breaks it. */
export function ruleMessage(rule: Rule, found: string): string {
  const article = found === 'null' ? '' : /^[aeiou]/.test(found) ? 'an ' : 'a ';
  const quotes = rule === 'a string' && (found === 'number' || found === 'boolean');
  const words = RULES[rule].replace('$found', `found ${article}${found}`);
  return quotes ? `${words}; put it in double quotes` : words;
}
