import { DiagnosticList, type ErrorDetail, type Owner, type WarningDetail } from './diagnostic.ts';
import type { SourceRange } from '../syntax/source_range.ts';

/** Collects the errors and warnings of a file. Checking continues after an error. */
export class DiagnosticCollector {
  readonly errors = new DiagnosticList();
  readonly warnings = new DiagnosticList();

  fail(detail: ErrorDetail, owner: Owner, range: SourceRange): void {
    this.errors.add({ severity: 'error', owner, range, ...detail });
  }

  warn(detail: WarningDetail, owner: Owner, range: SourceRange): void {
    this.warnings.add({ severity: 'warning', owner, range, ...detail });
  }
}
