import type { DiagnosticList, Owner, SourceRange } from '../../frontend/diagnostics/diagnostic.ts';
import type { SourceText, WorkflowFile } from '../../frontend/ast.ts';
import { FILE, variableScopes, stepsOf } from '../../frontend/lint/scopes.ts';
import type { LookupProblem } from '../../ir/link.ts';
import type { UnresolvedReference } from '../../ir/resolve_outputs.ts';

/** A text of the file: its field, its owner and its range. */
export type FilePlace = Readonly<{ field: string; owner: Owner; range: SourceRange }>;

/** Adds an error for each reference to a variable that has no value. */
export function addUnlinked(findings: DiagnosticList, file: WorkflowFile, problems: readonly LookupProblem[]): void {
  if (problems.length === 0) return;
  const places = new Map(
    [...referringTexts(file)].map(({ range, ...place }) => [range.start, { range, ...place }] as const),
  );
  for (const { lookup, problem, known } of problems) {
    const { field, owner, range } = places.get(lookup.offset) ?? { field: '', owner: FILE, range: START };
    const detail = { code: 'unresolved variable', field, variable: lookup.name, problem, known } as const;
    findings.add({ severity: 'error', owner, range, ...detail });
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

/** The values and directories of a file that refer to variables. */
export function* referringTexts(file: WorkflowFile): Generator<FilePlace> {
  for (const [field, variables, owner] of variableScopes(file)) {
    for (const [name, text] of variables) yield* placeOf(text, `${field}.${name}`, owner);
  }
  for (const [workflow, { dir }] of file.workflows) yield* placeOf(dir, 'dir', { workflow });
  for (const { step, owner } of stepsOf(file)) yield* placeOf(step.dir, 'dir', owner);
}

function* placeOf(text: SourceText | undefined, field: string, owner: Owner): Generator<FilePlace> {
  if (text?.variables !== undefined) yield { field, owner, range: text.range };
}
