import type { DiagnosticList } from '../frontend/diagnostics/diagnostic.ts';
import { renderCodeFrames, type Source } from '../frontend/diagnostics/code_frame.ts';
import type { LineIndex } from '../frontend/syntax/line_index.ts';
import { documentMessage, omittedMessage } from '../frontend/diagnostics/message.ts';
import { wrapIndented } from '../output/text_width.ts';

/** The diagnostics of a file. */
export type FileDiagnostics = Readonly<{ errors: DiagnosticList; warnings: DiagnosticList; source: Source }>;

/** All diagnostics of a file with their code frames, wrapped to `columns`. */
export function renderDiagnostics({ errors, warnings, source }: FileDiagnostics, columns?: number): string[] {
  return wrapIndented(
    [...renderCodeFrames(errors, source, columns), ...renderCodeFrames(warnings, source, columns)],
    columns,
  );
}

/** The entries of errors in the document of `workflow validate`. */
export function diagnosticEntries(errors: DiagnosticList, lines: LineIndex): { workflow: string; message: string }[] {
  const entries = errors.items.map((error) => {
    return { workflow: error.owner.workflow, message: documentMessage(error, lines) };
  });
  return [...entries, ...omittedMessage(errors).map((more) => ({ workflow: '', message: more }))];
}
