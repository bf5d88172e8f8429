import { FILE, FileChecker } from './check/file_checker.ts';
import type { DiagnosticList, SourceRange } from './diagnostics/diagnostic.ts';
import { decode } from './syntax/decode.ts';
import type { ReferenceParser } from './references/reference_parser.ts';
import { LineIndex } from './syntax/line_index.ts';
import { checkCalls } from './check/call_graph.ts';
import { parseSyntax, type SyntaxResult } from './syntax/json_tree.ts';
import type { WorkflowFile } from './ast.ts';

/**
 * A parsed file. It is valid if and only if it has no errors. `hidden` holds the ranges of values that may be secrets.
 * `hasReferences`: the file refers to outputs, which only a plan can resolve.
 */
export type ParsedFile = Readonly<{
  lines: LineIndex;
  errors: DiagnosticList;
  warnings: DiagnosticList;
  hidden: readonly SourceRange[];
  hasReferences: boolean;
}> &
  Readonly<
    /** Unlinked: well-formed, but with calls of unknown workflows or cyclic calls. It can be listed. */
    { kind: 'valid' | 'unlinked'; file: WorkflowFile } | { kind: 'malformed'; file: undefined }
  >;

/** Whether a file may have JSON paths or references. An escape in its JSON could hide them. */
export function needsReferenceParser(bytes: Buffer): boolean {
  return ['outputs', 'steps.', '{vars.', '\\u00'].some((sign) => bytes.includes(sign));
}

/** The syntax tree of a JSON file, or its first problem. */
export function parseJsonFile(bytes: Buffer): Readonly<{ lines: LineIndex; syntax: SyntaxResult }> {
  const { text, problem, offset } = decode(bytes);
  const range = { start: offset, end: offset + 1 };
  return {
    lines: new LineIndex(text),
    syntax: problem === undefined ? parseSyntax(text) : { ok: false, problem, range },
  };
}

/** Reads and checks a workflow file. All errors are collected, in file order. */
export async function readWorkflowFile(bytes: Buffer): Promise<ParsedFile> {
  if (!needsReferenceParser(bytes)) return parseWorkflowFile(bytes, undefined);
  return parseWorkflowFile(bytes, (await import('./references/reference_parser.ts')).REFERENCE_PARSER);
}

/** The same with a given parser, which a file with JSON paths or references needs. */
export function parseWorkflowFile(bytes: Buffer, parser: ReferenceParser | undefined): ParsedFile {
  const { lines, syntax } = parseJsonFile(bytes);
  const checker = new FileChecker(parser);
  const { errors, warnings } = checker.diagnostics;
  const unchecked = { lines, errors, warnings, hidden: [], hasReferences: false };
  if (!syntax.ok) {
    checker.diagnostics.fail({ code: 'syntax', problem: syntax.problem }, FILE, syntax.range);
    return { kind: 'malformed', file: undefined, ...unchecked };
  }
  const file = checker.file(syntax.root);
  const parsed = { ...unchecked, hidden: checker.hidden };
  errors.addAll(checkCalls(checker.names, checker.calls));
  checker.checkDefault();
  if (file === undefined) return { kind: 'malformed', file, ...parsed };
  const { hasReferences } = checker;
  return { kind: errors.items.length === 0 ? 'valid' : 'unlinked', file, ...parsed, hasReferences };
}
