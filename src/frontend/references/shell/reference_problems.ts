/** The reasons why a reference is not allowed in a place, with an alternative. */
export const REFERENCE_PROBLEMS = {
  malformed:
    'is not a reference: write ${steps.NAME.KEY} or ${steps.NAME.KEY:-text}, where KEY is the name of a variable',
  fallback: 'has ${ in the text after :-, which is literal and ends at the first }',
  'malformed variable':
    'is not a reference: write ${vars.NAME} or ${vars.NAME:-text}, where NAME is the name of a variable',
  variable: 'is expanded only in the values of env, with and dir: write "$NAME" in commands and conditions',
  arithmetic:
    'stands where the shell calculates, which would run it as code: assign it to a variable (V=${steps.NAME.KEY}), check that this is a number, and calculate with the variable',
  code: 'stands where the shell runs it as code: write export V=${steps.NAME.KEY} before it, and in the code, in single quotes, "$V"',
  duplication:
    'stands after >& or <&, where bash expands a name twice, and so runs it as code: write > NAME 2>&1, or < NAME',
  backticks: 'stands in backticks: write $(…) in place of `…`',
  'quoted here-document':
    'stands in a here-document with a quoted delimiter, in which nothing is expanded: write the delimiter without quotes',
  operand: 'stands in an expansion that would not take it as it is: write V=${steps.NAME.KEY} before it, and here "$V"',
  unclear:
    'stands where it is not certain how the shell reads it: write V=${steps.NAME.KEY} on the first line, and after it "$V"',
} as const;

export type ReferenceProblem = keyof typeof REFERENCE_PROBLEMS;
