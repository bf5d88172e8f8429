import { WORKFLOW_DOCS } from '../schema/field_docs.ts';
import { inlineJson } from '../schema/field_help.ts';
import { comparable, EQUIVALENTS } from './resembles.ts';

/** Fields of another object, each with a field that only the object has in which it is misplaced, and its place. */
const ELSEWHERE: ReadonlyMap<string, readonly [sibling: string, hint: string]> = new Map([
  ['sources', ['steps', "; it belongs to a step with 'run'"]],
  ['generates', ['steps', "; it belongs to a step with 'run'"]],
  ['once', ['run', '; it belongs to the workflow that is called']],
]);

/** Fields of other tools that correspond to a call. */
const CALLS: ReadonlySet<string> = new Set(['needs', 'deps', 'depends_on', 'uses']);

/** The end of a message about an unknown field, if other tools have that field; otherwise undefined. */
export function foreignFieldHint(field: string, known: readonly string[]): string | undefined {
  const name = comparable(field);
  if (CALLS.has(name)) return `; to call another workflow, add a step such as { "workflow": "NAME" }`;
  const [sibling = '', place] = ELSEWHERE.get(name) ?? [];
  if (place !== undefined && known.includes(sibling) && !known.includes(name)) return place;
  const equivalent = EQUIVALENTS.get(name);
  return equivalent !== undefined && known.includes(equivalent) ? `; did you mean '${equivalent}'?` : undefined;
}

/** Fields of a matrix in other tools. */
const OF_MATRICES: ReadonlySet<string> = new Set(['include', 'exclude']);

/**
 * The field of a step for which the name of a variable in `parent` was probably meant; undefined for ordinary names. Many
 * fields are ordinary words (`output`, `dir`), but no variable is called `if` or `fail_fast` by chance.
 */
export function fieldOfVariable(name: string, parent: string, known: readonly string[]): string | undefined {
  if (OF_MATRICES.has(name)) return parent === 'matrix' ? 'if' : undefined;
  const field = EQUIVALENTS.get(name) ?? name;
  return (name === 'if' || name.includes('_')) && known.includes(field) ? field : undefined;
}

/** The message about a variable with the name of a field of its step. */
export function fieldAsVariable(field: string, real: string): string {
  const isMatrix = real === 'if' && field.startsWith('matrix.');
  const advice = isMatrix
    ? `to leave combinations out, write a condition beside 'matrix', such as "if": "[ \\"$NAME\\" != value ]"`
    : `the field '${real}' stands beside '${field.replace(/\..*/, '')}', not in it`;
  return `'${field}' is a variable like any other; ${advice}`;
}

const CLEAN_UP = "; a command that always runs is 'finally' of the workflow";
const CALLS_FIRST =
  '; to call other workflows first, begin with steps such as { "workflow": "NAME" }, side by side in { "parallel": [...] }';

/** Longer hints for people about fields of other tools in a step. */
const OF_STEPS: ReadonlyMap<string, string> = new Map([
  ['when', "; a condition is 'if', and a step that asks a person first has 'confirm'"],
  ['prompt', "; did you mean 'confirm'?"],
  ['secret', "; did you mean 'secrets'?"],
  ['after_script', CLEAN_UP],
  ['ensure', CLEAN_UP],
  ['defer', CLEAN_UP],
  ['always', CLEAN_UP],
]);

/** Fields of other tools in a workflow for commands that always run. */
const AFTERWARDS: ReadonlySet<string> = new Set(['after_all', 'after_script', 'ensure', 'defer']);

/** The end of a message for people about an unknown field; undefined if that of documents suffices. */
export function hintForPeople(field: string, known: readonly string[]): string | undefined {
  const name = comparable(field);
  if (known.includes('confirm')) return OF_STEPS.get(name);
  if (!known.includes('steps')) return undefined;
  if (CALLS.has(name)) return CALLS_FIRST;
  if (EQUIVALENTS.get(name) === 'inputs')
    return `; did you mean 'inputs'? for example "inputs": ${inlineJson(WORKFLOW_DOCS.inputs.examples[0])}`;
  return AFTERWARDS.has(name) ? "; did you mean 'finally'?" : undefined;
}

/** The fields of other tools that are unknown here, each with the end of a message about it. */
export function foreignFields(known: readonly string[]): ReadonlyMap<string, string> {
  const names = [...EQUIVALENTS.keys(), ...CALLS, ...ELSEWHERE.keys()].flatMap((name) => [
    name,
    name.replaceAll('_', '-'),
  ]);
  return new Map(
    names.flatMap((name) => {
      const hint = known.includes(name) ? undefined : foreignFieldHint(name, known);
      return hint === undefined ? [] : [[name, hint] as const];
    }),
  );
}
