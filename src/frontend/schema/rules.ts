/**
 * The rules for values and keys, each with its message, which follows the name of the offending field. `$found` is
 * replaced by the kind of value found.
 */
export const RULES = {
  'an object': 'must be an object, $found',
  'an array': 'must be an array, $found',
  'a string': 'must be a string, $found',
  'a name': 'must be a name (a string), $found',
  'a JSON path': 'must be a JSON path such as "$.version", or "text", $found',
  'a boolean': 'must be true or false, $found',
  'a string or boolean': 'must be a string, true or false, $found',
  'an input type': 'must be "string", "boolean" or "choice"',
  'a crash choice': 'must be "ask", "rerun" or "fail"',
  'a resume choice': 'must be "keep" or "rerun"',
  'an agent policy': 'must be "allow", "ask" or "deny"',
  'a command': 'must be a string or an array of strings, $found',
  'a hook': 'must be a command (a string or an array of strings) or an object, $found',
  paths: 'must be a path (a string) or an array of paths, $found',
  'an include': 'must be the path of a file (a string) or an object, $found',
  'no colon': 'must not contain a colon, which separates it from the name of a workflow',
  'one line': 'must not contain line breaks: write each line as a string of its own',
  'a step': 'must be a command (a string) or an object, $found',
  'not empty': 'must not be empty',
  'not blank': 'must not be blank',
  'no NUL': 'must not contain a NUL character',
  'no control characters': 'must not contain control characters',
  'whole characters': 'must be valid Unicode, found a lone surrogate',
  'a variable name': 'is not a valid variable name: use letters, digits and underscores, and do not start with a digit',
  'a duration': 'must be a duration such as 500ms, 30s or 1h30m, at least 1ms and at most 24h',
  'a number of attempts': 'must be a whole number from 2 to 100',
  'a retry': 'must be a number of attempts such as 3, or an object, $found',
  'a lock': 'must be the name of a lock such as "deploy", or true, $found',
  'a question': 'must be a question such as "Deploy to production?", or true, $found',
  'a number of members': 'must be a whole number from 1 to 1000',
  'an output mode': 'must be "lines" or "grouped"',
  'a port': 'must be a port from 1 to 65535, or a text such as "${vars.PORT}"',
  'a url': 'must begin with http:// or https://',
  'no exit code': 'is the exit code of a step with "allow_failure", which no output can replace: choose another name',
  'no reserved variable': 'cannot be set: it is reserved for the shell or this tool',
} as const;

export type Rule = keyof typeof RULES;

/** The message for a broken rule, to follow the name of the offending field. */
export function ruleMessage(rule: Rule, found: string): string {
  const article = found === 'null' ? '' : /^[aeiou]/.test(found) ? 'an ' : 'a ';
  const words = RULES[rule].replace('$found', `found ${article}${found}`);
  return needsQuotes(rule, found) ? `${words}; put it in double quotes` : words;
}

/** Whether a value is a text without its quotes. */
export function needsQuotes(rule: Rule, found: string): boolean {
  return rule === 'a string' && (found === 'number' || found === 'boolean');
}
