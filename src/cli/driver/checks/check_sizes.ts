import type { WorkflowFile } from '../../../frontend/ast.ts';
import { DiagnosticList } from '../../../frontend/diagnostics/diagnostic.ts';
import { tooMuchText } from '../../../frontend/diagnostics/too_large.ts';
import { measurePlans, operationsText, OPERATION_LIMIT, type TextExcess } from '../../../ir/plan_size.ts';

/** Errors for workflows whose plans are too large. The file must have no cyclic calls. */
export function checkSizes(file: WorkflowFile): DiagnosticList {
  const findings = new DiagnosticList();
  const sizeOf = measurePlans(file);
  /** The steps that make a plan too large, each once: all callers of their workflows have them too. */
  const excesses = new Map<number, TextExcess>();
  for (const [workflow, { range }] of file.workflows) {
    const { operations, excess } = sizeOf(workflow);
    if (operations <= OPERATION_LIMIT) {
      if (excess !== undefined) excesses.set(excess.offset, excess);
      continue;
    }
    const fault = { code: 'too large', operations: operationsText(operations), limit: OPERATION_LIMIT } as const;
    findings.add({ severity: 'error', ...fault, owner: { workflow }, range });
  }
  for (const excess of excesses.values()) findings.add(tooMuchText(excess));
  return findings;
}
