import { Checker, FILE } from './check/checker.ts';
import type { Findings, Range } from './diagnostics/diagnostic.ts';
import { decode } from './syntax/decode.ts';
import type { Extensions } from './references/reference_parser.ts';
import { Lines } from './syntax/line_index.ts';
import { checkReferences } from './check/call_graph.ts';
import { parseSyntax, type Syntax } from './syntax/json_tree.ts';
import type { WorkflowFile } from './ast.ts';

/**
 * What a file's bytes turned out to be. There are no errors exactly if it is valid. `hidden` is where
 * values stand that may be secrets without a name that says so; `hasReferences` says whether the file refers to
 * outputs of steps, which only a plan can tell from those that lead nowhere.
 */
export type Parsed = Readonly<{
  lines: Lines;
  errors: Findings;
  warnings: Findings;
  hidden: readonly Range[];
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
export async function readWorkflowFile(bytes: Buffer): Promise<Parsed> {
  return parseWorkflowFile(
    bytes,
    needsExtensions(bytes) ? (await import('./references/reference_parser.ts')).EXTENSIONS : undefined,
  );
}

/** Reads and checks a workflow file with the extensions, if it needs them. */
export function parseWorkflowFile(bytes: Buffer, extensions: Extensions | undefined): Parsed {
  const { text, problem, offset } = decode(bytes);
  const lines = new Lines(text);
  const checker = new Checker(extensions);
  const { errors, warnings, hidden } = checker;
  const found = { lines, errors, warnings, hidden, hasReferences: false };
  const range = { start: offset, end: offset + 1 };
  const syntax: Syntax = problem === undefined ? parseSyntax(text) : { ok: false, problem, range };
  if (!syntax.ok) {
    checker.fail({ code: 'syntax', problem: syntax.problem }, FILE, syntax.range);
    return { kind: 'malformed', file: undefined, ...found };
  }
  const file = checker.checkFile(syntax.root);
  errors.addAll(checkReferences(checker.names, checker.calls));
  if (file === undefined) return { kind: 'malformed', file, ...found };
  const { hasReferences } = checker;
  return { kind: errors.items.length === 0 ? 'valid' : 'unlinked', file, ...found, hasReferences };
}
