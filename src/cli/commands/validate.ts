import type { DiagnosticList } from '../../frontend/diagnostics/diagnostic.ts';
import type { WorkflowFile } from '../../frontend/ast.ts';
import { print, printDocument } from '../output/document.ts';
import type { Options } from '../command_line/parse_command_line.ts';
import { EXIT, printStderr, type Io } from '../output/io.ts';
import { checkSizes } from '../driver/checks/check_sizes.ts';
import { load, type LoadedFile } from '../driver/load.ts';
import { printMessage, printMessages } from '../output/messages/print_messages.ts';
import { staleSchema } from '../driver/stale_schema.ts';
import { mergeCopies } from '../driver/include/merge_copies.ts';
import { verdictLine } from '../output/messages/render_diagnostics.ts';
import { addBySeverity, lint, neededLint } from '../driver/warnings.ts';
import { outputLines, type Rules } from '../output/paint.ts';
import { terminalColumns } from '../output/terminal.ts';

/** `workflow validate`: prints all errors of a file as a document, and as text with code frames. */
export async function validate(io: Io, options: Options): Promise<number> {
  const loaded = await printMessages(io, options, load(io, options));
  if (loaded === undefined) return EXIT.cannotStart;
  const strict = options.strict;
  const { errors: found, warnings } = lint(loaded, strict, await neededLint(loaded, options));
  if (loaded.kind === 'valid') {
    const more = mergeCopies(await runErrors(loaded.file, loaded.hasReferences), loaded.included);
    addBySeverity(strict ? more.asErrors() : more, { errors: found, warnings });
  }
  printStderr(io, staleSchema(options.file), 'cli: warning: ');
  const all = { ...loaded, errors: found, warnings };
  if (options.format === 'text') return verdict(io, options, all);
  if (hasDiagnostics(all)) await printMessage(io, options, { ...all, kind: 'diagnostics' });
  if (options.format === 'gitlab') {
    const report = (await import('../output/messages/findings.ts')).codeQuality(all, io.env);
    return printDocument(io, report, options, found.items.length === 0 ? EXIT.ok : EXIT.no);
  }
  const valid = found.items.length === 0;
  if (options.form === 'short') {
    const findings = (await import('../output/messages/findings.ts')).findingsOf(all);
    const omitted = found.omitted + warnings.omitted;
    return printDocument(io, { file: all.source.path, valid, findings, omitted }, options, valid ? EXIT.ok : EXIT.no);
  }
  const errors = valid
    ? []
    : (await import('../output/messages/render_diagnostics.ts')).diagnosticEntries(found, loaded.source);
  return printDocument(io, { valid, errors }, options, valid ? EXIT.ok : EXIT.no);
}

/** The diagnostics that only runs of a valid file show: plans that are too large, and unresolved references. */
async function runErrors(file: WorkflowFile, hasReferences: boolean): Promise<DiagnosticList> {
  const found = checkSizes(file);
  if (hasReferences) (await import('../driver/checks/check_references.ts')).checkReferences(file, found);
  return found;
}

/** The colours of the last line with `--format text`. */
const VERDICT_RULES: Rules = [
  [/ valid(?=, \d+ errors?, \d+ warnings?$)/, 'green'],
  [/ invalid(?=, \d+ errors?, \d+ warnings?$)/, 'red'],
];

/** `--format text`: prints the diagnostics with their code frames, and a last line with their counts. */
async function verdict(io: Io, options: Options, loaded: LoadedFile): Promise<number> {
  const isValid = loaded.errors.items.length === 0;
  const last = verdictLine(loaded);
  const columns = terminalColumns(io.stdout);
  const exit = isValid ? EXIT.ok : EXIT.no;
  if (!hasDiagnostics(loaded)) return print(io, outputLines(io, [last], VERDICT_RULES), exit);
  await (await import('../output/messages/print_rendered.ts')).annotateDiagnostics(io, options, loaded);
  const { DIAGNOSTIC_RULES, renderDiagnostics } = await import('../output/messages/render_diagnostics.ts');
  const lines = [...renderDiagnostics(loaded, columns), last];
  return print(io, outputLines(io, lines, [...DIAGNOSTIC_RULES, ...VERDICT_RULES]), exit);
}

/** Whether there are diagnostics to render. The renderer is loaded only then. */
function hasDiagnostics({ errors, warnings }: LoadedFile): boolean {
  return errors.items.length + warnings.items.length > 0;
}
