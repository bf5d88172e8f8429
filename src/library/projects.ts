import { redactPath } from '../cli/command_line/redact.ts';
import { readParts, mergeParts, type IncludeFiles, type LoadedPart } from '../cli/driver/include/load_includes.ts';
import type { LoadedFile } from '../cli/driver/load.ts';
import type { FileBytes } from '../cli/driver/read_file.ts';
import { RARE_FIELDS } from '../frontend/check/rare_fields.ts';
import { SECRET_CHECKERS } from '../frontend/check/secrets/secret_checkers.ts';
import { checkFile, neededParts, parsedFile, parsing, parseJsonFile } from '../frontend/parse.ts';
import type { ParseSyntax, Reading } from '../frontend/parse.ts';
import type { NamedFile } from '../frontend/names/find_names.ts';
import { REFERENCE_PARSER } from '../frontend/references/reference_parser.ts';
import { parseTolerantly, type JsonNode } from '../frontend/syntax/json_tree.ts';
import type { LineIndex } from '../frontend/syntax/line_index.ts';
import { mentionsSecret } from '../ir/secret_names.ts';
import type { Project } from './types.ts';

const ALL_PARTS = { references: REFERENCE_PARSER, rare: RARE_FIELDS, secrets: SECRET_CHECKERS };

/** A file of a project with the tree of what can be recognised in it, for names and places. */
export type NamedPart = NamedFile & Pick<LoadedPart, 'path' | 'real' | 'checker'>;

/** A project that could be read, with all copies of its files; or the problem with its workflow file. */
export type LoadedProject = Readonly<
  | { kind: 'read'; loaded: LoadedFile; parts: readonly NamedPart[] }
  | { kind: 'unreadable'; path: string; problem: string }
>;

const known = new WeakMap<object, LoadedProject>();

/** The origin of a project. */
export function loadedProject(project: unknown): LoadedProject {
  const found = typeof project === 'object' && project !== null ? known.get(project) : undefined;
  if (found === undefined) throw new TypeError('project must be the result of parse or load');
  return found;
}

/** Makes a project of the content of its workflow file. */
export function createProject(content: FileBytes, path: string, files: IncludeFiles): Project {
  if (!content.ok) {
    const problem = `cannot read ${redactPath(path)}: ${content.problems.join('; ')}`;
    return remember({ path, valid: false, files: [{ path, text: '' }] }, { kind: 'unreadable', path, problem });
  }
  const { loaded, parts } = readProject(content.value, path, files);
  const isBroken = loaded.errors.items.some(({ code }) => code === 'syntax');
  // What a malformed file includes can only be found in its tolerant tree.
  const all = isBroken ? readProject(content.value, path, files, parseTolerantFile).parts : parts;
  const originals = loaded.included.filter(({ lines, original }) => lines.base === original);
  const included = originals.map((each) => ({ path: each.path, text: each.lines.text }));
  const texts = [{ path, text: loaded.lines.text }, ...included];
  const valid = loaded.kind === 'valid' && loaded.errors.items.length === 0;
  return remember({ path, valid, files: texts }, { kind: 'read', loaded, parts: all.map(namedPart) });
}

/** The tree is made when it is first needed: most projects are only checked. */
function namedPart({ path, real, lines, checker, prefix }: LoadedPart): NamedPart {
  let tree: JsonNode | undefined;
  return {
    path,
    real,
    lines,
    checker,
    prefix,
    get tree() {
      return (tree ??= parseTolerantly(lines.text, lines.base) ?? emptyTree(lines));
    },
  };
}

function emptyTree({ base }: LineIndex): JsonNode {
  return { kind: 'object', start: base, end: base, members: [] };
}

/** Parses a file to the tree of what can be recognised in it. */
const parseTolerantFile: ParseSyntax = (bytes, base) => {
  const { lines } = parseJsonFile(bytes, base);
  return { lines, syntax: { ok: true, value: parseTolerantly(lines.text, lines.base) ?? emptyTree(lines) } };
};

function remember({ path, valid, files }: Project, loaded: LoadedProject): Project {
  const project = Object.freeze({ path, valid, files: Object.freeze(files.map((file) => Object.freeze({ ...file }))) });
  known.set(project, loaded);
  return project;
}

/** Reads a workflow file and its includes at once, with all parts of the checker. */
function readProject(
  bytes: Buffer,
  path: string,
  files: IncludeFiles,
  parse: ParseSyntax = parseJsonFile,
): Readonly<{ loaded: LoadedFile; parts: readonly LoadedPart[] }> {
  const root = checkFile(readAtOnce(parsing(bytes, 0, parse)));
  const read = readAtOnce(readParts(root, path, files, parse));
  const parsed = root.checker.includes.length === 0 ? parsedFile(root) : mergeParts(read);
  const source = { ...parsed, path, isSecret: mentionsSecret, isForeign: (file: string) => file !== path };
  return { loaded: { ...parsed, source, startDirectory: '' }, parts: read.parts };
}

function readAtOnce<Value>(reading: Reading<Value>): Value {
  let next = reading.next();
  while (next.done !== true) next = reading.next(neededParts(next.value, ALL_PARTS));
  return next.value;
}
