import type { Findings } from '../frontend/diagnostics/diagnostic.ts';
import type { Unresolved } from '../ir/compile.ts';

/** Adds the references that lead nowhere in a run of a workflow. */
export function addUnresolved(
  findings: Findings,
  run: string,
  isCalled: boolean,
  unresolved: readonly Unresolved[],
): void {
  for (const each of unresolved) {
    findings.add({ severity: 'error', code: 'unresolved reference', run, isCalled, ...each });
  }
}
