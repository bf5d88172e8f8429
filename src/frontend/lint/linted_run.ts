import type { WorkflowFile } from '../ast.ts';
import type { DiagnosticList, Warn } from '../diagnostics/diagnostic.ts';

/** A requested run: its workflow, its parameters, and whether the process environment has a variable. */
export type LintedRun = Readonly<{
  workflow: string;
  params: ReadonlyMap<string, string>;
  inherits: (name: string) => boolean;
}>;

/** The problems that all lints of a file, or of a run, find. */
export type FileLint = (file: WorkflowFile, run: LintedRun | undefined) => DiagnosticList;

/** A lint of a file, or of a run. */
export type Lint = (file: WorkflowFile, run: LintedRun | undefined, warn: Warn) => void;
