import { Checker, FILE } from './check/checker.ts';
import type { DiagnosticList, SourceRange } from './diagnostics/diagnostic.ts';
import { decode } from './syntax/decode.ts';
import type { ReferenceParser } from './references/reference_parser.ts';
import { LineIndex } from './syntax/line_index.ts';
import { checkCalls } from './check/call_graph.ts';
import { parseSyntax, type SyntaxResult } from './syntax/json_tree.ts';
import type { WorkflowFile } from './ast.ts';

/**
 * What a file's bytes turned out to be. There are no errors exactly if it is valid. `hidden` is where
 * values stand that may be secrets without a name that says so; `hasReferences` says whether the file refers to
 * outputs of steps, which only a plan can tell from those that lead nowhere.
 */
export type ParsedFile = Readonly<{
  lines: LineIndex;
  errors: DiagnosticList;
  warnings: DiagnosticList;
  hidden: readonly SourceRange[];
  hasReferences: boolean;
}> &
  Readonly<
    /** Unlinked: well-formed, but with calls that lead nowhere or in a circle. It can be listed. */
    { kind: 'valid' | 'unlinked'; file: WorkflowFile } | { kind: 'malformed'; file: undefined }
  >;

/** Whether a file may have paths or references to outputs; an escape in its JSON could hide them. */
export function needsExtensions(bytes: Buffer): boolean {
  return ['outputs', 'steps.', '\\u00'].some((sign) => bytes.includes(sign));
}

/** Reads a workflow file with what it needs. All errors are found, in file order; none is thrown. */
export async function readWorkflowFile(bytes: Buffer): Promise<ParsedFile> {
  return parseWorkflowFile(
    bytes,
    needsExtensions(bytes) ? (await import('./references/reference_parser.ts')).REFERENCE_PARSER : undefined,
  );
}

/** Reads and checks a workflow file with the extensions, if it needs them. */
export function parseWorkflowFile(bytes: Buffer, extensions: ReferenceParser | undefined): ParsedFile {
  const { text, problem, offset } = decode(bytes);
  const lines = new LineIndex(text);
  const checker = new Checker(extensions);
  const { errors, warnings, hidden } = checker;
  const found = { lines, errors, warnings, hidden, hasReferences: false };
  const range = { start: offset, end: offset + 1 };
  const syntax: SyntaxResult = problem === undefined ? parseSyntax(text) : { ok: false, problem, range };
  if (!syntax.ok) {
    checker.fail({ code: 'syntax', problem: syntax.problem }, FILE, syntax.range);
    return { kind: 'malformed', file: undefined, ...found };
  }
  const file = checker.checkFile(syntax.root);
  errors.addAll(checkCalls(checker.names, checker.calls));
  if (file === undefined) return { kind: 'malformed', file, ...found };
  const { hasReferences } = checker;
  return { kind: errors.items.length === 0 ? 'valid' : 'unlinked', file, ...found, hasReferences };
}
