import type { DiagnosticList } from '../../../frontend/diagnostics/diagnostic.ts';
import type { FileDiagnostics } from './render_diagnostics.ts';

/** The last line of `validate --format text`. */
export function verdictLine({ errors, warnings, source }: FileDiagnostics): string {
  const counts = `${countOf(errors, 'error')}, ${countOf(warnings, 'warning')}`;
  return `${source.path}: ${errors.items.length === 0 ? 'valid' : 'invalid'}, ${counts}`;
}

function countOf({ items, omitted }: DiagnosticList, noun: string): string {
  const count = items.length + omitted;
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}
