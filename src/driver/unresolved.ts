import type { DiagnosticList } from '../frontend/diagnostics/diagnostic.ts';
import type { UnresolvedReference } from '../ir/resolve_outputs.ts';

/** Adds an error for each unresolved reference in a run of a workflow. */
export function addUnresolved(
  findings: DiagnosticList,
  run: string,
  isCalled: boolean,
  unresolved: readonly UnresolvedReference[],
): void {
  for (const each of unresolved) {
    findings.add({ severity: 'error', code: 'unresolved reference', run, isCalled, ...each });
  }
}
