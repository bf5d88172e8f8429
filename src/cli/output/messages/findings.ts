import { createHash } from 'node:crypto';
import { resolve } from 'node:path';
import type { WorkflowFile } from '../../../frontend/ast.ts';
import type { Diagnostic, StepNumber } from '../../../frontend/diagnostics/diagnostic.ts';
import { sourceAt, type Source } from '../../../frontend/diagnostics/source.ts';
import { markedRange } from '../../../frontend/diagnostics/marked_range.ts';
import { message } from '../../../frontend/diagnostics/diagnostic_message.ts';
import { pathInRepository } from '../annotation.ts';
import type { FileDiagnostics } from './render_diagnostics.ts';

/** A diagnostic with its position, for programs. */
export type Finding = Readonly<{
  file: string;
  line: number;
  column: number;
  severity: 'error' | 'warning';
  workflow: string;
  step: StepNumber | null;
  code: string;
  message: string;
}>;

/** The fields of a finding that an annotation shows. */
export type AnnotatedFinding = Omit<Finding, 'step' | 'code'>;

/** A message whose text is made when it is printed. `unnamed`: the name of the workflow is missing. */
export type RenderedMessage = Readonly<
  | ({ kind: 'diagnostics' } & FileDiagnostics)
  | { kind: 'findings'; findings: readonly AnnotatedFinding[] }
  | UnnamedFile
>;

/** A file of which no workflow is named. */
export type UnnamedFile = Readonly<{ kind: 'unnamed'; file: WorkflowFile; path: string }>;

/** The errors and warnings of a file in file order. */
export function findingsOf(found: FileDiagnostics): Finding[] {
  return inFileOrder(found).map((item) => findingOf(item, found.source));
}

export function inFileOrder({ errors, warnings }: Omit<FileDiagnostics, 'source'>): readonly Diagnostic[] {
  return [...errors.items, ...warnings.items].toSorted((one, other) => one.range.start - other.range.start);
}

/** A diagnostic with its position. */
export function findingOf(item: Diagnostic, source: Source): Finding {
  const { workflow, step = null } = item.owner;
  const code = item.code.replaceAll(' ', '-');
  const { path, lines } = sourceAt(source, item.range.start);
  const { line, column } = lines.position(markedRange(item, lines).start);
  const text = message(item, lines);
  return { file: path, line, column, severity: item.severity, workflow, step, code, message: text };
}

/**
 * A report for GitLab (https://docs.gitlab.com/ci/testing/code_quality/#code-quality-report-format). A fingerprint
 * identifies a finding in two versions of a file, so it does not depend on the line.
 */
export function codeQuality(found: FileDiagnostics, env: Readonly<Record<string, string | undefined>>): object[] {
  const seen = new Map<string, number>();
  return findingsOf(found).map(({ file, line, severity, workflow, code, message: text }) => {
    const path = file === '<stdin>' ? file : pathInRepository(resolve(file), env['CI_PROJECT_DIR']);
    const key = JSON.stringify([path, workflow, code, text]);
    const count = (seen.get(key) ?? 0) + 1;
    seen.set(key, count);
    return {
      description: `${workflow === '' ? '' : `workflow '${workflow}': `}${text}`,
      check_name: code,
      fingerprint: createHash('sha256').update(`${key} ${count}`).digest('hex'),
      severity: severity === 'error' ? 'major' : 'minor',
      location: { path, lines: { begin: line } },
    };
  });
}
