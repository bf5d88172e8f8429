import type { DiagnosticList } from '../../../frontend/diagnostics/diagnostic.ts';
import { renderCodeFrames } from '../../../frontend/diagnostics/code_frame.ts';
import { sourceAt, type Source } from '../../../frontend/diagnostics/source.ts';
import { documentMessage, message, omittedMessage } from '../../../frontend/diagnostics/diagnostic_message.ts';
import type { Rules } from '../paint.ts';
import { wrapIndented } from '../text_width.ts';

/** The diagnostics of a file. */
export type FileDiagnostics = Readonly<{ errors: DiagnosticList; warnings: DiagnosticList; source: Source }>;

/** All diagnostics of a file with their code frames, wrapped to `columns`. */
export function renderDiagnostics({ errors, warnings, source }: FileDiagnostics, columns?: number): string[] {
  return wrapIndented(
    [...renderCodeFrames(errors, source, columns), ...renderCodeFrames(warnings, source, columns)],
    columns,
  );
}

/** The colours of rendered diagnostics. */
export const DIAGNOSTIC_RULES: Rules = [
  [/(?<= )\^+$/, 'red'],
  [/^\S[^ ]*:\d+:\d+:/, 'bold'],
  [/ error(?=: )/, 'red'],
];

/** The entries of errors in the document of `workflow validate`. */
export function diagnosticEntries(errors: DiagnosticList, source: Source): { workflow: string; message: string }[] {
  const entries = errors.items.map((error) => {
    const { path, lines } = sourceAt(source, error.range.start);
    const { line, column } = lines.position(error.range.start);
    const text =
      lines.base === 0 ? documentMessage(error, lines) : `${path}:${line}:${column}: ${message(error, lines)}`;
    return { workflow: error.owner.workflow, message: text };
  });
  return [...entries, ...omittedMessage(errors).map((more) => ({ workflow: '', message: more }))];
}

/** The last line of `validate --format text`. */
export function verdictLine({ errors, warnings, source }: FileDiagnostics): string {
  const counts = `${countOf(errors, 'error')}, ${countOf(warnings, 'warning')}`;
  return `${source.path}: ${errors.items.length === 0 ? 'valid' : 'invalid'}, ${counts}`;
}

function countOf({ items, omitted }: DiagnosticList, noun: string): string {
  const count = items.length + omitted;
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}
