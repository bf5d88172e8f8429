import { inputProblems } from '../../ir/inputs.ts';
import type { Plan } from '../../ir/plan.ts';
import type { Options } from '../../command_line/parse.ts';
import type { Io } from '../../output/io.ts';
import type { AnnotatedFinding } from '../../output/messages/findings.ts';
import type { Message } from '../../output/messages/message.ts';
import { negativeConditions } from '../negative_values.ts';
import type { FilePosition } from '../../frontend/diagnostics/source.ts';

/** The inputs without a valid value and how to give them; empty if there are none. */
export async function checkInputs(io: Io, plan: Plan, { file }: Options): Promise<readonly Message[]> {
  const problems = inputProblems(plan, io.env);
  if (problems.length === 0) return [];
  const lines = (await import('../../command_line/input_usage.ts')).inputErrors(plan, problems, file);
  return [{ kind: 'lines', prefix: 'cli: ', lines }];
}

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
