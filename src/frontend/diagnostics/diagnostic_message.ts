import { needsQuotes, ruleMessage } from '../schema/rules.ts';
import type { LineIndex } from '../syntax/line_index.ts';
import { type Diagnostic, type DiagnosticList, type Of, redactKey } from './diagnostic.ts';
import { exampleHint, placeOf } from './field_hints.ts';
import { fieldAsVariable, foreignFieldHint, hintForPeople } from './foreign_fields.ts';
import {
  BAD_CONDITION,
  BAD_INPUT,
  BAD_MATRIX,
  BAD_PATTERN,
  MISPLACED,
  NOT_EXPANDED,
  OVERRIDDEN,
  TEXT_LIMIT,
} from './message_words.ts';
import type { FilePosition } from './source.ts';
import {
  foreignReference,
  shorten,
  unresolved,
  unresolvedVariable,
  withoutFallback,
} from './wording/reference_messages.ts';
import { tooLarge } from './too_large.ts';
import { didYouMean, suggestionText } from './suggest.ts';
import { syntaxMessage } from './wording/syntax_message.ts';

/** Of a longer list, a message shows one value. */
const LIST_LIMIT = 60;

/** The text of a diagnostic for the document of `validate`. A syntax error begins with its line and column. */
export function documentMessage(diagnostic: Diagnostic, lines: LineIndex): string {
  const position = diagnostic.code === 'syntax' ? `${lines.describe(diagnostic.range.start)}: ` : '';
  return `${position}${message(diagnostic, lines)}`;
}

/** The text of a diagnostic, to follow its position. `lines` is the index of its file. */
export function message(diagnostic: Diagnostic, lines: LineIndex): string {
  const { step } = diagnostic.owner;
  return `${step === undefined ? '' : `step ${step}: `}${detailMessage(diagnostic.code, diagnostic, lines)}`;
}

/**
 * The text of a diagnostic with its position and its workflow. `lines` is the index of its file. `mayQuote`: its line holds
 * no secret.
 */
export function locatedMessage(
  diagnostic: Diagnostic,
  position: FilePosition,
  lines: LineIndex,
  mayQuote: boolean,
): string {
  const { file, line, column } = position;
  const { workflow } = diagnostic.owner;
  const owner = workflow === '' ? '' : `workflow '${workflow}': `;
  return `${file}:${line}:${column}: ${diagnostic.severity}: ${owner}${textForPeople(diagnostic, lines, mayQuote)}`;
}

/** The text with what would be right: the place of a field, an example, a topic of the help. */
function textForPeople(diagnostic: Diagnostic, lines: LineIndex, mayQuote: boolean): string {
  if (diagnostic.code !== 'unknown field') {
    const { start, end } = diagnostic.range;
    const value = mayQuote && end - start <= LIST_LIMIT ? lines.slice(start, end) : undefined;
    const text = `${message(diagnostic, lines)}${exampleHint(diagnostic, value)}`;
    if (!mayQuote || !isUnquoted(diagnostic)) return text;
    return `${text}: ${quotedList(diagnostic, lines) ?? quotedValue(diagnostic, lines)}`;
  }
  const { step } = diagnostic.owner;
  const text = `${step === undefined ? '' : `step ${step}: `}${unknownField(diagnostic, true)}`;
  return `${text}${text.endsWith('?') ? '' : ';'} see: cli help file`;
}

/** Whether a diagnostic is about a number or boolean in place of a text. */
export function isUnquoted(diagnostic: Diagnostic): boolean {
  return diagnostic.code === 'broken rule' && needsQuotes(diagnostic.rule, diagnostic.found);
}

/** The value of an unquoted diagnostic as a text. */
export function quotedValue({ range }: Pick<Diagnostic, 'range'>, lines: LineIndex): string {
  return JSON.stringify(lines.slice(range.start, range.end));
}

