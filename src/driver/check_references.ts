import type { DiagnosticList } from '../frontend/diagnostics/diagnostic.ts';
import type { WorkflowFile } from '../frontend/ast.ts';
import { compile } from '../ir/compile.ts';
import { countOperations, OPERATION_LIMIT } from '../ir/plan_size.ts';
import { addUnresolved } from './unresolved.ts';

/** The most operations checked in all; a run checks its own. */
const OPERATION_BUDGET = 1_000_000n;

/** Adds an error for each unresolved reference in a run of a public workflow, or of one that no other calls. */
export function checkReferences(file: WorkflowFile, findings: DiagnosticList): void {
  const count = countOperations(file);
  const called = new Set(
    [...file.workflows.values()].flatMap(({ steps }) =>
      steps.flatMap((step) => (step.kind === 'call' ? step.workflow : [])),
    ),
  );
  const seen = new Set<string>();
  let budget = OPERATION_BUDGET;
  for (const [name, workflow] of file.workflows) {
    if (workflow.private && called.has(name)) continue;
    const operations = count(name);
    if (operations > OPERATION_LIMIT || operations > budget) continue;
    budget -= operations;
    const compiled = compile(file, name, []);
    if (compiled.kind !== 'unresolved') continue;
    const unseen = compiled.unresolved.filter(({ range, reference }) => {
      return seen.size !== seen.add(`${range.start} ${reference}`).size;
    });
    addUnresolved(findings, name, called.has(name), unseen);
  }
}
