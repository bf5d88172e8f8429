import { FILE, ShapeChecker } from './check.ts';
import type { Findings, Range } from './diagnostic.ts';
import { decode } from './decode.ts';
import { Lines } from './lines.ts';
import { checkReferences } from './references.ts';
import { parseSyntax, type Syntax } from './syntax.ts';
import type { WorkflowFile } from './workflow_file.ts';

/**
 * What a file's bytes turned out to be. There are no errors exactly if it is valid. `hidden` is where
 * values stand that may be secrets without a name that says so.
 */
export type Parsed = Readonly<{ lines: Lines; errors: Findings; warnings: Findings; hidden: readonly Range[] }> &
  Readonly<
    /** Unlinked: well-formed, but with calls that lead nowhere or in a circle. It can be listed. */
    { kind: 'valid' | 'unlinked'; file: WorkflowFile } | { kind: 'malformed'; file: undefined }
  >;

/** Reads and checks a workflow file. All errors are found, in file order; none is thrown. */
export function parseWorkflowFile(bytes: Buffer): Parsed {
  const { text, problem, offset } = decode(bytes);
  const lines = new Lines(text);
  const checker = new ShapeChecker();
  const { errors, warnings, hidden } = checker;
  const found = { lines, errors, warnings, hidden };
  const range = { start: offset, end: offset + 1 };
  const syntax: Syntax = problem === undefined ? parseSyntax(text) : { ok: false, problem, range };
  if (!syntax.ok) {
    checker.fail({ code: 'syntax', problem: syntax.problem }, FILE, syntax.range);
    return { kind: 'malformed', file: undefined, ...found };
  }
  const file = checker.checkFile(syntax.root);
  errors.addAll(checkReferences(checker.names, checker.calls));
  if (file === undefined) return { kind: 'malformed', file, ...found };
  return { kind: errors.items.length === 0 ? 'valid' : 'unlinked', file, ...found };
}
