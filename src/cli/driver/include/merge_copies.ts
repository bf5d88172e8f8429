import { DiagnosticList, type Diagnostic } from '../../../frontend/diagnostics/diagnostic.ts';
import type { IncludedSource } from '../../../frontend/diagnostics/source.ts';

/**
 * Removes repeated diagnostics of files that are included several times. A workflow is never used only if that is so in
 * every copy of its file.
 */
export function mergeCopies(list: DiagnosticList, included: readonly IncludedSource[]): DiagnosticList {
  const copies = new Map<number, number>();
  for (const { original } of included) copies.set(original, (copies.get(original) ?? 0) + 1);
  if (copies.size === included.length) return list;
  const merged = new DiagnosticList();
  merged.omitted = list.omitted;
  const found = new Map<string, { first: Diagnostic; count: number }>();
  for (const item of list.items) {
    const file = included.findLast(({ lines }) => lines.base <= item.range.start);
    const original = file?.original ?? 0;
    const offset = original + item.range.start - (file?.lines.base ?? 0);
    const key = JSON.stringify([offset, item.code, subjectOf(item)]);
    const { first, count } = found.get(key) ?? { first: item, count: 0 };
    found.set(key, { first, count: count + 1 });
    const needed = item.code === 'unreachable workflow' ? (copies.get(original) ?? 1) : 1;
    if (count + 1 === needed) merged.add(first);
  }
  return merged;
}

/** The part that distinguishes diagnostics with the same code and position. */
function subjectOf(item: Diagnostic): string {
  if ('reference' in item) return item.reference;
  return 'variable' in item ? (item.variable ?? '') : '';
}
