import { needsQuotes, ruleMessage } from '../schema/rules.ts';
import type { LineIndex } from '../syntax/line_index.ts';
import { type Diagnostic, type DiagnosticList, type Of, type Owner, redactKey } from './diagnostic.ts';
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
} from './message_words.ts';
import type { FilePosition } from './source.ts';
import {
  foreignReference,
  shorten,
  TEXT_LIMIT,
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
  return `${step === undefined ? '' : `step ${step}: `}${detailMessage(diagnostic, lines)}`;
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

function detailMessage(diagnostic: Diagnostic, lines: LineIndex): string {
  switch (diagnostic.code) {
    case 'syntax':
      return syntaxMessage(diagnostic.problem, lines.isEnd(diagnostic.range.start));
    case 'broken rule':
      return `${diagnostic.subject} ${ruleMessage(diagnostic.rule, diagnostic.found)}`.trimStart();
    case 'missing field':
      return `missing '${diagnostic.field}' field`;
    case 'unknown field':
      return unknownField(diagnostic);
    case 'duplicate key':
      return `duplicate key '${redactKey(diagnostic.key)}', first defined at ${lines.describe(diagnostic.first.start)}`;
    case 'empty step':
      return "missing 'run' or 'workflow' field";
    case 'ambiguous step':
      return `${diagnostic.fields.map((field) => `'${field}'`).join(' and ')} are mutually exclusive`;
    case 'unknown workflow':
      return unknownWorkflow(diagnostic, diagnostic.owner);
    case 'bad alias':
      return badAlias(diagnostic);
    case 'unreadable include':
      return `cannot read '${diagnostic.file}': ${diagnostic.problem}`;
    case 'circular include':
      return `circular include: ${diagnostic.path.join(' -> ')}`;
    case 'too many files':
      return `includes lead to more than ${diagnostic.limit} files`;
    case 'included name':
      return `'${diagnostic.name}' cannot be the name of a workflow: names that begin with '${diagnostic.include}:' belong to the included file`;
    case 'cycle':
      return `circular dependency detected: ${diagnostic.path.join(' -> ')}`;
    case 'too large':
      return tooLarge(diagnostic.operations, diagnostic.limit);
    case 'too much text':
      return `names and values expand to more than ${TEXT_LIMIT}`;
    case 'misplaced field':
      return `'${diagnostic.field}' ${MISPLACED[diagnostic.needs]}`;
    case 'bad path':
      return `'${diagnostic.field}' is not a valid JSON path: ${diagnostic.problem} (at character ${diagnostic.offset + 1})`;
    case 'bad input':
      return `'${diagnostic.field}' ${BAD_INPUT[diagnostic.problem]}`;
    case 'bad matrix':
      return `'${diagnostic.field}' ${BAD_MATRIX[diagnostic.problem]}`;
    case 'bad pattern':
      return `'${diagnostic.field}' ${BAD_PATTERN[diagnostic.problem]}`;
    case 'bad condition':
      return `'if' ${BAD_CONDITION[diagnostic.problem]}`;
    case 'bad reference':
      return `'${diagnostic.field}': ${shorten(diagnostic.reference)} ${diagnostic.problem.replace('$reference', () => withoutFallback(diagnostic.reference))}`;
    case 'unresolved reference':
      return `'${diagnostic.field}': ${shorten(diagnostic.reference)}: ${unresolved(diagnostic)}`;
    case 'unresolved variable':
      return unresolvedVariable(diagnostic);
    case 'unknown secret':
      return unknownSecret(diagnostic);
    case 'unlisted secret':
      return unlistedSecret(diagnostic);
    case 'secret in condition':
      return `'if' uses the secret $${diagnostic.name}, and conditions get no secrets`;
    case 'set secret':
      return `'${diagnostic.name}' is a secret of the file, and cannot be set here`;
    case 'unused secret':
      return `no command lists the secret '${diagnostic.name}'`;
    case 'condition expands':
      return `'if' runs the value of $${diagnostic.variable} as a command, and an empty value succeeds; to test whether the variable is set, write "${diagnostic.variable}"`;
    case 'bare comparison':
      return bareComparison(diagnostic);
    case 'variable as command':
      return variableAsCommand(diagnostic);
    case 'value not expanded':
      return `'${diagnostic.field}' ${NOT_EXPANDED[diagnostic.kind]}`;
    case 'ignored hook':
      return `'${diagnostic.hook}' does not run: only the hooks of the including file do`;
    case 'ignored field':
      return `'${redactKey(diagnostic.field)}' is ignored, like every key that starts with 'x-'; did you mean '${diagnostic.real}'?`;
    case 'field as variable':
      return fieldAsVariable(diagnostic.field, diagnostic.real);
    case 'undefined variable':
      return undefinedVariable(diagnostic);
    case 'foreign reference':
      return foreignReference(diagnostic);
    case 'newer bash':
      return `bash 3.2, the bash of macOS, does not have ${shorten(diagnostic.reference)}; write it in another way, or install a newer bash there (brew install bash)`;
    case 'constant condition':
      return `'if' is ${diagnostic.holds ? 'always' : 'never'} true: ${diagnostic.because}`;
    case 'negative value':
      return negativeValue(diagnostic);
    case 'overridden':
      return `'${diagnostic.field}' has no effect: ${OVERRIDDEN[diagnostic.by]}`;
    case 'beside dotenv':
      return `'${diagnostic.field}' does not choose the file in 'dotenv': only a parameter, an input or the process environment sets \${vars.${diagnostic.variable}} there`;
    case 'unreachable workflow':
      return 'never used: it is private, and no public workflow calls it, not even indirectly';
  }
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

/** No workflow calls itself. */
function unknownWorkflow({ field, name, known }: Of<'unknown workflow'>, { workflow }: Owner): string {
  const others = Array.from(known).filter((other) => other !== workflow);
  return `${field === undefined ? '' : `'${field}': `}unknown workflow '${name}'${didYouMean(name, others)}`;
}

function badAlias({ alias, taken }: Of<'bad alias'>): string {
  return `'aliases': '${alias}' is already ${taken === alias ? 'the name of a workflow' : `an alias of '${taken}'`}`;
}

function unknownSecret({ name, known, files }: Of<'unknown secret'>): string {
  if (files !== undefined)
    return `'secrets': '${name}' is a secret of ${files.from}, which ${files.to} does not get: declare it in "secrets" of ${files.to}, too`;
  return `'secrets': unknown secret '${name}'${didYouMean(name, known, `, which "secrets" of the file does not declare; a variable of a dotenv file or of the environment goes to every step and must not be listed; for a secret of this step alone, see: cli help variables`)}`;
}

function unlistedSecret({ name, isDeclared, files }: Of<'unlisted secret'>): string {
  const declare = isDeclared ? '' : `declare it in "secrets" of ${files?.to ?? 'this file'}, and `;
  return `the command uses the secret $${name}${files === undefined ? '' : ` of ${files.from}`} without listing it; ${declare}add "secrets": ["${name}"], or do not mention it`;
}

function bareComparison({ operator, variable = 'NAME' }: Of<'bare comparison'>): string {
  const test = `[ "$${variable}" ${operator === '!=' ? '!=' : '='} "value" ]`;
  return `'if' runs a shell command, in which ${operator} compares nothing; to compare values, write ${test}`;
}

function variableAsCommand({ variable, isCondition }: Of<'variable as command'>): string {
  const problem = `runs ${variable} as a command, which is the name of a variable`;
  if (!isCondition) return `the command ${problem}; to expand the variable, write "$${variable}"`;
  const test = `[ -n "$${variable}" ], or [ -z "$${variable}" ] if it must be empty`;
  return `'if' ${problem}; to test the variable ${variable}: ${test}`;
}

function undefinedVariable({ variable, known }: Of<'undefined variable'>): string {
  const advice = `; if it comes from outside, mention it in a description or write \${${variable}:?}`;
  return `$${variable} is used but never set${didYouMean(variable, known, advice)}`;
}

function negativeValue({ field, variable }: Of<'negative value'>): string {
  const reason = `counts as true in an 'if' that tests ${variable}`;
  // An input cannot replace the value of a matrix.
  const input = field.startsWith('matrix.') ? '' : `, or declare ${variable} as a boolean input`;
  return `'${field}' has a false value, which ${reason}, so no run starts with it; leave the value empty instead${input}`;
}

/** A line with the number of omitted diagnostics; empty if there are none. */
export function omittedMessage({ items, omitted }: DiagnosticList): string[] {
  return omitted === 0 ? [] : [`and ${omitted} more ${items[0]?.severity ?? 'error'}${omitted === 1 ? '' : 's'}`];
}
