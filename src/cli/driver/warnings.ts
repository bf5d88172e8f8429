import type { FileLint, Lint, LintedRun } from '../../frontend/lint/linted_run.ts';
import { DiagnosticList } from '../../frontend/diagnostics/diagnostic.ts';
import { callersFirst } from '../../ir/compile/repeated_calls.ts';
import type { WorkflowFile } from '../../frontend/ast.ts';
import { mergeCopies } from './include/merge_copies.ts';
import type { LoadedFile } from './load.ts';

/**
 * Adds the warnings and errors about variables, conditions and calls of a valid file: those of one run, or of the whole file.
 * `strict` turns all warnings into errors. `find` is that of `neededLint`.
 */
export function lint(loaded: LoadedFile, strict: boolean, find: FileLint | undefined, run?: LintedRun): LoadedFile {
  const warnings = new DiagnosticList();
  warnings.addAll(loaded.warnings);
  const errors = new DiagnosticList();
  errors.addAll(loaded.errors);
  if (loaded.file !== undefined && find !== undefined) {
    const found = mergeCopies(find(loaded.file, run), loaded.included);
    // The warnings of a file with unknown calls could be wrong.
    addBySeverity(found, { errors, warnings: loaded.kind === 'valid' ? warnings : new DiagnosticList() });
  }
  if (!strict) return { ...loaded, errors, warnings };
  errors.addAll(warnings.asErrors());
  return { ...loaded, errors, warnings: new DiagnosticList() };
}

/** The warnings about the file and about the workflows that a run of a workflow reaches. */
export function warningsOfRun(file: WorkflowFile, requested: string, all: DiagnosticList): DiagnosticList {
  if (all.items.every(({ owner }) => owner.workflow === '' || owner.workflow === requested)) return all;
  const reached = new Set(callersFirst(file.workflows, requested));
  const warnings = new DiagnosticList();
  for (const item of all.items) if (item.owner.workflow === '' || reached.has(item.owner.workflow)) warnings.add(item);
  return warnings;
}

/** Adds diagnostics to the errors or to the warnings. */
export function addBySeverity(
  { items, omitted }: DiagnosticList,
  { errors, warnings }: Pick<LoadedFile, 'errors' | 'warnings'>,
): void {
  for (const item of items) (item.severity === 'error' ? errors : warnings).add(item);
  warnings.omitted += omitted;
}

/** Signs of what the lint finds mistakes in, or of a JSON escape that may stand for a letter of one. */
const LINTED = /\$(?!schema"\s*:)|\{\{|"(?:env|with|matrix|inputs|if|private)"|\\u00/;

/**
 * The lint that a file needs, with that of references in the syntax of other tools, only for files that may have some, and
 * that of `--portable`. Undefined for a file in which it finds nothing. `isMade`: the file calls workflows of its text.
 */
export async function neededLint(
  { lines, included }: Pick<LoadedFile, 'lines' | 'included'>,
  { portable = false, isMade = false }: Readonly<{ portable?: boolean; isMade?: boolean }>,
): Promise<FileLint | undefined> {
  const texts = [lines, ...included.map((file) => file.lines)].map(({ text }) => text);
  if (!portable && !isMade && !texts.some((text) => LINTED.test(text))) return undefined;
  const { lintDataFlow } = await import('../../frontend/lint/lint.ts');
  const more: Lint[] = [];
  if (texts.some((text) => text.includes('{{')))
    more.push((await import('../../frontend/lint/foreign_references.ts')).findForeignReferences);
  if (portable) more.push((await import('../../frontend/lint/newer_bash.ts')).warnOfNewerBash);
  return (file, run) => lintDataFlow(file, run, more);
}
