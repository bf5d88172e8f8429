import type { Diagnostic } from '../../../src/frontend/diagnostics/diagnostic.ts';
import type { PlacelessCode } from '../../../src/library/diagnostics.ts';

/** The meaning of each code and the correction of its mistake. A code that is missing here does not compile. */
const CODES: Readonly<Record<Diagnostic['code'], readonly [meaning: string, correction: string]>> = {
  syntax: ['The file is not valid JSON or not valid UTF-8', 'Correct the text at the position'],
  'broken rule': ['A value or key has a wrong type or form', 'Write what the message says'],
  'missing field': ['A required field is missing', 'Add it'],
  'unknown field': ['An object has no such field', 'Use the suggested field, or prefix it with `x-`'],
  'duplicate key': ['An object has a key twice', 'Remove one of them'],
  'empty step': ['A step has neither `run`, `workflow` nor `parallel`', 'Add one of them'],
  'ambiguous step': ['A step has two of `run`, `workflow` and `parallel`', 'Make two steps of it'],
  'unknown workflow': ['A call or `default` names a workflow that does not exist', 'Correct the name'],
  'bad alias': ['An alias is the name or alias of another workflow', 'Choose another one'],
  cycle: ['Workflows call each other in a circle', 'Remove one of the calls'],
  'unreadable include': ['An included file cannot be read', 'Correct the path'],
  'circular include': ['Files include each other in a circle', 'Remove one of the includes'],
  'too many files': ['Includes lead to too many files', 'Include fewer files'],
  'included name': ['A workflow has the name of an include and a colon', 'Rename it'],
  'too large': ['Calls expand to too many operations', 'Make fewer calls or a smaller matrix'],
  'too much text': ['Names and values expand to too much text', 'Make a smaller matrix or shorter values'],
  'misplaced field': ['This kind of step cannot have the field', 'Move the field as the message says'],
  'bad path': ['A JSON path is invalid', 'Correct it at the named character'],
  'bad input': ['The fields of an input contradict each other', 'Remove one of them'],
  'bad matrix': ['A matrix has no variables, no values or equal values, or a variable of `with`', 'Correct the lists'],
  'bad pattern': ['A list of file patterns is wrong', 'Write what the message says'],
  'bad condition': ['A condition is no shell command', 'Write the name of a variable, or a test in `[ ]`'],
  'bare comparison': ['A condition compares outside of `[ ]`', 'Write the test that the message shows'],
  'bad reference': ['A reference is malformed, or stands where it is not allowed', 'Write what the message says'],
  'unresolved reference': ['A reference names no earlier step or output', 'Correct the name'],
  'unresolved variable': ['A reference to a variable has no usable value', 'Set the variable in an outer scope'],
  'unknown secret': ['A step lists a secret that its file does not declare', 'Declare it in `secrets` of the file'],
  'unlisted secret': ['A command uses a secret that it does not list', 'Add it to `secrets` of the step'],
  'secret in condition': ['A condition uses a secret', 'Test another variable'],
  'set secret': ['A variable or input has the name of a secret', 'Rename it'],
  'condition expands': ['A condition runs the value of a variable as a command', 'Write the name without `$`'],
  'variable as command': [
    'A variable stands in the place of a command. An error in a condition, in a command a warning',
    'Write what the message shows',
  ],
  'value not expanded': ['A value contains something that is not expanded', 'Write `${vars.NAME}`'],
  'ignored field': ['A field begins with `x-` and is ignored', 'Remove `x-` if it should have an effect'],
  'field as variable': [
    'A variable of a step has the name of a field: `exclude` in a `matrix`, `fail_fast` in `with`',
    'Write the field in its place, or rename the variable',
  ],
  'ignored hook': ['A hook of an included file does not run', 'Move it to the including file or a workflow'],
  'undefined variable': ['A command uses a variable that nothing sets', 'Correct the name, or declare an input'],
  'foreign reference': ['A reference has the syntax of another tool', 'Write the suggested one'],
  'newer bash': ['With `--portable`: bash 3.2, the bash of macOS, lacks the syntax', 'Write it in another way'],
  'constant condition': ['A condition always or never holds', 'Correct or remove it'],
  'negative value': ['A value such as `false` counts as true in a condition', 'Leave it empty, or use a boolean input'],
  'beside dotenv': ['A value has the name of a variable that chooses a dotenv file', 'Give it as a parameter'],
  overridden: ['Inner scopes or a parameter override a value', 'Remove the value'],
  'unreachable workflow': ['Nothing calls a private workflow', 'Call it, remove it, or make it public'],
  'unused secret': ['No command lists a secret', 'List it, or remove it'],
};

/** The same for codes of the library, those of errors without a place. */
const OWN: Readonly<Record<Exclude<PlacelessCode, 'unknown-workflow' | 'too-large'>, readonly [string, string]>> = {
  'unreadable-file': ['The library cannot read the file', 'Correct the path, or the file'],
  'bad-parameter': ['`compile` of the library got a parameter that the run would refuse', 'Correct the parameter'],
  'bad-dotenv': ['`link` of the library found a mistake in a dotenv file', 'Correct the line'],
};

/** The rows of the table of codes. */
export function findingRows(): readonly (readonly string[])[] {
  const rows = Object.entries({ ...CODES, ...OWN }).map(([code, [meaning, correction]]) => {
    return [`\`${code.replaceAll(' ', '-')}\``, meaning, correction];
  });
  return [['Code', 'Meaning', 'What to do'], ...rows];
}
