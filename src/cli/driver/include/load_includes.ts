import { realpathSync } from 'node:fs';
import { dirname, isAbsolute, join, normalize, posix } from 'node:path';
import { nameOnDisk } from '../../../backend/system/name_on_disk.ts';
import { trySystemCall } from '../../../backend/system/try_system_call.ts';
import { FILE } from '../../../frontend/check/file_checker.ts';
import { checkCalls } from '../../../frontend/check/call_graph.ts';
import type { FileScope, Include, Workflow } from '../../../frontend/ast.ts';
import { DiagnosticList, type Diagnostic, type ErrorDetail } from '../../../frontend/diagnostics/diagnostic.ts';
import { checkFile, checkSecrets, readLoading, parsing } from '../../../frontend/parse.ts';
import type { CheckedFile, ParsedFile, Reading, FileSyntax } from '../../../frontend/parse.ts';
import { readRegular, SIZE_LIMIT, type FileBytes } from '../read_file.ts';
import { Member, type JsonNode } from '../../../frontend/syntax/json_tree.ts';
import { LineIndex } from '../../../frontend/syntax/line_index.ts';
import { failure, type Failure, type Result } from '../../../base/result.ts';

/** The source of included files: the file system or a Git revision. All paths of one file have the same `realPath`. */
export type IncludeFiles = Readonly<{ read: (path: string) => FileBytes; realPath: (path: string) => string }>;

/** Reads from the file system. */
export const FILE_SYSTEM: IncludeFiles = {
  read: readRegular,
  realPath: (path) => {
    const found = trySystemCall(() => ({ path: nameOnDisk(realpathSync(path)) }));
    return typeof found === 'string' ? path : found.path;
  },
};

/** The scope of a malformed file. */
const NOTHING = { agents: undefined, env: new Map(), secrets: new Map(), dotenv: [] } as const;

/** The maximum number of files in one tree of includes. Nested includes multiply. */
const FILE_LIMIT = 1000;

/**
 * A file of the tree. `real` is its path without links, and `relative` its path relative to the root file's directory.
 * `chain` maps the real paths of the including files, and its own, to the paths shown.
 */
export type LoadedPart = CheckedFile &
  Readonly<{ path: string; real: string; relative: string; chain: ReadonlyMap<string, string> }> &
  Readonly<{ scope: FileScope | null; prefix: string }>;

/** The files of a tree of includes, the root first, and the paths of unreadable ones. */
type LoadedParts = Readonly<{ parts: readonly LoadedPart[]; unread: readonly string[] }>;

/** Reads and checks all files that a checked file includes, and loads the parts of the checker that they need. */
export async function loadIncludes(root: CheckedFile, path: string, files?: IncludeFiles): Promise<ParsedFile> {
  return mergeParts(await readLoading(readParts(root, path, files)));
}

/**
 * Reads and checks all files that a checked file includes, directly or indirectly. Each file's offsets start after the
 * previous file's, so that an offset identifies its file. Takes time linear in the size of the files.
 */
export function* readParts(root: CheckedFile, path: string, files: IncludeFiles = FILE_SYSTEM): Reading<LoadedParts> {
  const real = files.realPath(path);
  const first = { ...root, path, real, relative: '.', chain: new Map([[real, path]]), scope: null, prefix: '' };
  const parts: LoadedPart[] = [first];
  const unread: string[] = [];
  const copies = new FileCopies(Buffer.byteLength(root.lines.text));
  let base = root.lines.text.length + 1;
  for (const part of parts) {
    for (const include of part.checker.includes) {
      const fail = (detail: ErrorDetail): void => part.checker.diagnostics.fail(detail, FILE, include.range);
      if (/^[a-z][\w+.-]*:\/\//i.test(include.file)) {
        fail({ code: 'unreadable include', file: include.file, problem: 'it is a URL; only files can be included' });
        continue;
      }
      const shown = pathOf(include, part.path);
      const real = files.realPath(shown);
      if (part.chain.has(real)) {
        const around = [...part.chain].slice([...part.chain.keys()].indexOf(real)).map(([, each]) => each);
        fail({ code: 'circular include', path: [...around, shown] });
        continue;
      }
      if (parts.length >= FILE_LIMIT) {
        fail({ code: 'too many files', limit: FILE_LIMIT });
        return { parts, unread };
      }
      const syntax = yield* copies.at(real, base, () => files.read(shown));
      if (!syntax.ok) {
        unread.push(shown);
        fail({ code: 'unreadable include', file: shown, problem: syntax.problems.join('; ') });
        if (copies.isFull) return { parts, unread };
        continue;
      }
      const prefix = `${part.prefix}${include.name}:`;
      const checked = checkFile(syntax.value, prefix);
      base += checked.lines.text.length + 1;
      const name = prefix.slice(0, -1);
      const { agents, env, secrets, dotenv } = checked.checker.validPart ?? NOTHING;
      const own = { agents, env, secrets, dotenv, dir: include.dir };
      const scope: FileScope = { name, ...own, outer: part.scope };
      parts.push({
        ...checked,
        path: shown,
        real,
        relative: relativeTo(part, include),
        chain: new Map([...part.chain, [real, shown]]),
        scope,
        prefix,
      });
    }
  }
  return { parts, unread };
}

