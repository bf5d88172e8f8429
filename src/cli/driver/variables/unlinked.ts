import type { Diagnostic, DiagnosticList } from '../../../frontend/diagnostics/diagnostic.ts';
import type { SourceRange } from '../../../frontend/syntax/source_range.ts';
import type { WorkflowFile } from '../../../frontend/ast.ts';
import { FILE, referringTexts } from '../../../frontend/lint/scopes.ts';
import type { LookupProblem } from '../../../ir/link.ts';
import type { UnresolvedReference } from '../../../ir/resolve_outputs.ts';

/** Adds a diagnostic, by default an error, for each reference to a variable that has no value. */
export function addUnlinked(
  findings: DiagnosticList,
  file: WorkflowFile,
  problems: readonly LookupProblem[],
  severityOf: (problem: LookupProblem) => Diagnostic['severity'] = () => 'error',
): void {
  if (problems.length === 0) return;
  const places = new Map([...referringTexts(file)].map((place) => [place.range.start, place] as const));
  for (const each of problems) {
    const { lookup, problem, known } = each;
    const { field, owner, range } = places.get(lookup.offset) ?? { field: '', owner: FILE, range: START };
    const detail = { code: 'unresolved variable', field, variable: lookup.name, problem, known } as const;
    findings.add({ severity: severityOf(each), owner, range, ...detail });
  }
}

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

const START: SourceRange = { start: 0, end: 1 };
