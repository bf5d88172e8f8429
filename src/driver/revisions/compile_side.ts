import { tooLarge } from '../../frontend/diagnostics/too_large.ts';
import { DiagnosticList } from '../../frontend/diagnostics/diagnostic.ts';
import { compile } from '../../ir/compile.ts';
import type { Plan, Variable } from '../../ir/plan.ts';
import { operationsText, OPERATION_LIMIT } from '../../ir/plan_size.ts';
import { printStderr, type Io } from '../../output/io.ts';
import { sayDiagnostics } from '../diagnostics.ts';
import { addUnresolved } from '../unresolved.ts';
import type { LoadedSide } from './load_sides.ts';

/**
 * The plan of a workflow on one side, null if that side does not have it. Undefined after an error, which has been
 * printed.
 */
export function compileSide(
  io: Io,
  { path, file, source }: LoadedSide,
  workflow: string,
  params: readonly Variable[],
): Plan | null | undefined {
  if (file === undefined || source === undefined || !file.workflows.has(workflow)) return null;
  const compiled = compile(file, workflow, params);
  if (compiled.kind === 'plan') return compiled.plan;
  if (compiled.kind === 'too large') {
    const message = tooLarge(operationsText(compiled.operations), OPERATION_LIMIT);
    return printStderr(io, [`${path}: workflow '${workflow}': ${message}`], 'cli: ');
  }
  const errors = new DiagnosticList();
  addUnresolved(errors, workflow, false, compiled.unresolved);
  sayDiagnostics(io, { source, errors, warnings: new DiagnosticList() });
  return undefined;
}
