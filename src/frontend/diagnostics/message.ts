import { truncateReference } from '../../truncate.ts';
import { unreachable } from '../../unreachable.ts';
import type { Diagnostic, DiagnosticList } from './diagnostic.ts';
import type { LineIndex } from '../syntax/line_index.ts';
import { redactKey } from './redact_key.ts';
import { didYouMean } from './suggest.ts';
import { ruleMessage } from '../schema/rules.ts';
import { negativeCountsAsSet, tooLarge } from './shared_messages.ts';
import { DEPTH_LIMIT } from '../syntax/json_tree.ts';

/** The words for a diagnostic. Needs the file's lines: some name a place in the file. */
export function message(diagnostic: Diagnostic, lines: LineIndex): string {
  const { step } = diagnostic.owner;
  return `${step === undefined ? '' : `step ${step}: `}${fact(diagnostic, lines)}`;
}

function fact(diagnostic: Diagnostic, lines: LineIndex): string {
  switch (diagnostic.code) {
    case 'syntax':
      return `${lines.words(diagnostic.range.start)}: ${syntaxWords(diagnostic.problem, diagnostic.range.start >= lines.text.trimEnd().length)}`;
    case 'broken rule':
      return `${diagnostic.subject} ${ruleMessage(diagnostic.rule, diagnostic.found)}`.trimStart();
    case 'missing field':
      return `missing '${diagnostic.field}' field`;
    case 'unknown field':
      return `unknown field '${redactKey(diagnostic.field)}'${didYouMean(diagnostic.field, diagnostic.known, `; the fields here are: ${diagnostic.known.join(', ')}`)}`;
    case 'duplicate key':
      return `duplicate key '${redactKey(diagnostic.key)}', first given at ${lines.words(diagnostic.first.start)}`;
    case 'empty step':
      return "missing 'run' or 'workflow' field";
    case 'ambiguous step':
      return "'run' and 'workflow' are mutually exclusive";
    case 'unknown workflow':
      return `'workflow' calls '${diagnostic.name}', which does not exist${didYouMean(diagnostic.name, diagnostic.known)}`;
    case 'cycle':
      return `circular dependency detected: ${diagnostic.path.join(' -> ')}`;
    case 'too large':
      return tooLarge(diagnostic.operations, diagnostic.limit);
    case 'misplaced field':
      return `'${diagnostic.field}' ${MISPLACED[diagnostic.needs]}`;
    case 'bad path':
      return `'${diagnostic.field}' is no JSON path: ${diagnostic.problem} (at character ${diagnostic.offset + 1})`;
    case 'bad reference':
      return `'${diagnostic.field}': ${truncateReference(diagnostic.reference)} ${diagnostic.problem}`;
    case 'unresolved reference':
      return `'${diagnostic.field}': ${truncateReference(diagnostic.reference)}: ${unresolvedWords(diagnostic)}`;
    case 'condition expands':
      return `'if' runs the value of $${diagnostic.variable} as a command, and an empty one succeeds; to test whether it is set, write "${diagnostic.variable}"`;
    case 'value not expanded':
      return `'${diagnostic.field}' holds ${NOT_EXPANDED[diagnostic.kind]}`;
    case 'ignored field':
      return `'${redactKey(diagnostic.field)}' is ignored, as every 'x-' key is; did you mean '${diagnostic.real}'?`;
    case 'set nowhere':
      return `$${diagnostic.variable} is used, but set nowhere${didYouMean(diagnostic.variable, diagnostic.known, `; if it comes from outside, mention it in a description, or write \${${diagnostic.variable}:?}`)}`;
    case 'condition decided':
      return `'if' ${diagnostic.holds ? 'always' : 'never'} holds here: ${diagnostic.by} decides it`;
    case 'no means yes':
      return negativeCountsAsSet(`'${diagnostic.field}'`, diagnostic.variable);
    case 'overridden':
      return `'${diagnostic.field}' has no effect: ${OVERRIDING[diagnostic.by]}`;
    case 'unreachable workflow':
      return 'it is private, and no workflow that is listed leads to it';
    default:
      return unreachable(diagnostic);
  }
}

const NOT_EXPANDED = {
  value: 'the name of a variable after a $, which is not expanded: values reach commands as they are written',
  directory: 'the name of a variable after a $, which is not expanded: write cd in the command',
  reference: "a reference to an output, which is text here: write it in the 'with' of a step",
} as const;

const MISPLACED = {
  command: "is for steps that run a command; this one calls a workflow: write it on that workflow's steps",
  name: "needs a step with a 'name', which ${steps.NAME.KEY} refers to",
} as const;

/** Of a step's outputs, this many are told. */
const TOLD = 8;

function unresolvedWords(reference: Extract<Diagnostic, { code: 'unresolved reference' }>): string {
  const { run, step, key, isCalled, steps, outputs } = reference;
  if (outputs === undefined) {
    const more = isCalled ? '; if it is there for other workflows to call, make it private' : '';
    const hint = steps.has(step) ? '; one runs later' : didYouMean(step, steps.keys(), more);
    return `no step of that name runs before this in a run of '${run}'${hint}`;
  }
  const told = [...outputs].slice(0, TOLD).join(', ') || 'none';
  const all = `; its outputs are: ${told}${outputs.size > TOLD ? ` and ${outputs.size - TOLD} more` : ''}`;
  const subject = `the last step of that name before this in a run of '${run}'`;
  return `${subject} has no such output${didYouMean(key, outputs, all)}`;
}

const OVERRIDING = {
  scopes: 'wherever it could be seen, an inner scope sets the variable too',
  parameter: 'the parameter of that name lies over it',
} as const;

/** How many more findings there were than are told; nothing where all are. */
export function moreOf({ items, omitted }: DiagnosticList): string[] {
  return omitted === 0 ? [] : [`and ${omitted} more ${items[0]?.severity ?? 'error'}${omitted === 1 ? '' : 's'}`];
}

/** Our own names for syntax errors and jsonc-parser's say it themselves, unless they are here: `InvalidUnicode`. */
function syntaxWords(problem: string, atEnd: boolean): string {
  const words = SYNTAX.get(problem) ?? problem.replace(/(?<=.)[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
  return atEnd && problem.endsWith('Expected') ? `${words}; the file ends here` : words;
}

const SYNTAX: ReadonlyMap<string, string> = new Map([
  ['Utf16', 'the file is UTF-16; save it as UTF-8'],
  ['NotUtf8', 'not valid UTF-8; save the file as UTF-8'],
  ['TooDeep', `nested more than ${DEPTH_LIMIT} levels deep`],
  ['InvalidSymbol', 'unexpected text; a string needs double quotes, a comment //'],
  ['PropertyNameExpected', 'expected a key in double quotes'],
  ['ValueExpected', 'expected a value'],
  ['ColonExpected', "expected ':' after the key"],
  ['CommaExpected', "expected ',' or the closing bracket"],
  ['CloseBraceExpected', "expected ',' or '}'"],
  ['CloseBracketExpected', "expected ',' or ']'"],
  ['EndOfFileExpected', 'unexpected text after the end of the JSON document'],
  ['UnexpectedEndOfString', 'the string is not closed on its line'],
  ['InvalidCharacter', 'control character in a string; write it as an escape'],
]);
