import type { Input } from '../../../frontend/ast.ts';
import { inputProblems } from '../../../ir/inputs.ts';
import type { Plan } from '../../../ir/plan.ts';
import type { Options } from '../../command_line/parse_command_line.ts';
import type { Io } from '../../output/io.ts';
import type { AnnotatedFinding } from '../../output/messages/findings.ts';
import type { Message } from '../../output/messages/message.ts';
import { negativeConditions } from '../negative_values.ts';
import type { FilePosition } from '../../../frontend/diagnostics/source.ts';

/** The inputs without a valid value and how to give them; empty if there are none. */
export async function checkInputs(io: Io, plan: Plan, { file }: Options): Promise<readonly Message[]> {
  const problems = inputProblems(plan, io.env);
  if (problems.length === 0) return [];
  const lines = (await import('../../command_line/input_usage.ts')).inputErrors(plan, problems, file);
  return [{ kind: 'lines', prefix: 'cli: ', lines }];
}

/**
 * The required inputs for which the user can be asked, if nothing else is wrong with inputs: those of the requested
 * workflow that nothing sets.
 */
export async function askableInputs(io: Io, plan: Plan, options: Options): Promise<readonly Input[]> {
  const problems = inputProblems(plan, io.env);
  const asked = problems.filter(({ workflow, setting }) => workflow === plan.workflow && setting === undefined);
  const names = new Set(asked.map(({ input }) => input.name));
  if (asked.length === 0 || asked.length > QUESTION_LIMIT || problems.some(({ input }) => !names.has(input.name))) {
    return [];
  }
  const { mayAsk } = await import('../questions.ts');
  return mayAsk(io, options) ? asked.map(({ input }) => input) : [];
}

/** The maximum number of questions about inputs, repeated ones included. */
export const QUESTION_LIMIT = 3;

/** The conditions that test a value such as `false`; empty if there are none. */
export function checkNegativeValues(
  io: Io,
  { plan, position }: Readonly<{ plan: Plan; position: (offset: number) => FilePosition }>,
  severity: 'error' | 'warning',
): readonly Message[] {
  const findings = new Map<string, AnnotatedFinding>();
  for (const { op, workflow, message } of negativeConditions(plan, io.env)) {
    // A workflow that is called twice has each of its conditions twice.
    findings.set(`${op.offset} ${workflow} ${message}`, { severity, ...position(op.offset), workflow, message });
  }
  return findings.size === 0 ? [] : [{ kind: 'findings', findings: [...findings.values()] }];
}