/** The path of an included file, relative to the same directory as the including file's path. */
function pathOf({ file }: Include, including: string): string {
  if (isAbsolute(file)) return file;
  return including === '-' ? normalize(file) : join(dirname(including), file);
}

function relativeTo({ relative }: LoadedPart, { file }: Include): string {
  return isAbsolute(file) ? file : posix.join(posix.dirname(relative), file);
}

/** Merges files into one: all workflows, and the diagnostics of each distinct file. */
export function mergeParts({ parts, unread }: LoadedParts): ParsedFile {
  /** The offset at which the first copy of each file begins, by real path. Only that copy is reported on. */
  const originals = new Map<string, number>();
  const [root] = parts;
  if (root === undefined) throw new Error('no file was read');
  const errors = new DiagnosticList();
  const warnings = new DiagnosticList();
  const workflows = new Map<string, Workflow>();
  const names = new Set<string>();
  const reported = new Set<LoadedPart>();
  const calls = parts.flatMap(({ checker }) => checker.calls);
  for (const part of parts) {
    const { checker, scope, real } = part;
    for (const name of checker.names) names.add(name);
    for (const [name, workflow] of checker.validPart?.workflows ?? []) {
      workflows.set(name, scope === null ? workflow : { ...workflow, aliases: [], scope });
    }
    if (originals.has(real)) continue;
    originals.set(real, part.lines.base);
    reported.add(part);
    if (scope !== null) warnOfHooks(part);
    errors.addAll(checker.diagnostics.errors);
    warnings.addAll(checker.diagnostics.warnings);
  }
  const missing = missingPrefixes(parts);
  // Without its file, nothing is known about the workflows of an include. The include has an error already.
  const isMissing = (error: Diagnostic): boolean =>
    error.code === 'unknown workflow' && missing.some((prefix) => error.name.startsWith(prefix));
  // Every inclusion of a file repeats the file's errors.
  const isReported = ({ range }: Diagnostic): boolean => {
    const copy = parts.findLast(({ lines }) => lines.base <= range.start);
    return copy === undefined || reported.has(copy);
  };
  for (const error of checkCalls(names, calls).items) if (!isMissing(error) && isReported(error)) errors.add(error);
  const before = root.checker.diagnostics.errors.items.length;
  root.checker.checkDefault(names);
  for (const error of root.checker.diagnostics.errors.items.slice(before)) if (!isMissing(error)) errors.add(error);
  const included = parts.slice(1).map(({ path, real, lines }) => {
    return { path, lines, original: originals.get(real) ?? lines.base };
  });
  const parsed = { lines: root.lines, errors, warnings, included, unread };
  const isMalformed = parts.some(({ file }) => file === undefined);
  const files = parts.slice(1).map(({ relative, lines }) => ({ path: relative, start: lines.base }));
  const { validPart } = root.checker;
  const file = validPart && { ...validPart, workflows, files };
  const found =
    file &&
    checkSecrets(
      file,
      parts.map(({ checker }) => checker),
      parts.map(({ path, lines }) => ({ path, start: lines.base })),
    );
  for (const error of found?.errors.items ?? []) if (isReported(error)) errors.add(error);
  if (file === undefined || isMalformed) {
    checkNamedSteps(parts, reported, errors);
    return { kind: 'malformed', file: undefined, ...parsed, hasReferences: false };
  }
  const hasReferences = parts.some(({ checker }) => checker.hasReferences);
  for (const warning of found?.warnings.items ?? []) if (isReported(warning)) warnings.add(warning);
  if (errors.items.length > 0) checkNamedSteps(parts, reported, errors);
  const kind = errors.items.length === 0 ? 'valid' : 'unlinked';
  return { kind, file, ...parsed, hasReferences };
}

