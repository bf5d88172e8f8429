import type { WorkflowFile } from '../../frontend/ast.ts';
import { compile } from '../../ir/compile.ts';
import type { Plan } from '../../ir/plan.ts';
import { commandTextOf } from './variables/param_warnings.ts';

/** `$@`, `$*`, `$#`, `$1` and the like, also in braces. */
const MENTIONS_ARGUMENTS = /\$(?:[@*#1-9]|\{!?(?:[@*]|[1-9]\d*(?!\w)|#(?:[}@*:]|[1-9])))/;

/** Whether a command of a plan uses the arguments after `--`. */
export function usesArguments({ ops }: Pick<Plan, 'ops'>): boolean {
  return ops.some((op) => MENTIONS_ARGUMENTS.test(commandTextOf(op)));
}

/** Whether a command of a workflow, or of one that it calls, uses the arguments after `--`. */
export function mentionsArguments(file: WorkflowFile, workflow: string): boolean {
  const compiled = compile(file, workflow, [], null);
  return compiled.kind === 'plan' && usesArguments(compiled.plan);
}
