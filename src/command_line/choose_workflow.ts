import { isParam } from './params.ts';
import type { WorkflowFile } from '../frontend/ast.ts';

/** The name of a workflow as the file has it, and the words that follow it. The file need not have the workflow. */
export type Chosen = Readonly<{ workflow: string; rest: readonly string[] }>;

/**
 * The workflow that the operands of a command mean: the first one is a name or an alias. Without a name, or where the
 * first word is a parameter, they mean the default workflow if `usesDefault`. Undefined if none is named.
 */
export function chooseWorkflow(file: WorkflowFile, words: readonly string[], usesDefault: boolean): Chosen | undefined {
  const [first, ...rest] = words;
  const workflow = first === undefined ? undefined : workflowNamed(file, first);
  if (workflow !== undefined) return { workflow, rest };
  const preset = usesDefault ? file.default : undefined;
  if (preset !== undefined && (first === undefined || isParam(first))) return { workflow: preset, rest: words };
  return first === undefined ? undefined : { workflow: first, rest };
}

/** The workflow with a name or an alias; undefined if there is none. */
function workflowNamed({ workflows }: WorkflowFile, name: string): string | undefined {
  if (workflows.has(name)) return name;
  for (const [workflow, { aliases }] of workflows) if (aliases.includes(name)) return workflow;
  return undefined;
}
