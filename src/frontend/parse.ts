import { FILE, ShapeChecker } from './check.ts';
import { inFileOrder, type Findings } from './diagnostic.ts';
import { decode } from './decode.ts';
import { Lines } from './lines.ts';
import { checkReferences } from './references.ts';
import { parseSyntax, type Syntax } from './syntax.ts';
import type { WorkflowFile } from './workflow_file.ts';

/** What a file's bytes turned out to be. There are no errors exactly if it is valid. */
export type Parsed = Readonly<{ lines: Lines; errors: Findings; warnings: Findings }> &
  Readonly<
    /** Unlinked: well-formed, but with calls that lead nowhere or in a circle. It can be listed. */
    { kind: 'valid' | 'unlinked'; file: WorkflowFile } | { kind: 'malformed'; file: undefined }
  >;

/** Reads and checks a workflow file. All errors are found, in file order; none is thrown. */
export function parseWorkflowFile(bytes: Buffer): Parsed {
  const { text, problem, offset } = decode(bytes);
  const lines = new Lines(text);
  const checker = new ShapeChecker();
  const malformed = (errors: Findings): Parsed => {
    return { kind: 'malformed', file: undefined, lines, errors, warnings: checker.warnings };
  };
  const range = { start: offset, end: offset + 1 };
  const syntax: Syntax = problem === undefined ? parseSyntax(text) : { ok: false, problem, range };
  if (!syntax.ok) {
    checker.fail({ code: 'syntax', problem: syntax.problem }, FILE, syntax.range);
    return malformed(checker.errors);
  }
  const file = checker.checkFile(syntax.root);
  const errors = inFileOrder(checker.errors, checkReferences(checker.names, checker.calls));
  if (file === undefined) return malformed(errors);
  const kind = errors.items.length === 0 ? 'valid' : 'unlinked';
  return { kind, file, lines, errors, warnings: checker.warnings };
}
