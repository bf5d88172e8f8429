import { checkDataFlow, type Asked } from '../frontend/lint/data_flow.ts';
import { Findings } from '../frontend/diagnostics/diagnostic.ts';
import type { Loaded } from './load.ts';

/**
 * Adds to what was found in a valid file what is odd about its variables, conditions and calls, for a run or for all of
 * it. If warnings count as errors, they are such then.
 */
export function lookCloser(loaded: Loaded, strict: boolean, asked?: Asked): Loaded {
  const warnings = new Findings();
  warnings.addAll(loaded.warnings);
  if (loaded.kind === 'valid') warnings.addAll(checkDataFlow(loaded.file, asked));
  if (!strict) return { ...loaded, warnings };
  const errors = warnings.asErrors();
  errors.addAll(loaded.errors);
  return { ...loaded, errors, warnings: new Findings() };
}
