import { resolve } from 'node:path';
import { write } from '../backend/system/write.ts';
import { annotation } from '../output/annotation.ts';
import type { Io } from '../output/io.ts';
import { serviceOf } from '../output/service.ts';
import type { FileDiagnostics } from './diagnostics.ts';
import { findingsOf, type Finding } from './findings.ts';

/** The maximum number of errors, and of warnings, that GitHub shows per step of a job. */
const SHOWN = 10;

/** The fields of a finding that an annotation shows. */
export type AnnotatedFinding = Omit<Finding, 'step' | 'code'>;

/** Writes the first diagnostics of a file as annotations, if GitHub Actions reads standard error. */
export function annotateDiagnostics(io: Io, found: FileDiagnostics): void {
  if (serviceOf(io) === 'github') annotateFindings(io, findingsOf(found));
}

/** Writes the first findings as annotations, if GitHub Actions reads standard error. */
export function annotateFindings(io: Io, findings: readonly AnnotatedFinding[]): void {
  if (serviceOf(io) !== 'github') return;
  const shown = (['error', 'warning'] as const).flatMap((level) =>
    findings.filter(({ severity }) => severity === level).slice(0, SHOWN),
  );
  const lines = shown.map(({ severity, file, line, column, workflow, message }) => {
    const title = workflow === '' ? 'Workflow file' : `Workflow '${workflow}'`;
    const place = file === '<stdin>' ? undefined : { file: resolve(file), line, column, title };
    return annotation(severity, message, io.env['GITHUB_WORKSPACE'], place);
  });
  write(io.stderr, lines);
}
