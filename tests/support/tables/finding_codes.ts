import type { Diagnostic } from '../../../src/frontend/diagnostics/diagnostic.ts';
import type { PlacelessCode } from '../../../src/library/diagnostics.ts';

/** The meaning of each code. A code that is missing here does not compile. */
const CODES: Readonly<Record<Diagnostic['code'], string>> = {
  syntax: 'The file is not valid JSON or not valid UTF-8',
  'broken rule': 'A value or key has a wrong type or form',
  'missing field': 'A required field is missing',
  'unknown field': 'An object has no such field',
  'duplicate key': 'An object has a key twice',
  'empty step': 'A step has neither `run`, `workflow` nor `parallel`',
  'ambiguous step': 'A step has two of `run`, `workflow` and `parallel`',
  'unknown workflow': 'A call or `default` names a workflow that does not exist',
  'bad alias': 'An alias is the name or alias of another workflow',
  cycle: 'Workflows call each other in a circle',
  'unreadable include': 'An included file cannot be read',
  'circular include': 'Files include each other in a circle',
  'too many files': 'Includes lead to too many files',
  'included name': 'A workflow has the name of an include and a colon',
  'too large': 'Calls expand to too many operations',
  'too much text': 'Names and values expand to too much text',
  'misplaced field': 'This kind of step cannot have the field',
  'bad path': 'A JSON path is invalid',
  'bad input': 'The fields of an input contradict each other',
  'bad matrix': 'A matrix has no variables, no values or equal values, or a variable of `with`',
  'bad pattern': 'A list of file patterns is wrong',
  'bad condition': 'A condition is no shell command',
  'bare comparison': 'A condition compares outside of `[ ]`',
  'bad reference': 'A reference is malformed, or stands where it is not allowed',
  'unresolved reference': 'A reference names no earlier step or output',
  'unresolved variable': 'A reference to a variable has no usable value',
  'unknown secret': 'A step lists a secret that its file does not declare',
  'unlisted secret': 'A command uses a secret that it does not list',
  'secret in condition': 'A condition uses a secret',
  'set secret': 'A variable or input has the name of a secret',
  'condition expands': 'A condition runs the value of a variable as a command',
  'variable as command': 'A variable stands in the place of a command. An error in a condition, in a command a warning',
  'value not expanded': 'A value contains something that is not expanded',
  'ignored field': 'A field begins with `x-` and is ignored',
  'field as variable': 'A variable of a step has the name of a field: `exclude` in a `matrix`, `fail_fast` in `with`',
  'ignored hook': 'A hook of an included file does not run',
  'undefined variable': 'A command uses a variable that nothing sets',
  'foreign reference': 'A reference has the syntax of another tool',
  'newer bash': 'With `--portable`: bash 3.2, the bash of macOS, lacks the syntax',
  'constant condition': 'A condition always or never holds',
  'negative value': 'A value such as `false` counts as true in a condition',
  'beside dotenv': 'A value has the name of a variable that chooses a dotenv file',
  overridden: 'Inner scopes or a parameter override a value',
  'unreachable workflow': 'Nothing calls a private workflow',
  'unused secret': 'No command lists a secret',
};

/** The same for codes of the library, those of errors without a place. */
const OWN: Readonly<Record<Exclude<PlacelessCode, 'unknown-workflow' | 'too-large'>, string>> = {
  'unreadable-file': 'The library cannot read the file',
  'bad-parameter': '`compile` of the library got a parameter that the run would refuse',
  'bad-dotenv': '`link` of the library found a mistake in a dotenv file',
};

/** The items of the list of codes. */
export function findingItems(): readonly string[] {
  return Object.entries({ ...CODES, ...OWN }).map(
    ([code, meaning]) => `- \`${code.replaceAll(' ', '-')}\`: ${meaning}`,
  );
}
