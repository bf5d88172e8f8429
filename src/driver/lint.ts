import { lintDataFlow, type LintedRun } from '../frontend/lint/data_flow.ts';
import { DiagnosticList } from '../frontend/diagnostics/diagnostic.ts';
import type { LoadedFile } from './load.ts';

/**
 * Adds to what was found in a valid file what is odd about its variables, conditions and calls, for a run or for all of
 * it. If warnings count as errors, they are such then.
 */
export function lint(loaded: LoadedFile, strict: boolean, asked?: LintedRun): LoadedFile {
  const warnings = new DiagnosticList();
  warnings.addAll(loaded.warnings);
  if (loaded.kind === 'valid') warnings.addAll(lintDataFlow(loaded.file, asked));
  if (!strict) return { ...loaded, warnings };
  const errors = warnings.asErrors();
  errors.addAll(loaded.errors);
  return { ...loaded, errors, warnings: new DiagnosticList() };
}
