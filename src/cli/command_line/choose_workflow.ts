import { isParam, type Chosen } from './params.ts';
import type { WorkflowFile } from '../../frontend/ast.ts';

/**
 * The workflow named by the first operand, as a name or an alias. Without operands, or if the first one is a parameter
 * and no name of an included workflow, it is the default workflow if `usesDefault` is set. Undefined if there is no workflow to choose.
 */
export function chooseWorkflow(file: WorkflowFile, words: readonly string[], usesDefault: boolean): Chosen | undefined {
  const [first, ...rest] = words;
  const workflow = first === undefined ? undefined : workflowNamed(file, first);
  if (workflow !== undefined) return { workflow, rest, isDefault: false };
  const preset = usesDefault ? file.default : undefined;
  if (preset !== undefined && (first === undefined || (isParam(first) && !isIncluded(file, first)))) {
    return { workflow: preset, rest: words, isDefault: true };
  }
  return first === undefined ? undefined : { workflow: first, rest, isDefault: false };
}

/** The word between the names of several workflows. */
export const PLUS = '+';

/** The name of a run of several workflows. */
export function joinedName(workflows: readonly string[]): string {
  return workflows.join(` ${PLUS} `);
}

/** Whether operands name several workflows: `lint + test`, or the name of such a run and its numbered parameters. */
export function namesSeveral(file: WorkflowFile, words: readonly string[]): boolean {
  const [first = ''] = words;
  return words.includes(PLUS) || (first.includes(joinedName(['', ''])) && workflowNamed(file, first) === undefined);
}

/** Whether a word such as `ios:tset` begins like the name of a workflow of an include. */
function isIncluded(file: WorkflowFile, word: string): boolean {
  const [namespace = ''] = /^[^:=]+:/.exec(word) ?? [];
  return namespace !== '' && workflowNames(file).some((name) => name.startsWith(namespace));
}

/** The workflow with the given name or alias; undefined if it does not exist. */
export function workflowNamed({ workflows }: WorkflowFile, name: string): string | undefined {
  if (workflows.has(name)) return name;
  for (const [workflow, { aliases }] of workflows) if (aliases.includes(name)) return workflow;
  return undefined;
}

/** The names and aliases of all workflows. */
export function workflowNames({ workflows }: WorkflowFile): string[] {
  return [...workflows.keys(), ...[...workflows.values()].flatMap(({ aliases }) => aliases)];
}
