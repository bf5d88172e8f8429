import { conditionParts } from './condition_parts.ts';
import { splice } from './output_variables.ts';
import type { Op, OutputRead, Plan } from './plan.ts';

/** The command of an op without its references to outputs, or the variable that it tests. */
export function codeOf(op: Op): string {
  if (op.kind === 'parallel') return '';
  const { code, reads } = op.kind === 'condition' ? conditionParts(op.test) : { code: op.command, reads: op.reads };
  return splice(code, reads, () => ' ');
}

/** The references to outputs in the command of an op. */
export function readsOf(op: Op): readonly OutputRead[] {
  if (op.kind === 'parallel') return [];
  return op.kind === 'condition' ? conditionParts(op.test).reads : op.reads;
}

/** `$@`, `$*`, `$#`, `$1` and the like, also in braces. */
const ARGUMENTS = /\$(?:[@*#1-9]|\{!?(?:[@*]|[1-9]\d*(?!\w)|#(?:[}@*:]|[1-9])))/;

/** Whether the command of an op uses the arguments after `--`. */
export function usesArguments(op: Op): boolean {
  return ARGUMENTS.test(codeOf(op));
}

/** The variables that a plan sets, and those to which its values and directories refer. */
export function variablesOf({ frames, ops }: Plan): string[] {
  const names = frames.flatMap(({ vars, inputs = [] }) => [
    ...vars.flatMap(([name, , , lookups = []]) => [name, ...lookups.map((lookup) => lookup.name)]),
    ...inputs.map(({ name }) => name),
  ]);
  for (const op of ops) if ('dirLookup' in op) for (const { name } of op.dirLookup?.lookups ?? []) names.push(name);
  return names;
}
