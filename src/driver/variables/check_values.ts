import { inputProblems } from '../../ir/inputs.ts';
import type { Plan } from '../../ir/plan.ts';
import type { Options } from '../../command_line/parse.ts';
import { printStderr, type Io } from '../../output/io.ts';
import type { AnnotatedFinding } from '../annotate.ts';
import { negativeConditions } from '../negative_values.ts';
import type { FilePosition } from '../../frontend/diagnostics/source.ts';

/** Prints the inputs without a valid value and how to give them; false if there are any. */
export async function checkInputs(io: Io, plan: Plan, { file }: Options): Promise<boolean> {
  const problems = inputProblems(plan, io.env);
  if (problems.length > 0)
    printStderr(io, (await import('../../command_line/input_usage.ts')).inputErrors(plan, problems, file), 'cli: ');
  return problems.length === 0;
}

/** Prints the conditions that test a value such as `false`; false if they are errors. */
export async function checkNegativeValues(
  io: Io,
  { plan, position }: Readonly<{ plan: Plan; position: (offset: number) => FilePosition }>,
  { switches }: Options,
  level: 'error' | 'warning',
): Promise<boolean> {
  const found = negativeConditions(plan, io.env);
  if (found.length === 0) return true;
  const severity = level === 'error' || switches.has('strict') ? 'error' : 'warning';
  if (severity === 'warning' && switches.has('quiet')) return true;
  const findings = new Map<string, AnnotatedFinding>();
  for (const { op, workflow, message } of found) {
    const { file, line, column } = position(op.offset);
    const text = `${file}:${line}:${column}: ${severity}: workflow '${workflow}': ${message}`;
    // A workflow that is called twice has each of its conditions twice.
    findings.set(text, { severity, file, line, column, workflow, message });
  }
  printStderr(io, findings.keys());
  if (io.env['GITHUB_ACTIONS'] === 'true' && !switches.has('no-ci'))
    (await import('../annotate.ts')).annotateFindings(io, [...findings.values()]);
  return severity !== 'error';
}
