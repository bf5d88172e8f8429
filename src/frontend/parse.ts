import { FILE, FileChecker, type CheckerParts } from './check/file_checker.ts';
import { DiagnosticCollector, type DiagnosticList } from './diagnostics/diagnostic.ts';
import type { IncludedSource } from './diagnostics/source.ts';
import { decode } from './syntax/decode.ts';
import { parseJson } from './syntax/json_parser.ts';
import { LineIndex } from './syntax/line_index.ts';
import { checkCalls } from './check/call_graph.ts';
import type { SyntaxResult } from './syntax/json_problems.ts';
import type { IncludedFile, WorkflowFile } from './ast.ts';

/**
 * A parsed file. It is valid if and only if it has no errors. `hasReferences` is true if the file has references, which
 * only a plan can resolve. `unread` holds the paths of included files that could not be read.
 */
export type ParsedFile = Readonly<{
  lines: LineIndex;
  errors: DiagnosticList;
  warnings: DiagnosticList;
  hasReferences: boolean;
  included: readonly IncludedSource[];
  unread: readonly string[];
}> &
  Readonly<
    /** An unlinked file is well-formed, but has calls of unknown workflows or cyclic calls. It can still be listed. */
    { kind: 'valid' | 'unlinked'; file: WorkflowFile } | { kind: 'malformed'; file: undefined }
  >;

/** Signs of JSON paths and references, or of a JSON escape that may stand for a letter of one. */
const REFERENCES = /outputs|steps\.|\{vars\.|"secrets"|\\u00/;
/** Signs of secrets, or of a JSON escape that may stand for a letter or a quote of one. */
const SECRETS = /"secrets"|\\u00/;
/** Signs of rare fields, or of a JSON escape that may stand for a letter or a quote of one. */
const RARE = /"(?:include|inputs|matrix|sources|generates)"|\\u00/;

/** Loads the parts of the checker that a file may need. */
async function loadParts({ text, isJson }: FileText): Promise<CheckerParts> {
  const references = REFERENCES.test(text)
    ? (await import('./references/reference_parser.ts')).REFERENCE_PARSER
    : undefined;
  const rare = RARE.test(text) ? (await import('./check/rare_fields.ts')).RARE_FIELDS : undefined;
  const secrets = SECRETS.test(text) ? (await import('./check/secrets/secret_checkers.ts')).SECRET_CHECKERS : undefined;
  const findProblem = isJson ? undefined : (await import('./syntax/json_problems.ts')).findProblem;
  return { references, rare, secrets, findProblem };
}

/** The loaded parts of the checker that a file may need. */
function neededParts({ text }: FileText, { references, rare, secrets, findProblem }: CheckerParts): CheckerParts {
  return {
    references: REFERENCES.test(text) ? references : undefined,
    rare: RARE.test(text) ? rare : undefined,
    secrets: SECRETS.test(text) ? secrets : undefined,
    findProblem,
  };
}

/** A file before its checks, with the parts of the checker that it needs. */
export type FileSyntax = Readonly<{ parts: CheckerParts; lines: LineIndex; syntax: SyntaxResult }>;

/** A checked file, except for its calls. */
export type CheckedFile = Readonly<{ lines: LineIndex; checker: FileChecker; file: WorkflowFile | undefined }>;

/** The text of a file, and whether it is valid JSON. */
type FileText = Readonly<{ text: string; isJson: boolean }>;

/** Reads files one after the other: yields the text of each, and receives the parts of the checker that it may need. */
export type Reading<Value> = Generator<FileText, Value, CheckerParts>;

/** Parses a workflow file. Offsets start at `base`. */
export function* parsing(bytes: Buffer, base = 0): Reading<FileSyntax> {
  const decoded = decode(bytes);
  const { text, problem } = decoded;
  const tree = problem === undefined ? parseJson(text, base) : undefined;
  const parts = yield { text, isJson: tree !== undefined };
  const lines = new LineIndex(text, base);
  if (tree !== undefined) return { parts, lines, syntax: { ok: true, value: tree } };
  if (parts.findProblem === undefined) throw new Error('the file was read without what finds its problem');
  return { parts, lines, syntax: parts.findProblem(decoded, base) };
}

/** Reads files, and loads the parts of the checker that they need. */
export async function readLoading<Value>(reading: Reading<Value>): Promise<Value> {
  let next = reading.next();
  while (next.done !== true) next = reading.next(await loadParts(next.value));
  return next.value;
}

/**
 * Checks a file, except for its calls. Collects all errors, in file order. `prefix` is that of its workflows' names.
 */
export function checkFile({ parts, lines, syntax }: FileSyntax, prefix = ''): CheckedFile {
  const checker = new FileChecker(parts, prefix);
  if (syntax.ok) return { lines, checker, file: checker.file(syntax.value) };
  for (const { problem, range } of syntax.problems) checker.diagnostics.fail({ code: 'syntax', problem }, FILE, range);
  return { lines, checker, file: undefined };
}

/** Parses and checks a workflow file without includes. */
export async function readWorkflowFile(bytes: Buffer): Promise<ParsedFile> {
  return parsedFile(checkFile(await readLoading(parsing(bytes))));
}

/** Reads files with parts of the checker that are already loaded. */
export function readAtOnce<Value>(reading: Reading<Value>, parts: CheckerParts): Value {
  let next = reading.next();
  while (next.done !== true) next = reading.next(neededParts(next.value, parts));
  return next.value;
}

/**
 * The problems with the use of secrets in a file with its includes, whose checkers and paths are given; undefined if no file has
 * secrets.
 */
export function checkSecrets(
  file: WorkflowFile,
  checkers: readonly FileChecker[],
  paths: readonly IncludedFile[] = [],
): DiagnosticCollector | undefined {
  const { secrets, references } = checkers.find(({ parts }) => parts.secrets !== undefined)?.parts ?? {};
  const inputs = checkers.flatMap((checker) => checker.inputs);
  if (references === undefined || secrets === undefined) return undefined;
  const found = new DiagnosticCollector();
  secrets.checkSecretUses({ file, inputs, paths, findVariables: references.findVariables }, found);
  return found;
}

/** Like `readWorkflowFile`, with parts that are already loaded. */
export function parseWorkflowFile(bytes: Buffer, parts: CheckerParts): ParsedFile {
  return parsedFile(checkFile(readAtOnce(parsing(bytes), parts)));
}

/** Checks the calls of a file without includes. */
export function parsedFile({ lines, checker, file }: CheckedFile): ParsedFile {
  const { names, calls, hasReferences, diagnostics } = checker;
  const { errors, warnings } = diagnostics;
  const parsed = { lines, errors, warnings, included: [], unread: [] };
  errors.addAll(checkCalls(names, calls));
  checker.checkDefault();
  const found = checker.validPart && checkSecrets(checker.validPart, [checker]);
  if (found !== undefined) {
    errors.addAll(found.errors);
    // An invalid command may list the secret.
    if (file !== undefined) warnings.addAll(found.warnings);
  }
  if (errors.items.length > 0) errors.addAll(checker.checkNamedSteps([checker]));
  if (file === undefined) return { kind: 'malformed', file, ...parsed, hasReferences: false };
  return { kind: errors.items.length === 0 ? 'valid' : 'unlinked', file, ...parsed, hasReferences };
}