/** Adds the references to steps that are in no file, unless a file is missing. */
function checkNamedSteps(
  parts: readonly LoadedPart[],
  reported: ReadonlySet<LoadedPart>,
  errors: DiagnosticList,
): void {
  if (missingPrefixes(parts).length > 0) return;
  const checkers = parts.map(({ checker }) => checker);
  for (const part of reported) errors.addAll(part.checker.checkNamedSteps(checkers));
}

/** The prefixes of includes whose file cannot be read, or has no workflows. */
function missingPrefixes(parts: readonly LoadedPart[]): readonly string[] {
  const loaded = new Set(
    parts.flatMap(({ prefix, file, checker }) => (file !== undefined || checker.names.size > 0 ? [prefix] : [])),
  );
  const all = parts.flatMap(({ prefix, checker }) => checker.includes.map(({ name }) => `${prefix}${name}:`));
  return all.filter((prefix) => !loaded.has(prefix));
}

function warnOfHooks({ checker }: LoadedPart): void {
  for (const [hook, { range }] of checker.hooks) checker.diagnostics.warn({ code: 'ignored hook', hook }, FILE, range);
}

/** Maximum size of all copies of included files, in bytes. A checked copy takes about 16 times as much memory. */
const COPIES_LIMIT = 4 * SIZE_LIMIT;

/**
 * The files of one tree of includes, each of which is read and parsed once. All files together have the limit of a single
 * file. Every inclusion is a copy.
 */
class FileCopies {
  readonly #files = new Map<string, Readonly<{ first: FileSyntax; size: number }>>();
  /** The size of all files, in bytes. */
  #size: number;
  /** The size of all copies, in bytes. */
  #copied = 0;

  /** `size` is that of the root file. */
  constructor(size: number) {
    this.#size = size;
  }

  /** Whether a file has exceeded a limit. */
  get isFull(): boolean {
    return this.#size > SIZE_LIMIT || this.#copied > COPIES_LIMIT;
  }

  /** The syntax of the file with a real path, with offsets that start at `base`. */
  *at(real: string, base: number, read: () => FileBytes): Reading<Result<FileSyntax>> {
    const known = this.#files.get(real);
    if (known !== undefined) return this.#count(0, known.size) ?? { ok: true, value: moved(known.first, base) };
    const bytes = read();
    if (!bytes.ok) return bytes;
    const size = bytes.value.length;
    const problem = this.#count(size, size);
    if (problem !== undefined) return problem;
    const first = yield* parsing(bytes.value, base);
    this.#files.set(real, { first, size });
    return { ok: true, value: first };
  }

  /** Adds to the sizes; returns the problem of the file that exceeds a limit. */
  #count(size: number, copied: number): Failure | undefined {
    this.#size += size;
    this.#copied += copied;
    if (!this.isFull) return undefined;
    return this.#size > SIZE_LIMIT
      ? failure(`with it, the file and its includes have more than ${SIZE_LIMIT} bytes (16 MiB)`)
      : failure(`with it, all copies of the included files have more than ${COPIES_LIMIT} bytes (64 MiB)`);
  }
}

/** The syntax of a copy of a file, with offsets that start at `base`. */
function moved({ parts, lines, syntax }: FileSyntax, base: number): FileSyntax {
  const by = base - lines.base;
  return {
    parts,
    lines: new LineIndex(lines.text, base),
    syntax: syntax.ok
      ? { ok: true, value: movedNode(syntax.value, by) }
      : {
          ok: false,
          problems: syntax.problems.map(({ problem, range }) => {
            return { problem, range: { start: range.start + by, end: range.end + by } };
          }),
        },
  };
}

function movedNode(node: JsonNode, by: number): JsonNode {
  const range = { start: node.start + by, end: node.end + by };
  if (node.kind === 'array') return { ...node, ...range, items: node.items.map((item) => movedNode(item, by)) };
  if (node.kind !== 'object') return { ...node, ...range };
  const members = node.members.map(({ key, start, end, value }) => {
    const member = new Member(key, start + by, end + by);
    member.value = movedNode(value, by);
    return member;
  });
  return { ...node, ...range, members };
}
