import { checkShapes } from './check.ts';
import { Collector, inFileOrder } from './diagnostic.ts';
import type { Diagnostic, Fault, Findings, Range, Warning } from './diagnostic.ts';
import { decode } from './decode.ts';
import type { Report } from './fields.ts';
import { Lines } from './lines.ts';
import { checkReferences } from './references.ts';
import { parseSyntax } from './syntax.ts';
import type { WorkflowFile } from './workflow_file.ts';

interface ParsedText {
  readonly lines: Lines;
  readonly warnings: Findings<Warning>;
}

/** What a file's bytes turned out to be. */
export type Parsed = ParsedText &
  (
    | { readonly kind: 'valid'; readonly file: WorkflowFile }
    /** Well-formed, but with calls that lead nowhere or in a circle: it can be listed, not run. */
    | {
        readonly kind: 'unlinked';
        readonly file: WorkflowFile;
        readonly errors: Findings<Diagnostic>;
      }
    | { readonly kind: 'malformed'; readonly errors: Findings<Diagnostic> }
  );

/** Reads and checks a workflow file. All errors are found, in file order; none is thrown. */
export function parseWorkflowFile(bytes: Uint8Array): Parsed {
  const decoded = decode(bytes);
  const lines = new Lines(decoded.text);
  if (!decoded.ok) {
    const { encoding, offset } = decoded;
    return unreadable(lines, { code: 'encoding', encoding }, { start: offset, end: offset + 1 });
  }
  const syntax = parseSyntax(decoded.text);
  if (!syntax.ok) return unreadable(lines, syntax.fault, syntax.range);

  const report: Report = { errors: new Collector(), warnings: new Collector() };
  const { file, names, calls } = checkShapes(syntax.root, report);
  const links = new Collector<Diagnostic>();
  checkReferences(names, calls, links);

  const warnings = inFileOrder(report.warnings.findings());
  if (file !== undefined && links.isEmpty) return { kind: 'valid', file, lines, warnings };
  const errors = inFileOrder(report.errors.findings(), links.findings());
  if (file !== undefined) return { kind: 'unlinked', file, errors, lines, warnings };
  return { kind: 'malformed', errors, lines, warnings };
}

function unreadable(lines: Lines, fault: Fault, range: Range): Parsed {
  const diagnostic: Diagnostic = { ...fault, place: { workflow: '' }, range };
  const errors = { items: [diagnostic], omitted: 0 };
  return { kind: 'malformed', errors, lines, warnings: { items: [], omitted: 0 } };
}
