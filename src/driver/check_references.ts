import type { DiagnosticList } from '../frontend/diagnostics/diagnostic.ts';
import type { WorkflowFile } from '../frontend/ast.ts';
import { compile } from '../ir/compile.ts';
import { countOperations, OPERATION_LIMIT } from '../ir/plan_size.ts';
import { addUnresolved } from './unresolved.ts';

/** At most this many operations are gone through in all; a run checks its own. */
const OPERATION_BUDGET = 1_000_000n;

/**
 * Adds the references to outputs that lead nowhere, in runs of each workflow that is listed or that no other one calls;
 * each once.
 */
export function checkReferences(file: WorkflowFile, findings: DiagnosticList): void {
  const count = countOperations(file);
  const called = new Set(
    [...file.workflows.values()].flatMap(({ steps }) =>
      steps.flatMap((step) => (step.kind === 'call' ? step.workflow : [])),
    ),
  );
  const seen = new Set<string>();
  let left = OPERATION_BUDGET;
  for (const [name, workflow] of file.workflows) {
    if (workflow.private && called.has(name)) continue;
    const operations = count(name);
    if (operations > OPERATION_LIMIT || operations > left) continue;
    left -= operations;
    const compiled = compile(file, name, []);
    if (compiled.kind !== 'unresolved') continue;
    const fresh = compiled.unresolved.filter(({ range, reference }) => {
      return seen.size !== seen.add(`${range.start} ${reference}`).size;
    });
    addUnresolved(findings, name, called.has(name), fresh);
  }
}
