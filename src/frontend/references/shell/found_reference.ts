/** The quotes around a reference, which decide how a variable is written in its place. */
export type Quotes = 'none' | 'double' | 'single' | 'ansi';

/** A reference in a command, or a text that looks like one. Offsets are in UTF-16 units. */
export interface FoundReference {
  readonly step: string;
  readonly key: string;
  readonly fallback: string | null;
  readonly start: number;
  readonly end: number;
  readonly quotes: Quotes;
  problem: ReferenceProblem | undefined;
}

/** The reasons why a reference is not allowed in a place, with an alternative. */
export const REFERENCE_PROBLEMS = {
  malformed:
    'is not a reference: write ${steps.NAME.KEY} or ${steps.NAME.KEY:-text}, where KEY is the name of a variable',
  fallback: 'has ${ in the text after :-, which is literal and ends at the first }',
  'malformed variable':
    'is not a reference: write ${vars.NAME} or ${vars.NAME:-text}, where NAME is the name of a variable',
  variable:
    'is expanded only in the values of env, with, dir and confirm: write $NAME in commands, and NAME alone as a condition',
  arithmetic:
    'is in an arithmetic context, where the shell would run its value as code: assign it to a variable (V=${steps.NAME.KEY}), check that it is a number, and calculate with the variable',
  code: 'is in text that the shell runs as code: write export V=${steps.NAME.KEY} before it, put the code in single quotes, and use "$V" in it',
  duplication: 'follows >& or <&, where bash expands a name twice and so runs it as code: write > NAME 2>&1, or < NAME',
  backticks: 'is in backticks: write $(…) instead of `…`',
  'quoted here-document':
    'is in a here-document with a quoted delimiter, where nothing is expanded: write the delimiter without quotes',
  operand: 'is in an expansion that would interpret its value: write V=${steps.NAME.KEY} before it, and "$V" here',
  unclear: 'is in a place that shells read differently: write V=${steps.NAME.KEY} on the first line, and "$V" after it',
} as const;

export type ReferenceProblem = keyof typeof REFERENCE_PROBLEMS;
