import { resolve } from 'node:path';
import { write } from '../../../backend/system/write.ts';
import { DiagnosticList } from '../../../frontend/diagnostics/diagnostic.ts';
import type { Options } from '../../command_line/parse_command_line.ts';
import { annotation } from '../annotation.ts';
import { printStderr, type Io } from '../io.ts';
import { sayPainted } from '../paint.ts';
import { serviceOf } from '../style.ts';
import { terminalColumns } from '../terminal.ts';
import { workflowTable } from '../workflow_table.ts';
import type { AnnotatedFinding, RenderedMessage } from './findings.ts';
import { findingLine } from './message.ts';
import { DIAGNOSTIC_RULES, renderDiagnostics, type FileDiagnostics } from './render_diagnostics.ts';

/** The maximum number of errors, and of warnings, that GitHub shows per step of a job. */
const SHOWN = 10;

/**
 * Prints a message to standard error. If GitHub Actions reads it, also writes annotations for the first diagnostics and
 * findings, unless `--no-ci` is given.
 */
export async function printRendered(
  io: Io,
  options: Pick<Options, 'quiet' | 'noCi'>,
  message: RenderedMessage,
): Promise<void> {
  switch (message.kind) {
    case 'diagnostics': {
      const found = options.quiet ? { ...message, warnings: new DiagnosticList() } : message;
      sayPainted(io, renderDiagnostics(found, terminalColumns(io.stderr)), DIAGNOSTIC_RULES);
      return annotateDiagnostics(io, options, found);
    }
    case 'findings':
      printStderr(io, message.findings.map(findingLine));
      if (isAnnotated(io, options)) annotate(io, message.findings);
      return;
    case 'unnamed': {
      const workflows = [...message.file.workflows].filter(([, workflow]) => !workflow.private);
      printStderr(io, [`the name of the workflow is missing; the workflows of ${message.path}:`], 'cli: ');
      write(io.stderr, workflowTable(io, io.stderr, workflows, message.file.default));
      return;
    }
  }
}

/** Writes annotations for the first diagnostics of a file, if GitHub Actions reads standard error. */
export async function annotateDiagnostics(
  io: Io,
  options: Pick<Options, 'noCi'>,
  found: FileDiagnostics,
): Promise<void> {
  if (isAnnotated(io, options)) annotate(io, (await import('./findings.ts')).findingsOf(found));
}

function isAnnotated(io: Io, { noCi }: Pick<Options, 'noCi'>): boolean {
  return !noCi && serviceOf(io) === 'github';
}

/** Writes the first findings as annotations. */
function annotate(io: Io, findings: readonly AnnotatedFinding[]): void {
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
