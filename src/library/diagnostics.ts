import { checkReferences } from '../cli/driver/checks/check_references.ts';
import { checkSizes } from '../cli/driver/checks/check_sizes.ts';
import { mergeCopies } from '../cli/driver/include/merge_copies.ts';
import { addBySeverity, lint } from '../cli/driver/warnings.ts';
import type { LoadedFile } from '../cli/driver/load.ts';
import { shownPart } from '../frontend/diagnostics/code_frame.ts';
import { DiagnosticList, type Diagnostic } from '../frontend/diagnostics/diagnostic.ts';
import { markedRange } from '../frontend/diagnostics/marked_range.ts';
import { lintDataFlow } from '../frontend/lint/lint.ts';
import { findForeignReferences } from '../frontend/lint/foreign_references.ts';
import { warnOfNewerBash } from '../frontend/lint/newer_bash.ts';
import { sourceAt, type Source } from '../frontend/diagnostics/source.ts';
import { findingOf, inFileOrder } from '../cli/output/messages/findings.ts';
import { renderDiagnostics, verdictLine, type FileDiagnostics } from '../cli/output/messages/render_diagnostics.ts';
import { escapeLines } from '../cli/output/escape.ts';
import type { LoadedProject } from './projects.ts';
import type * as types from './types.ts';

/** A diagnostic with the data that it was made of; null for a problem with a whole file. */
export type DetailedDiagnostic = Readonly<{ diagnostic: types.Diagnostic; found: Diagnostic | null }>;

/** The diagnostics of a project, as `cli validate` finds them. */
export function diagnosticsOf(
  project: LoadedProject,
  options: Required<types.CheckOptions>,
): readonly DetailedDiagnostic[] {
  if (project.kind === 'unreadable') {
    const { path, problem } = project;
    return [{ diagnostic: wholeFile(path, 'unreadable-file', problem), found: null }];
  }
  const { loaded } = project;
  const found = lintedFile(loaded, options);
  return inFileOrder(found).map((each) => ({ diagnostic: placed(each, loaded.source), found: each }));
}

/** The text of `cli validate`: the diagnostics with their code frames, and a last line. */
export function validationText(project: LoadedProject, options: Required<types.CheckOptions>): string {
  if (project.kind === 'unreadable') return escapeLines([project.problem], 'cli: ');
  const { loaded } = project;
  const found = { ...lintedFile(loaded, options), source: loaded.source };
  return escapeLines([...renderDiagnostics(found), verdictLine(found)], '');
}

/** The errors and warnings of a file. */
function lintedFile(
  loaded: LoadedFile,
  { strict, portable }: Required<types.CheckOptions>,
): Omit<FileDiagnostics, 'source'> {
  const more = [findForeignReferences, ...(portable ? [warnOfNewerBash] : [])];
  const { errors: own, warnings } = lint(loaded, strict, (file, run) => lintDataFlow(file, run, more));
  const errors = new DiagnosticList();
  errors.addAll(own);
  const ofRuns = runErrors(loaded);
  addBySeverity(strict ? ofRuns.asErrors() : ofRuns, { errors, warnings });
  return { errors, warnings };
}

/** The diagnostics that only runs of a valid file show. */
function runErrors({ kind, file, hasReferences, included }: LoadedFile): DiagnosticList {
  if (kind !== 'valid') return new DiagnosticList();
  const found = checkSizes(file);
  if (hasReferences) checkReferences(file, found);
  return mergeCopies(found, included);
}

/** A diagnostic of a file, whose end is that of the mark in a code frame. */
export function placed(found: Diagnostic, source: Source): types.Diagnostic {
  const { file, line, column, severity, workflow, step, code, message } = findingOf(found, source);
  const { lines } = sourceAt(source, found.range.start);
  const range = markedRange(found, lines);
  const endColumn = column + shownPart(lines.span(line), range).end - range.start;
  return { file, line, column, endLine: line, endColumn, severity, code, message, workflow, step };
}

/** The code of an error without a place in its file. */
export type PlacelessCode = 'unreadable-file' | 'unknown-workflow' | 'bad-parameter' | 'bad-dotenv' | 'too-large';

/** An error without a place in its file, or at the beginning of a line. */
export function wholeFile(file: string, code: PlacelessCode, message: string, line = 1): types.Diagnostic {
  const place = { file, line, column: 1, endLine: line, endColumn: 1 };
  return { ...place, severity: 'error', code, message, workflow: '', step: null };
}
