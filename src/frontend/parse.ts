import { ShapeChecker } from './check.ts';
import { Findings, inFileOrder, type Fault, type Range } from './diagnostic.ts';
import { decode } from './decode.ts';
import { Lines } from './lines.ts';
import { checkReferences } from './references.ts';
import { parseSyntax } from './syntax.ts';
import type { WorkflowFile } from './workflow_file.ts';

/** What a file's bytes turned out to be. There are no errors exactly if it is valid. */
export type Parsed = Readonly<{ lines: Lines; errors: Findings; warnings: Findings }> &
  Readonly<
    /** Unlinked: well-formed, but with calls that lead nowhere or in a circle. It can be listed. */
    { kind: 'valid' | 'unlinked'; file: WorkflowFile } | { kind: 'malformed'; file: undefined }
  >;

/** Reads and checks a workflow file. All errors are found, in file order; none is thrown. */
export function parseWorkflowFile(bytes: Buffer): Parsed {
  const decoded = decode(bytes);
  const lines = new Lines(decoded.text);
  const unreadable = (fault: Fault, range: Range): Parsed => {
    const errors = new Findings();
    errors.add({ severity: 'error', place: { workflow: '' }, range, ...fault });
    return { kind: 'malformed', file: undefined, lines, errors, warnings: new Findings() };
  };
  if (!decoded.ok) {
    const { encoding, offset } = decoded;
    return unreadable({ code: 'encoding', encoding }, { start: offset, end: offset + 1 });
  }
  const syntax = parseSyntax(decoded.text);
  if (!syntax.ok) {
    const { problem, start, end } = syntax;
    return unreadable({ code: 'syntax', problem }, { start, end });
  }
  const checker = new ShapeChecker();
  const file = checker.checkFile(syntax.root);
  const broken = checkReferences(checker.names, checker.calls);
  const errors = inFileOrder(checker.errors, broken);
  const found = { lines, errors, warnings: inFileOrder(checker.warnings, new Findings()) };
  if (file === undefined) return { kind: 'malformed', file, ...found };
  return { kind: errors.items.length === 0 ? 'valid' : 'unlinked', file, ...found };
}