/** The whole list with quotes; undefined if it is long, or not on the one line that was found to hold no secret. */
function quotedList(diagnostic: Diagnostic, lines: LineIndex): string | undefined {
  const [list = []] = 'list' in diagnostic ? [diagnostic.list] : [];
  const [first, last] = [list[0], list.at(-1)];
  if (first === undefined || last === undefined || last.end - first.start > LIST_LIMIT) return undefined;
  if (lines.position(first.start).line !== lines.position(last.end).line) return undefined;
  const values = list.map((range) => {
    const text = lines.slice(range.start, range.end);
    return text.startsWith('"') ? text : quotedValue({ range }, lines);
  });
  return `[${values.join(', ')}]`;
}

/** The message of each kind of diagnostic. */
const MESSAGES: { readonly [Code in Diagnostic['code']]: (found: Of<Code>, lines: LineIndex) => string } = {
  syntax: ({ problem, range }, lines) => syntaxMessage(problem, lines.isEnd(range.start)),
  'broken rule': ({ subject, rule, found }) => `${subject} ${ruleMessage(rule, found)}`.trimStart(),
  'missing field': ({ field }) => `missing '${field}' field`,
  'unknown field': (found) => unknownField(found),
  'duplicate key': ({ key, first }, lines) =>
    `duplicate key '${redactKey(key)}', first defined at ${lines.describe(first.start)}`,
  'empty step': () => "missing 'run' or 'workflow' field",
  'ambiguous step': ({ fields }) => `${fields.map((field) => `'${field}'`).join(' and ')} are mutually exclusive`,
  'unknown workflow': ({ field, name, known, owner }) => {
    // No workflow calls itself.
    const others = Array.from(known).filter((other) => other !== owner.workflow);
    return `${field === undefined ? '' : `'${field}': `}unknown workflow '${name}'${didYouMean(name, others)}`;
  },
  'bad alias': ({ alias, taken }) =>
    `'aliases': '${alias}' is already ${taken === alias ? 'the name of a workflow' : `an alias of '${taken}'`}`,
  'unreadable include': ({ file, problem }) => `cannot read '${file}': ${problem}`,
  'circular include': ({ path }) => `circular include: ${path.join(' -> ')}`,
  'too many files': ({ limit }) => `includes lead to more than ${limit} files`,
  'included name': ({ name, include }) =>
    `'${name}' cannot be the name of a workflow: names that begin with '${include}:' belong to the included file`,
  cycle: ({ path }) => `circular dependency detected: ${path.join(' -> ')}`,
  'too large': ({ operations, limit }) => tooLarge(operations, limit),
  'too much text': () => `names and values expand to more than ${TEXT_LIMIT}`,
  'misplaced field': ({ field, needs }) => `'${field}' ${MISPLACED[needs]}`,
  'bad path': ({ field, problem, offset }) =>
    `'${field}' is not a valid JSON path: ${problem} (at character ${offset + 1})`,
  'bad input': ({ field, problem }) => `'${field}' ${BAD_INPUT[problem]}`,
  'bad matrix': ({ field, problem }) => `'${field}' ${BAD_MATRIX[problem]}`,
  'bad pattern': ({ field, problem }) => `'${field}' ${BAD_PATTERN[problem]}`,
  'bad condition': ({ problem }) => `'if' ${BAD_CONDITION[problem]}`,
  'bad reference': ({ field, reference, problem }) =>
    `'${field}': ${shorten(reference)} ${problem.replace('$reference', () => withoutFallback(reference))}`,
  'unresolved reference': (found) => `'${found.field}': ${shorten(found.reference)}: ${unresolved(found)}`,
  'unresolved variable': unresolvedVariable,
  'unknown secret': ({ name, known, files }) =>
    files === undefined
      ? `'secrets': unknown secret '${name}'${didYouMean(name, known, `, which "secrets" of the file does not declare; a variable of a dotenv file or of the environment goes to every step and must not be listed; for a secret of this step alone, see: cli help variables`)}`
      : `'secrets': '${name}' is a secret of ${files.from}, which ${files.to} does not get: declare it in "secrets" of ${files.to}, too`,
  'unlisted secret': ({ name, isDeclared, files }) => {
    const declare = isDeclared ? '' : `declare it in "secrets" of ${files?.to ?? 'this file'}, and `;
    return `the command uses the secret $${name}${files === undefined ? '' : ` of ${files.from}`} without listing it; ${declare}add "secrets": ["${name}"], or do not mention it`;
  },
  'secret in condition': ({ name }) => `'if' uses the secret $${name}, and conditions get no secrets`,
  'set secret': ({ name }) => `'${name}' is a secret of the file, and cannot be set here`,
  'unused secret': ({ name }) => `no command lists the secret '${name}'`,
  'condition expands': ({ variable }) =>
    `'if' runs the value of $${variable} as a command, and an empty value succeeds; to test whether the variable is set, write "${variable}"`,
  'bare comparison': ({ operator, variable = 'NAME' }) => {
    const test = `[ "$${variable}" ${operator === '!=' ? '!=' : '='} "value" ]`;
    return `'if' runs a shell command, in which ${operator} compares nothing; to compare values, write ${test}`;
  },
  'variable as command': ({ variable, isCondition }) => {
    const problem = `runs ${variable} as a command, which is the name of a variable`;
    if (!isCondition) return `the command ${problem}; to expand the variable, write "$${variable}"`;
    const test = `[ -n "$${variable}" ], or [ -z "$${variable}" ] if it must be empty`;
    return `'if' ${problem}; to test the variable ${variable}: ${test}`;
  },
  'value not expanded': ({ field, kind }) => `'${field}' ${NOT_EXPANDED[kind]}`,
  'ignored hook': ({ hook }) => `'${hook}' does not run: only the hooks of the including file do`,
  'ignored field': ({ field, real }) =>
    `'${redactKey(field)}' is ignored, like every key that starts with 'x-'; did you mean '${real}'?`,
  'field as variable': ({ field, real }) => fieldAsVariable(field, real),
  'undefined variable': ({ variable, known }) => {
    const advice = `; if it comes from outside, mention it in a description or write \${${variable}:?}`;
    return `$${variable} is used but never set${didYouMean(variable, known, advice)}`;
  },
  'foreign reference': foreignReference,
  'newer bash': ({ reference }) =>
    `bash 3.2, the bash of macOS, does not have ${shorten(reference)}; write it in another way, or install a newer bash there (brew install bash)`,
  'constant condition': ({ holds, because }) => `'if' is ${holds ? 'always' : 'never'} true: ${because}`,
  'negative value': ({ field, variable }) => {
    const reason = `counts as true in an 'if' that tests ${variable}`;
    // An input cannot replace the value of a matrix.
    const input = field.startsWith('matrix.') ? '' : `, or declare ${variable} as a boolean input`;
    return `'${field}' has a false value, which ${reason}, so no run starts with it; leave the value empty instead${input}`;
  },
  overridden: ({ field, by }) => `'${field}' has no effect: ${OVERRIDDEN[by]}`,
  'beside dotenv': ({ field, variable }) =>
    `'${field}' does not choose the file in 'dotenv': only a parameter, an input or the process environment sets \${vars.${variable}} there`,
  'unreachable workflow': () => 'never used: it is private, and no public workflow calls it, not even indirectly',
};

function detailMessage<Code extends Diagnostic['code']>(code: Code, found: Of<Code>, lines: LineIndex): string {
  return MESSAGES[code](found, lines);
}

function unknownField({ field, known, given }: Of<'unknown field'>, isForPeople = false): string {
  const forPeople = isForPeople ? hintForPeople(field, known) : undefined;
  const hint =
    forPeople ??
    foreignFieldHint(field, known) ??
    (isForPeople && !known.includes(`${field}s`) ? placeOf(field) : undefined) ??
    didYouMean(field, known, `; expected one of: ${known.join(', ')}`);
  const double = [...given.keys()].find((name) => hint.startsWith(suggestionText([name])));
  return `unknown field '${redactKey(field)}'${double === undefined ? hint : `; '${double}' is already there`}`;
}

/** A line with the number of omitted diagnostics; empty if there are none. */
export function omittedMessage({ items, omitted }: DiagnosticList): string[] {
  return omitted === 0 ? [] : [`and ${omitted} more ${items[0]?.severity ?? 'error'}${omitted === 1 ? '' : 's'}`];
}
